#include "sim/dynamics.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Angles that a body turns within a step, rad: from the first on its tree counts as fast, and from
// the second on the mean velocity is looked for in so many rounds.
constexpr double kFastTurn = 1e-3;
constexpr double kVeryFastTurn = 0.1;
constexpr int kRounds = 3;

// Of the midpoint rule for free bodies: Newton steps at most, and the relative change that ends
// them.
constexpr int kGyroscopicRounds = 8;
constexpr double kGyroscopicEnough = 1e-9;
// Newton's method does not converge if a body turns by more than a few rad in the step: then the
// step is cut so that it does not, up to so many parts.
constexpr double kMostTurn = 2;
constexpr int kMostParts = 10000;

bool is_free_body(const Subsystem& subsystem) {
  return subsystem.body_count == 1 && subsystem.dof_count == 6;
}

Matrix3d skew(const Vector3d& a) {
  Matrix3d S;
  S << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return S;
}

// Joint springs and dampers on the left; b loses the damping that passive forces contain, and of
// their springs at q + theta h v what is not at q + (1 - theta) h v_hat.
void add_implicit_joints(const TreeConstants& joints, const VectorXd& qvel, double h, double theta,
                         Problem& problem) {
  const double later = (1 - theta) * h;
  problem.D += later * joints.damping + later * later * joints.stiffness;
  problem.b += later * joints.damping.cwiseProduct(qvel);
  if (theta == 0) return;
  const double sooner = theta * h;
  problem.b += sooner * sooner * joints.stiffness.cwiseProduct(qvel);
}

// Euler's equations of a free body by the midpoint rule, I d + h w x I w = 0 with w = omega + d /
// 2, which keeps the energy: w . I d = 0. Explicitly it would grow, fully implicitly it would fall.
Vector3d change_of_part(const Matrix3d& I, const Vector3d& omega, double h) {
  Vector3d d = Vector3d::Zero();
  for (int round = 0; round < kGyroscopicRounds; ++round) {  // Newton's method
    const Vector3d w = omega + 0.5 * d;
    const Vector3d L = I * w;
    const Matrix3d slope = I + 0.5 * h * (skew(w) * I - skew(L));
    const Vector3d more = slope.partialPivLu().solve(Vector3d(I * d + h * w.cross(L)));
    d -= more;
    if (more.squaredNorm() <= kGyroscopicEnough * kGyroscopicEnough * omega.squaredNorm()) break;
  }
  return d;
}

Vector3d gyroscopic_change(const Matrix3d& I, const Vector3d& omega, double h) {
  const double turns = h * omega.norm() / kMostTurn;
  if (!(turns > 1)) return change_of_part(I, omega, h);
  const int parts = static_cast<int>(std::ceil(std::min<double>(turns, kMostParts)));
  Vector3d d = Vector3d::Zero();
  for (int k = 0; k < parts; ++k) d += change_of_part(I, omega + d, h / parts);
  return d;
}

// Of a free body about its centre of mass.
struct Spin {
  double m = 0;
  Vector3d c = Vector3d::Zero();  // from O
  Matrix3d I = Matrix3d::Zero();
};

Spin spin_of(const Matrix6d& H) {
  Spin spin;
  spin.m = H(0, 0);
  spin.c = Vector3d(H(5, 1), H(3, 2), H(4, 0)) / spin.m;
  spin.I = H.bottomRightCorner<3, 3>() + spin.m * skew(spin.c) * skew(spin.c);
  return spin;
}

// Adds a wrench to b, which the bias has then.
void add_impulse(const Subsystem& subsystem, const Vector6d& impulse, double h, TreeData& tree,
                 const Matrix6Xd& S, VectorXd& b) {
  for (int d = subsystem.dof_begin; d < subsystem.dof_begin + 6; ++d) {
    const double more = S.col(d).dot(impulse);
    b[d] += more;
    tree.bias[d] -= more / h;
  }
}

// Free bodies turn about their centres of mass (pivots.h), without a centrifugal force.
void stabilize_gyroscopic(const Model& model, const Structure& structure, double h, TreeData& tree,
                          DynamicsMemory& memory, Problem& problem) {
  memory.free_bodies.clear();
  memory.gyroscopic.resize(3, static_cast<Eigen::Index>(problem.bodies.size()));
  for (const Subsystem& subsystem : problem.subsystems) {
    if (!is_free_body(subsystem)) continue;
    const int k = subsystem.body_begin;
    const int b = structure.model_body[k];
    if (model.joints[model.bodies[b].joint_begin].type != JointType::kFree) continue;
    const auto [m, c, I] = spin_of(problem.bodies[k].H);
    const Vector3d omega = tree.V[b].tail<3>();
    memory.free_bodies.push_back(k);
    memory.gyroscopic.col(k) = I * gyroscopic_change(I, omega, h);
    // The bias has the explicit ones.
    const Vector3d centrifugal = h * m * omega.cross(omega.cross(c));
    Vector6d correction;
    correction << centrifugal,
        c.cross(centrifugal) + memory.gyroscopic.col(k) + h * omega.cross(I * omega);
    add_impulse(subsystem, correction, h, tree, problem.S, problem.b);
  }
}

// The largest angular speed of a body of the subsystem; 0 for a free body, which is looked after.
double fastest_turn(const Structure& structure, const TreeData& tree, const Subsystem& subsystem) {
  if (is_free_body(subsystem)) return 0;
  double squared = 0;
  for (int b = subsystem.body_begin; b < subsystem.body_begin + subsystem.body_count; ++b) {
    squared = std::max(squared, tree.V[structure.model_body[b]].tail<3>().squaredNorm());
  }
  return std::sqrt(squared);
}

// Coriolis and centrifugal forces of fast trees at the mean velocity of the step, as far as it is
// known without constraints and servos: at its start they gain energy, half of h^2 c M^-1 c per
// step. Turned by 0.1 rad per step, a box on a ball joint keeps its energy to 1e-5 per second;
// taken explicitly it has ten times as much after 4 s. With theta > 0 all trees that turn count as
// very fast: the step with theta = 1/2 is reversible only as far as the mean is right, and with one
// round a double pendulum gained ten times as much energy.
void center_coriolis(const Model& model, const Structure& structure, const VectorXd& qvel, double h,
                     double theta, TreeData& tree, DynamicsMemory& memory, Problem& problem) {
  auto& [V, momentum, Vdot0, bias, b, v, mean, fast, free_bodies, gyroscopic] = memory;
  double fastest = 0;
  fast.clear();
  for (const Subsystem& subsystem : problem.subsystems) {
    const double turn = h * fastest_turn(structure, tree, subsystem);
    if (turn > (theta > 0 ? 0 : kFastTurn)) fast.push_back(&subsystem);
    fastest = std::max(fastest, turn);
  }
  if (fast.empty()) return;
  compute_mass_matrix(model, tree);
  for (int d = 0; d < problem.n(); ++d) {
    tree.M[tree.layout.row_begin[d + 1] - 1] += problem.D[d] - tree.constants.armature[d];
  }
  factorize(tree);
  V = tree.V;
  momentum = tree.momentum;
  Vdot0 = tree.Vdot0;
  bias = tree.bias;
  b = problem.b;
  const int rounds = theta > 0 || fastest > kVeryFastTurn ? kRounds : 1;
  for (int round = 0; round < rounds; ++round) {
    v = problem.b;
    solve_in_place(tree, v);
    mean = 0.5 * (qvel + v);
    update_velocity(model, mean, tree);
    compute_bias(model, tree);
    for (const Subsystem* subsystem : fast) {
      const auto part = Eigen::seqN(subsystem->dof_begin, subsystem->dof_count);
      problem.b(part) = b(part) + h * (bias(part) - tree.bias(part));
    }
  }
  if (problem.b.allFinite()) {
    for (const Subsystem* subsystem : fast) {
      const auto part = Eigen::seqN(subsystem->dof_begin, subsystem->dof_count);
      bias(part) = tree.bias(part);
    }
  } else {
    problem.b = b;
  }
  std::swap(tree.V, V);
  std::swap(tree.momentum, momentum);
  std::swap(tree.Vdot0, Vdot0);
  std::swap(tree.bias, bias);
}

}  // namespace

bool center_gyroscopic(const Structure& structure, const std::vector<char>& tied,
                       const Matrix6Xd& V, double h, DynamicsMemory& memory, TreeData& tree,
                       const Problem& problem, VectorXd& b) {
  bool changed = false;
  for (const int k : memory.free_bodies) {
    const int s = structure.subsystem[k];
    if (!tied[s]) continue;
    const Matrix3d I = spin_of(problem.bodies[k].H).I;
    const Vector3d omega = tree.V[structure.model_body[k]].tail<3>();
    const Vector3d mean = 0.5 * (omega + V.col(k).tail<3>());
    const Vector3d gyroscopic = -h * mean.cross(I * mean);
    Vector6d change = Vector6d::Zero();
    change.tail<3>() = gyroscopic - memory.gyroscopic.col(k);
    changed |= change.norm() > kGyroscopicEnough * (I * omega).norm();
    memory.gyroscopic.col(k) = gyroscopic;
    add_impulse(problem.subsystems[s], change, h, tree, problem.S, b);
  }
  return changed;
}

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
                       const VectorXd& applied, double h, double theta, TreeData& tree,
                       DynamicsMemory& memory, Problem& problem) {
  assemble_masses(structure, tree, problem);
  generalized_momentum(model, qvel, tree, problem.b);
  problem.b += h * (tree.passive + tree.actuation + applied - tree.bias);
  if (model.options.passive_enabled) {
    add_implicit_joints(tree.constants, qvel, h, theta, problem);
  }
  stabilize_gyroscopic(model, structure, h, tree, memory, problem);
  center_coriolis(model, structure, qvel, h, theta, tree, memory, problem);
}

}  // namespace stiction
