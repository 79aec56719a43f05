#include "sim/equalities.h"

#include <algorithm>
#include <cmath>

#include "sim/ports.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

void add_rows(int rows, const std::vector<Port>& ports, const Vector3d& phi, Problem& problem) {
  if (ports.empty()) return;
  Constraint constraint;
  constraint.type = ConstraintType::kEquality;
  constraint.rows = rows;
  problem.add_constraint(constraint, ports, phi);
}

Pose body_pose(const TreeData& tree, int body) { return {tree.p_WB[body], tree.q_WB[body]}; }

void add_connect(const Structure& structure, const TreeData& tree, const Equality& equality,
                 Problem& problem) {
  const Pose X_W1 = body_pose(tree, equality.object1);
  const Pose X_W2 = body_pose(tree, equality.object2);
  const Vector3d p1 = X_W1.p + X_W1.q * equality.anchor1;
  const Vector3d p2 = X_W2.p + X_W2.q * equality.anchor2;
  add_rows(3, point_ports(structure, tree, equality.object1, p1, equality.object2, p2), p1 - p2,
           problem);
}

void add_weld(const Structure& structure, const TreeData& tree, const Equality& equality,
              Problem& problem) {
  const Pose X_W1 = body_pose(tree, equality.object1);
  const Pose X_W2 = body_pose(tree, equality.object2);
  const Pose target = X_W1 * equality.X_12;  // where body 2 should be
  const Vector3d p1 = target.p + target.q * equality.anchor2;
  const Vector3d p2 = X_W2.p + X_W2.q * equality.anchor2;
  add_rows(3, point_ports(structure, tree, equality.object1, p1, equality.object2, p2), p1 - p2,
           problem);
  const Eigen::AngleAxisd error(target.q * X_W2.q.conjugate());
  std::vector<Port> ports;
  if (structure.mover[equality.object1] >= 0) {
    ports.push_back(rotation_port(structure, equality.object1, Matrix3d::Identity()));
  }
  if (structure.mover[equality.object2] >= 0) {
    ports.push_back(rotation_port(structure, equality.object2, -Matrix3d::Identity()));
  }
  if (structure.mover[equality.object1] == structure.mover[equality.object2]) ports.clear();
  add_rows(3, ports, error.angle() * error.axis(), problem);
}

// y - y0 = P(x - x0): the row is dy/dt - P'(x - x0) dx/dt.
struct Coupled {
  double offset = 0;  // from the value at qpos0
  std::vector<int> dofs;
  std::vector<double> rates;
};

Coupled coupled_joint(const Model& model, const VectorXd& qpos, int joint_index) {
  const Joint& joint = model.joints[joint_index];
  return {qpos[joint.qpos_begin] - model.qpos0[joint.qpos_begin], {joint.dof_begin}, {1}};
}

Coupled coupled_tendon(const Model& model, const VectorXd& qpos, int tendon_index) {
  const Tendon& tendon = model.tendons[tendon_index];
  Coupled coupled;
  for (size_t k = 0; k < tendon.joints.size(); ++k) {
    const Joint& joint = model.joints[tendon.joints[k]];
    coupled.offset += tendon.coefs[k] * (qpos[joint.qpos_begin] - model.qpos0[joint.qpos_begin]);
    coupled.dofs.push_back(joint.dof_begin);
    coupled.rates.push_back(tendon.coefs[k]);
  }
  return coupled;
}

void add_coupling(const Coupled& y, const Coupled& x, const Equality& equality, Problem& problem) {
  double value = 0;
  double slope = 0;
  for (int k = 4; k >= 0; --k) {
    slope = slope * x.offset + value;
    value = value * x.offset + equality.polycoef[k];
  }
  std::vector<int> dofs = y.dofs;
  std::vector<Vector3d> columns;
  for (double rate : y.rates) columns.emplace_back(rate, 0, 0);
  for (size_t k = 0; k < x.dofs.size(); ++k) {
    dofs.push_back(x.dofs[k]);
    columns.emplace_back(-slope * x.rates[k], 0, 0);
  }
  if (dofs.empty()) return;
  add_rows(1, {problem.dof_port(dofs, columns)}, Vector3d(y.offset - value, 0, 0), problem);
}

}  // namespace

void add_equality(const Model& model, const Structure& structure, const TreeData& tree,
                  const VectorXd& qpos, const Equality& equality, Problem& problem) {
  switch (equality.type) {
    case EqualityType::kConnect:
      add_connect(structure, tree, equality, problem);
      return;
    case EqualityType::kWeld:
      add_weld(structure, tree, equality, problem);
      return;
    case EqualityType::kJoint:
      add_coupling(coupled_joint(model, qpos, equality.object1),
                   equality.object2 >= 0 ? coupled_joint(model, qpos, equality.object2) : Coupled{},
                   equality, problem);
      return;
    case EqualityType::kTendon:
      add_coupling(
          coupled_tendon(model, qpos, equality.object1),
          equality.object2 >= 0 ? coupled_tendon(model, qpos, equality.object2) : Coupled{},
          equality, problem);
      return;
  }
}

void assemble_equalities(const Model& model, const Structure& structure, const TreeData& tree,
                         const VectorXd& qpos, const std::vector<char>& active, Problem& problem) {
  problem.constraints.clear();
  problem.ports.clear();
  problem.port_dofs.clear();
  problem.port_columns.clear();
  problem.e.resize(0);
  for (size_t k = 0; k < model.equalities.size(); ++k) {
    if (active[k]) add_equality(model, structure, tree, qpos, model.equalities[k], problem);
  }
}

}  // namespace stiction
