#include "sim/dynamics.h"

#include <Eigen/Dense>
#include <algorithm>

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

// Inertias of the problem's bodies about their tree's reference point, welded children included.
void assemble_inertias(const Model& model, const Structure& structure, const TreeData& tree,
                       Problem& problem) {
  for (ProblemBody& body : problem.bodies) body.H.setZero();
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
    if (structure.mover[b] < 0) continue;
    problem.bodies[structure.mover[b]].H += tree.inertia[b].matrix();
  }
}

// Joint springs and dampers on the left; b loses the damping that passive forces contain.
void add_implicit_joints(const Model& model, const VectorXd& qvel, double h, Problem& problem) {
  for (const Joint& joint : model.joints) {
    for (int d = joint.dof_begin; d < joint.dof_begin + joint.nv(); ++d) {
      problem.D[d] += joint.armature;
      if (!model.options.passive_enabled) continue;
      problem.D[d] += h * joint.damping + h * h * joint.stiffness;
      problem.b[d] += h * joint.damping * qvel[d];
    }
  }
}

// d force / d velocity and d force / d position of an affine actuator on a hinge or slide. Where
// the force is saturated both are zero: a clamped actuator is a constant force.
void add_implicit_actuators(const Model& model, const VectorXd& qpos, const VectorXd& qvel,
                            const VectorXd& ctrl, const VectorXd& act, double h, Problem& problem) {
  if (!model.options.actuation_enabled) return;
  int activation = 0;
  for (int k = 0; k < model.nu(); ++k) {
    const Actuator& actuator = model.actuators[k];
    double input = ctrl[k];
    if (actuator.activation != Activation::kNone) input = act[activation++];
    const bool on_joint = actuator.transmission == Transmission::kJoint ||
                          actuator.transmission == Transmission::kJointInParent;
    if (!on_joint || model.joints[actuator.target].nv() != 1) continue;
    const Joint& joint = model.joints[actuator.target];
    const int dof = joint.dof_begin;
    const double gear = actuator.gear[0];
    double f_q = actuator.bias_type == Bias::kAffine ? actuator.bias[1] : 0;
    double f_v = actuator.bias_type == Bias::kAffine ? actuator.bias[2] : 0;
    double gain = actuator.gain[0];
    if (model.options.clamp_ctrl_enabled && actuator.activation == Activation::kNone) {
      input = std::clamp(input, actuator.ctrl_range.lower, actuator.ctrl_range.upper);
    }
    const double length = gear * qpos[joint.qpos_begin];
    const double speed = gear * qvel[dof];
    if (actuator.gain_type == Gain::kAffine) {
      gain += actuator.gain[1] * length + actuator.gain[2] * speed;
      f_q += actuator.gain[1] * input;
      f_v += actuator.gain[2] * input;
    }
    double force = gain * input;
    if (actuator.bias_type == Bias::kAffine) {
      force += actuator.bias[0] + actuator.bias[1] * length + actuator.bias[2] * speed;
    }
    if (force <= actuator.force_range.lower || force >= actuator.force_range.upper) continue;
    const double f_left = -gear * gear * (h * h * f_q + h * f_v);
    if (!(f_left > 0)) continue;
    problem.D[dof] += f_left;
    problem.b[dof] -= h * gear * gear * f_v * qvel[dof];
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

void multiply_mass_matrix(const TreeData& tree, const VectorXd& x, VectorXd& y) {
  y.setZero(x.size());
  for (int i = 0; i < x.size(); ++i) {
    const int last = tree.layout.row_begin[i + 1] - 1;
    for (int k = tree.layout.row_begin[i]; k < last; ++k) {
      const int j = tree.layout.col[k];
      y[i] += tree.M[k] * x[j];
      y[j] += tree.M[k] * x[i];
    }
    y[i] += tree.M[last] * x[i];
  }
}

void assemble_dynamics(const Model& model, const Structure& structure, const TreeData& tree,
                       const VectorXd& qpos, const VectorXd& qvel, const VectorXd& ctrl,
                       const VectorXd& act, const VectorXd& applied, double h, Problem& problem) {
  problem.S = tree.S;
  problem.D.setZero();
  assemble_inertias(model, structure, tree, problem);
  multiply_mass_matrix(tree, qvel, problem.b);
  problem.b += h * (tree.passive + tree.actuation + applied - tree.bias);
  add_implicit_joints(model, qvel, h, problem);
  add_implicit_actuators(model, qpos, qvel, ctrl, act, h, problem);
  stabilize_gyroscopic(model, structure, tree, h, problem);
}

}  // namespace stiction
