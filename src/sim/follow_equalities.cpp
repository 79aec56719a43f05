#include "sim/follow_equalities.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <optional>
#include <vector>

#include "contact/dynamics.h"
#include "contact/islands.h"
#include "contact/jacobian.h"
#include "sim/close_loops.h"
#include "sim/equalities.h"
#include "sim/pivots.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// Changes of e that are not worth another solve: times the tolerance, and of e itself.
constexpr double kTolerances = 10;
constexpr double kShare = 1e-3;
// Of the kinetic energy: from the tangent to the chord it grows by a quarter of the angle's square.
constexpr double kMostWork = 0.1;
// Eigenvalues of J A^-1 J^T, of the largest one, that are rounding.
constexpr double kRounding = 1e-14;

// Takes out of e what no motion changes, such as a planar loop's part across its plane: it is
// rounding, and so is J there.
class MovableParts {
 public:
  explicit MovableParts(const Problem& problem)
      : factor_(problem), Y_(Eigen::Matrix4Xd::Zero(4, problem.n())) {}

  void keep(const Constraint& equality, Eigen::Ref<VectorXd> e) {
    factor_.root_columns(equality, Y_, slots_);
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    for (const int slot : slots_) {
      W += Y_.col(slot).head<3>() * Y_.col(slot).head<3>().transpose();
      Y_.col(slot).setZero();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(W);
    for (int k = 0; k < 3; ++k) {
      if (eigen.eigenvalues()[k] > kRounding * eigen.eigenvalues()[2]) continue;
      e -= eigen.eigenvectors().col(k).dot(e) * eigen.eigenvectors().col(k);
    }
  }

 private:
  DynamicsFactor factor_;
  Eigen::Matrix4Xd Y_;
  std::vector<int> slots_;
};

}  // namespace

bool let_go_of_equalities(Simulation::Impl& sim) {
  if (sim.phi.size() == 0 || sim.problem.e.tail(sim.phi.size()).isZero(0)) return false;
  const Problem& problem = sim.problem;
  const IslandLabels islands = label_islands(problem);
  const VectorXd& v = sim.state.qvel;
  Matrix6Xd W(6, problem.bodies.size());
  VectorXd Av(problem.n());
  multiply_A(problem, v, sim.V, W, Av);
  std::vector<double> left(islands.count, 0);  // of the work that is allowed
  for (size_t j = 0; j < problem.subsystems.size(); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    const auto dofs = Eigen::seqN(subsystem.dof_begin, subsystem.dof_count);
    left[islands.of_subsystem[j]] += kMostWork * v(dofs).dot(Av(dofs)) / 2;
  }
  const VectorXd mean = (v + sim.solution.v) / 2;
  body_twists(problem, mean, sim.V);
  const auto visit = [&](const auto& act) {
    for (size_t i = 0; i < sim.sources.size(); ++i) {
      if (sim.sources[i].kind != SourceKind::kEquality) continue;
      act(problem.constraints[i], left[islands.of_constraint[i]]);
    }
  };
  visit([&](const Constraint& equality, double& of_island) {
    of_island -= rows_of(equality, sim.solution.lambda)
                     .dot(constraint_velocity(problem, equality, mean, sim.V));
  });
  bool any = false;
  visit([&](const Constraint& equality, double of_island) {
    auto e = sim.problem.e.segment(equality.row_begin, equality.rows);
    if (of_island >= 0 || e.isZero(0)) return;
    e.setZero();
    any = true;
  });
  return any;
}

bool follow_equalities(Simulation::Impl& sim, const VectorXd& v) {
  if (sim.phi.size() == 0 || sim.theta_step || !v.allFinite()) return false;
  sim.qpos_next = sim.state.qpos;
  move_positions(sim.model, sim.structure, v, sim.h, sim.qpos_next);
  update_kinematics(sim.model, sim.qpos_next, sim.tree_next);
  assemble_equalities(sim.model, sim.structure, sim.tree_next, sim.qpos_next, sim.state.eq_active,
                      sim.loops);
  body_twists(sim.problem, v, sim.V);
  const size_t first = sim.problem.constraints.size() - sim.loops.constraints.size();
  std::optional<MovableParts> movable;
  double change = 0;
  double largest = 0;
  for (size_t i = 0; i < sim.loops.constraints.size(); ++i) {
    const int rows = sim.loops.constraints[i].rows;
    const int row = sim.loops.constraints[i].row_begin;
    const Constraint& equality = sim.problem.constraints[first + i];
    const auto phi = sim.phi.segment(row, rows);
    auto e = sim.problem.e.segment(equality.row_begin, rows);
    VectorXd bend = VectorXd::Zero(rows);
    if (phi.lpNorm<Eigen::Infinity>() <= kOpenLoop) {
      const Eigen::Vector3d Jv = constraint_velocity(sim.problem, equality, v, sim.V);
      bend = (sim.loops.e.segment(row, rows) - phi) / sim.h - Jv.head(rows);
      if (rows == 3 && !bend.isZero(0)) {
        if (!movable) movable.emplace(sim.problem);
        movable->keep(equality, bend);
      }
    }
    change = std::max(change, (bend - e).lpNorm<Eigen::Infinity>());
    largest = std::max(largest, bend.lpNorm<Eigen::Infinity>());
    e = bend;
  }
  return change > std::max(kTolerances * sim.options.budget.tolerance, kShare * largest);
}

}  // namespace stiction
