#include "sim/recover.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/jacobian.h"
#include "contact/solvers.h"
#include "sim/limits.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// The displacement need not be exact: what is left is recovered in the next step. No constraint may
// be off by more than this share of the largest speed asked for.
constexpr double kTolerance = 0.01;
constexpr int kSweeps = 200;

// Per constraint: whether others connect it to a contact that must be recovered.
class Islands {
 public:
  explicit Islands(const Problem& problem) : problem_(problem), parent_(problem.subsystems.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int s = 0; s < static_cast<int>(problem.subsystems.size()); ++s) {
      const Subsystem& subsystem = problem.subsystems[s];
      of_dof_.insert(of_dof_.end(), subsystem.dof_count, s);
    }
    for (const Constraint& constraint : problem.constraints) {
      const int first = root(constraint);
      for (int p = 0; p < constraint.port_count; ++p) {
        const Port& port = problem.ports[constraint.port_begin + p];
        if (port.body >= 0) parent_[find(of_dof_[problem.bodies[port.body].dof_begin])] = first;
        for (int k = 0; k < port.entry_count; ++k) {
          parent_[find(of_dof_[problem.port_dofs[port.entry_begin + k]])] = first;
        }
      }
    }
  }

  /// The island that the constraint belongs to.
  int root(const Constraint& constraint) {
    const Port& port = problem_.ports[constraint.port_begin];
    return find(of_dof_[port.body >= 0 ? problem_.bodies[port.body].dof_begin
                                       : problem_.port_dofs[port.entry_begin]]);
  }

 private:
  int find(int s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }

  const Problem& problem_;
  std::vector<int> parent_;  ///< of subsystems
  std::vector<int> of_dof_;  ///< subsystem of each dof
};

// The frictionless position problem with the constraints of the islands where a contact is deep.
class Positions {
 public:
  /// At most `fastest`, and the share of the depth, may be recovered.
  Positions(const Problem& problem, const VectorXd& Jv, double h, double share, double fastest)
      : problem_(problem), Jv_(Jv), h_(h), share_(share), fastest_(fastest) {
    result.subsystems = problem.subsystems;
    result.bodies = problem.bodies;
    result.S = problem.S;
    result.D = problem.D;
    result.sparse_blocks = problem.sparse_blocks;
    result.b.setZero(problem.n());
    result.port_dofs = problem.port_dofs;
    result.port_columns = problem.port_columns;
    e_.reserve(problem.constraints.size());
  }

  void add(const Constraint& constraint, double gap_now) {
    Constraint copy = constraint;
    const int row = constraint.row_begin;
    switch (constraint.type) {
      case ConstraintType::kContact: {
        const double gap = gap_now + h_ * Jv_[row + 2];
        const double depth = -gap - kRecoverySlop;
        const double speed = std::min(share_ * depth / h_, fastest_);
        copy.type = ConstraintType::kUnilateral;
        copy.rows = 1;
        push(copy, 2, depth > 0 ? -speed : std::max(gap, 0.0) / h_);
        largest_speed = std::max(largest_speed, speed);
        break;
      }
      case ConstraintType::kJointLimit: {
        copy.lower = std::min(constraint.lower - Jv_[row], 0.0);
        copy.upper = std::max(constraint.upper - Jv_[row], 0.0);
        const double depth = -gap_now - kRecoverySlop;
        if (depth > 0) {  // outside: back to the limit that is at hand
          const double speed = std::min(share_ * depth / h_, fastest_);
          const bool below = constraint.lower == 0;
          (below ? copy.lower : copy.upper) = below ? speed : -speed;
          largest_speed = std::max(largest_speed, speed);
        }
        push(copy, 0, 0);
        break;
      }
      case ConstraintType::kUnilateral:
        push(copy, 0, std::max(problem_.e[row] + Jv_[row], 0.0));
        break;
      case ConstraintType::kEquality:
        push(copy, 0, 0);
        break;
      case ConstraintType::kJointFriction:
      case ConstraintType::kSoft:
        break;
    }
  }

  const Problem& finish() {
    result.e = Eigen::Map<const VectorXd>(e_.data(), static_cast<Eigen::Index>(e_.size()));
    return result;
  }

  Problem result;
  double largest_speed = 0;

 private:
  // The constraint with its ports, whose rows begin at `from` of the old ones.
  void push(Constraint constraint, int from, double offset) {
    const int ports = constraint.port_begin;
    constraint.row_begin = static_cast<int>(e_.size());
    constraint.port_begin = static_cast<int>(result.ports.size());
    for (int p = 0; p < constraint.port_count; ++p) {
      Port port = problem_.ports[ports + p];
      if (from > 0) {
        port.block.row(0) = port.block.row(from);
        port.block.bottomRows<2>().setZero();
      }
      result.ports.push_back(port);
    }
    e_.insert(e_.end(), constraint.rows, offset);
    result.constraints.push_back(constraint);
  }

  const Problem& problem_;
  const VectorXd& Jv_;
  double h_;
  double share_;
  double fastest_;
  std::vector<double> e_;
};

}  // namespace

void add_recovery(const RecoverInput& input, const Solution& solution, std::int64_t step,
                  const SimulationOptions& options, VectorXd& v) {
  const Problem& problem = input.problem;
  const std::vector<ConstraintSource>& sources = input.sources;
  VectorXd gaps = VectorXd::Zero(static_cast<Eigen::Index>(sources.size()));
  for (size_t i = 0; i < sources.size(); ++i) {
    const SourceKind kind = sources[i].kind;
    if (kind == SourceKind::kContact) gaps[i] = input.contacts[sources[i].index].gap;
    if (kind == SourceKind::kJointLimit || kind == SourceKind::kTendonLimit) {
      gaps[i] = limit_gap(input.model, input.qpos, sources[i]);
    }
  }
  const double deepest = gaps.size() > 0 ? -gaps.minCoeff() : 0;
  const int steps = deepest < kVisibleDepth ? kRecoveryPeriod : 1;
  if (deepest <= kRecoveryDepth || step % steps != 0) return;
  const double share = 1 - std::pow(1 - options.recovery_share, steps);

  Islands islands(problem);
  std::vector<char> deep(problem.subsystems.size(), 0);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (gaps[i] < -kRecoveryDepth) deep[islands.root(problem.constraints[i])] = 1;
  }
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd Jv(problem.n_c());
  multiply_J(problem, solution.v, V, Jv);
  Positions positions(problem, Jv, input.h, share, steps * options.recovery_speed);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (deep[islands.root(problem.constraints[i])]) {
      positions.add(problem.constraints[i], gaps[i]);
    }
  }
  Solution recovery;
  Budget budget;
  budget.tolerance = kTolerance * positions.largest_speed / static_cast<double>(sources.size());
  budget.max_iterations = kSweeps;
  budget.threads = options.budget.threads;
  if (!(positions.largest_speed > 0)) return;
  // Without friction, and so roughly, sweeps do.
  solve_with(positions.finish(), PgsOptions{.acceleration = SweepAcceleration::kAnderson}, budget,
             false, recovery);
  if (recovery.v.allFinite()) v += recovery.v;
}

}  // namespace stiction
