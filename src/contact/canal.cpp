#include "contact/canal.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linalg/anderson.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kLineSearchTolerance = 1e-3;

// |J v - z| = |lambda - lambda_prev| / beta.                                  [TRO25] (14)
double slack_gap(const Problem& problem, const Surrogate& surrogate) {
  double sum = 0;
  for (int i = 0; i < surrogate.beta.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    const Vector3d change =
        rows_of(constraint, surrogate.lambda) - rows_of(constraint, surrogate.lambda_prev);
    sum += change.squaredNorm() / (surrogate.beta[i] * surrogate.beta[i]);
  }
  return std::sqrt(sum);
}

}  // namespace

bool minimise(Surrogate& surrogate, double enough, int max_steps, int& steps) {
  double defect = surrogate.velocity_defect();
  for (int k = 0; k < max_steps && defect > enough; ++k) {
    ++steps;
    if (!surrogate.newton_direction()) return false;  // (24)-(26)
    const double slope = surrogate.first_slope();
    surrogate.step(exact_line_search(surrogate, slope, kLineSearchTolerance));  // (27)
    defect = surrogate.velocity_defect();
  }
  return defect <= enough;
}

void solve_canal(const Problem& problem, const DynamicsFactor& factor, const CanalOptions& options,
                 const Start& start, Monitor& monitor) {
  const int count = static_cast<int>(problem.constraints.size());
  Surrogate surrogate(problem, factor);
  surrogate.law = ContactLaw::kProximal;
  surrogate.v = start.v;
  surrogate.lambda_prev = start.lambda;
  VectorXd p = VectorXd::Zero(count);  // cold: z^0 = 0
  if (start.warm) {                    // z^0 = J v^0
    surrogate.update();
    surrogate.lambda = surrogate.lambda_prev;
    surrogate.lagged_term(p);
  }
  std::optional<Anderson> anderson;
  if (options.anderson > 0) anderson.emplace(count, options.anderson);
  VectorXd p_next = p;
  double beta = options.beta;
  double gap_prev = std::numeric_limits<double>::infinity();
  int factorizations = 0;
  for (int loop = 0; !monitor.should_stop(surrogate.lambda_prev, loop, factorizations); ++loop) {
    surrogate.beta.setConstant(beta);
    if (options.scale_beta) surrogate.beta.array() *= monitor.evaluator().masses().array();
    surrogate.set_lagged_term(p);  // (21)
    surrogate.update();
    const double enough = options.newton_tolerance * monitor.residual();
    if (!minimise(surrogate, enough, options.newton_iterations, factorizations)) {
      monitor.count_failed_loop();
    }
    surrogate.lagged_term(p_next);
    if (anderson) anderson->accelerate(p, p_next);
    p = p_next.cwiseMax(0);
    const double gap = slack_gap(problem, surrogate);
    surrogate.lambda_prev = surrogate.lambda;  // (13): u = -lambda
    if (gap > options.zeta * gap_prev) beta = std::min(options.kappa * beta, options.beta_max);
    gap_prev = gap;
  }
}

}  // namespace stiction
