#include "contact/convex.h"

#include <algorithm>
#include <cmath>

#include "contact/canal.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// Soft constraints have a stiffness of their own: no other may add to it.
constexpr double kRigid = 1e8;

// beta_i and e'_n - e_n.
void set_softness(const Problem& problem, const ConvexOptions& options, const VectorXd& m,
                  VectorXd& beta, VectorXd& change) {
  const double timeconst = std::max(options.timeconst, 2 * options.h);
  const double stiffness = 1 / std::pow(options.d_width * timeconst * options.dampratio, 2);
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    double d = soft_impedance(options, 0);
    if (constraint.type == ConstraintType::kContact) {
      const double e_n = problem.e[constraint.row_begin + 2];
      const double gap = options.h * e_n;
      d = soft_impedance(options, gap);
      if (gap < 0) change[i] = options.h * d * stiffness * gap - e_n;
    }
    beta[i] = m[i] * (constraint.type == ConstraintType::kSoft ? kRigid : d / (1 - d));
  }
}

}  // namespace

double soft_impedance(const ConvexOptions& options, double gap) {
  const double x = std::min(std::abs(gap) / options.width, 1.0);
  const double y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
  return options.d_0 + y * (options.d_width - options.d_0);
}

void solve_convex(const Problem& problem, const DynamicsFactor& factor,
                  const ConvexOptions& options, const Start& start, Monitor& monitor) {
  Surrogate surrogate(problem, factor);
  surrogate.law = ContactLaw::kProximal;
  surrogate.v = start.v;
  surrogate.lambda_prev.setZero();
  VectorXd change = VectorXd::Zero(surrogate.beta.size());
  set_softness(problem, options, monitor.evaluator().masses(), surrogate.beta, change);
  surrogate.set_lagged_term(change);
  surrogate.update();
  int steps = 0;
  const double enough = options.newton_tolerance * monitor.tolerance();
  const bool solved = minimise(surrogate, enough, options.newton_iterations, steps);
  monitor.should_stop(surrogate.lambda, 1, steps);
  if (monitor.residual() <= monitor.tolerance()) return;
  monitor.settle_for(surrogate.lambda, solved ? Status::kRegularized : Status::kFailed);
}

}  // namespace stiction
