#include "contact/canal.h"

#include <algorithm>
#include <cmath>

#include "contact/aitken.h"
#include "contact/line_search.h"
#include "contact/surrogate.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kLineSearchTolerance = 1e-3;

// p_i = mu_i |z_t + e_t| per constraint, zero for all but contacts.           [TRO25] (21)
void lagged_term(const Problem& problem, const VectorXd& z, VectorXd& p) {
  for (int i = 0; i < p.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    if (constraint.type != ConstraintType::kContact) continue;
    const int row = constraint.row_begin;
    p[i] = constraint.mu * std::hypot(z[row] + problem.e[row], z[row + 1] + problem.e[row + 1]);
  }
}

// e~ = e + p.
void add_lagged_term(const Problem& problem, const VectorXd& p, VectorXd& e) {
  e = problem.e;
  for (int i = 0; i < p.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    if (constraint.type == ConstraintType::kContact) e[constraint.row_begin + 2] += p[i];
  }
}

// z = J v + (u + lambda) / beta; returns |J v - z|.                           [TRO25] (14)
double slack(const Problem& problem, const Surrogate& surrogate, VectorXd& z) {
  for (int i = 0; i < surrogate.beta.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    const Vector3d change =
        rows_of(constraint, surrogate.lambda) - rows_of(constraint, surrogate.lambda_prev);
    set_rows(constraint, rows_of(constraint, surrogate.Jv) + change / surrogate.beta[i], z);
  }
  return (surrogate.Jv - z).norm();
}

}  // namespace

void solve_canal(const Problem& problem, const DynamicsFactor& factor, const CanalOptions& options,
                 const Start& start, Monitor& monitor) {
  const int count = static_cast<int>(problem.constraints.size());
  const VectorXd& m = monitor.evaluator().masses();
  Surrogate surrogate(problem, factor);
  surrogate.law = ContactLaw::kProximal;
  surrogate.v = start.v;
  surrogate.lambda_prev = start.lambda;
  surrogate.update();
  VectorXd z = start.warm ? surrogate.Jv : VectorXd::Zero(problem.n_c());
  VectorXd p = VectorXd::Zero(count);
  Aitken aitken(count);
  lagged_term(problem, z, p);
  double beta = options.beta;
  double gap_prev = std::numeric_limits<double>::infinity();
  int factorizations = 0;
  for (int loop = 0; !monitor.should_stop(surrogate.lambda_prev, loop, factorizations); ++loop) {
    surrogate.beta = options.scale_beta ? VectorXd(beta * m) : VectorXd::Constant(count, beta);
    add_lagged_term(problem, p, surrogate.e);
    surrogate.update();
    const double enough = options.newton_tolerance * monitor.residual();
    for (int k = 0; k < options.newton_iterations && surrogate.velocity_defect() > enough; ++k) {
      ++factorizations;
      if (!surrogate.newton_direction()) return monitor.set_status(Status::kFailed);  // (26)
      surrogate.step(exact_line_search(surrogate, kLineSearchTolerance));             // (27)
    }
    const double gap = slack(problem, surrogate, z);  // (14)
    surrogate.lambda_prev = surrogate.lambda;         // (13): u = -lambda
    lagged_term(problem, z, p);
    if (options.aitken) aitken.extrapolate(p);
    if (gap > options.zeta * gap_prev) beta = std::min(options.kappa * beta, options.beta_max);
    gap_prev = gap;
  }
}

}  // namespace stiction
