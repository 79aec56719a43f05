#include "sim/recover.h"

#include <algorithm>

#include "contact/jacobian.h"
#include "contact/solvers.h"

namespace stiction {

using Eigen::VectorXd;

VectorXd recovery_velocity(const Problem& problem, const Solution& solution,
                           const std::vector<ConstraintSource>& sources,
                           const std::vector<ContactForce>& contacts, double h,
                           const SimulationOptions& options) {
  VectorXd w = VectorXd::Zero(problem.n());
  const bool needed =
      std::any_of(contacts.begin(), contacts.end(),
                  [](const ContactForce& contact) { return contact.gap < -kRecoverySlop; });
  if (!needed) return w;

  Matrix6Xd V(6, problem.bodies.size());
  VectorXd Jv(problem.n_c());
  multiply_J(problem, solution.v, V, Jv);
  Problem positions = problem;
  positions.b.setZero();
  for (size_t i = 0; i < sources.size(); ++i) {
    Constraint& constraint = positions.constraints[i];
    const int row = constraint.row_begin;
    switch (constraint.type) {
      case ConstraintType::kContact: {
        const double gap = contacts[sources[i].index].gap + h * Jv[row + 2];
        const double depth = -gap - kRecoverySlop;
        const double speed = std::min(options.recovery_share * depth / h, options.recovery_speed);
        constraint.mu = 0;
        positions.e.segment<3>(row) << 0, 0, depth > 0 ? -speed : std::max(gap, 0.0) / h;
        break;
      }
      case ConstraintType::kJointLimit:
        constraint.lower = std::min(constraint.lower - Jv[row], 0.0);
        constraint.upper = std::max(constraint.upper - Jv[row], 0.0);
        break;
      case ConstraintType::kUnilateral:
        positions.e[row] = std::max(problem.e[row] + Jv[row], 0.0);
        break;
      case ConstraintType::kJointFriction:
        constraint.bound = 0;
        break;
      case ConstraintType::kEquality:
      case ConstraintType::kSoft:
        positions.e.segment(row, constraint.rows).setZero();
        break;
    }
  }
  Solution recovery;
  Budget budget = options.budget;
  budget.tolerance = std::max(budget.tolerance, 1e-8);
  solve_with(positions, solver_options(options.solver), budget, false, recovery);
  if (recovery.v.allFinite()) w = recovery.v;
  return w;
}

}  // namespace stiction
