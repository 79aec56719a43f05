#include "sim/dynamics.h"

#include <Eigen/Dense>

#include "contact/jacobian.h"

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
void add_implicit_joints(const Model& model, const VectorXd& qvel, double h, Problem& problem) {
  if (!model.options.passive_enabled) return;
  for (const Joint& joint : model.joints) {
    for (int d = joint.dof_begin; d < joint.dof_begin + joint.nv(); ++d) {
      problem.D[d] += h * joint.damping + h * h * joint.stiffness;
      problem.b[d] += h * joint.damping * qvel[d];
    }
  }
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

void assemble_masses(const Model& model, const Structure& structure, const TreeData& tree,
                     Problem& problem) {
  problem.S = tree.S;
  for (ProblemBody& body : problem.bodies) body.H.setZero();
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
    if (structure.mover[b] < 0) continue;
    problem.bodies[structure.mover[b]].H += tree.inertia[b].matrix();
  }
  for (const Joint& joint : model.joints) {
    problem.D.segment(joint.dof_begin, joint.nv()).setConstant(joint.armature);
  }
}

void assemble_dynamics(const Model& model, const Structure& structure, const TreeData& tree,
                       const VectorXd& qvel, const VectorXd& applied, double h, Problem& problem,
                       Matrix6Xd& V, Matrix6Xd& W) {
  assemble_masses(model, structure, tree, problem);
  multiply_A(problem, qvel, V, W, problem.b);
  problem.b += h * (tree.passive + tree.actuation + applied - tree.bias);
  add_implicit_joints(model, qvel, h, problem);
  stabilize_gyroscopic(model, structure, tree, h, problem);
}

}  // namespace stiction
