#include "sim/dynamics.h"

#include <Eigen/Dense>

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

Matrix3d skew(const Vector3d& a) {
  Matrix3d S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return S;
}

// Joint springs and dampers on the left; b loses the damping that passive forces contain.
void add_implicit_joints(const TreeConstants& joints, const VectorXd& qvel, double h,
                         Problem& problem) {
  problem.D += h * joints.damping + h * h * joints.stiffness;
  problem.b += h * joints.damping.cwiseProduct(qvel);
}

// A fast spinning free body: -omega x I omega taken implicitly, one Newton step of
// I d + h (omega + d) x I (omega + d) = 0, instead of explicitly, which gains energy.
void stabilize_gyroscopic(const Model& model, const Structure& structure, const TreeData& tree,
                          double h, Problem& problem) {
  for (const Subsystem& subsystem : problem.subsystems) {
    if (subsystem.body_count != 1 || subsystem.dof_count != 6) continue;
    const int b = structure.model_body[subsystem.body_begin];
    if (model.joints[model.bodies[b].joint_begin].type != JointType::kFree) continue;
    const Matrix6d& H = problem.bodies[subsystem.body_begin].H;
    const double m = H(0, 0);
    const Vector3d c = Vector3d(H(5, 1), H(3, 2), H(4, 0)) / m;
    const Matrix3d I = H.bottomRightCorner<3, 3>() + m * skew(c) * skew(c);
    const Vector3d omega = tree.V[b].tail<3>();
    const Vector3d L = I * omega;
    const Vector3d explicit_impulse = -h * omega.cross(L);
    const Matrix3d left = I + h * (skew(omega) * I - skew(L));
    const Vector3d correction = I * left.partialPivLu().solve(explicit_impulse) - explicit_impulse;
    for (int d = subsystem.dof_begin; d < subsystem.dof_begin + 6; ++d) {
      problem.b[d] += problem.S.col(d).tail<3>().dot(correction);
    }
  }
}

}  // namespace

void assemble_masses(const Structure& structure, const TreeData& tree, Problem& problem) {
  problem.S = tree.S;
  for (int b = 1; b < static_cast<int>(structure.mover.size()); ++b) {
    const int mover = structure.mover[b];
    if (mover < 0) continue;
    Matrix6d& H = problem.bodies[mover].H;
    if (structure.model_body[mover] == b) {
      H = tree.inertia[b].matrix();
    } else {
      H += tree.inertia[b].matrix();
    }
  }
  problem.D = tree.constants.armature;
}

void assemble_dynamics(const Model& model, const Structure& structure, const VectorXd& qvel,
                       const VectorXd& applied, double h, TreeData& tree, Problem& problem) {
  assemble_masses(structure, tree, problem);
  generalized_momentum(model, qvel, tree, problem.b);
  problem.b += h * (tree.passive + tree.actuation + applied - tree.bias);
  if (model.options.passive_enabled) {
    add_implicit_joints(tree.constants, qvel, h, problem);
  }
  stabilize_gyroscopic(model, structure, tree, h, problem);
}

}  // namespace stiction
