#include "contact/pgs.h"

#include <cmath>
#include <limits>

#include "contact/root_rows.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kSweepsUntilRefresh = 100;

// Fletcher-Reeves on the changes of whole sweeps.
class ConjugateDirection {
 public:
  ConjugateDirection(const Problem& problem, const VectorXd& masses, int width)
      : lambda_before_(VectorXd::Zero(problem.n_c())),
        w_before_(VectorXd::Zero(width)),
        p_(lambda_before_),
        p_w_(w_before_),
        weight_(problem.n_c()) {
    for (int i = 0; i < masses.size(); ++i) {
      const Constraint& constraint = problem.constraints[i];
      weight_.segment(constraint.row_begin, constraint.rows).setConstant(1 / masses[i]);
    }
  }

  void before_sweep(const VectorXd& lambda, const VectorXd& w) {
    lambda_before_ = lambda;
    w_before_ = w;
  }

  void after_sweep(VectorXd& lambda, VectorXd& w) {
    lambda_before_ = lambda - lambda_before_;  // from here on, the changes
    w_before_ = w - w_before_;
    const double norm = lambda_before_.dot(weight_.cwiseProduct(lambda_before_));
    const double c = norm_before_ > 0 ? norm / norm_before_ : 2;
    norm_before_ = norm;
    if (c > 1) {
      p_.setZero();
      p_w_.setZero();
      return;
    }
    lambda += c * p_;
    w += c * p_w_;
    p_ = c * p_ + lambda_before_;
    p_w_ = c * p_w_ + w_before_;
  }

 private:
  VectorXd lambda_before_, w_before_;
  VectorXd p_, p_w_;
  VectorXd weight_;  ///< 1 / m_i: squares of changes are energies
  double norm_before_ = 0;
};

// Sweeps to the tolerance, if `sweeps` more bring the residual down as they did from `before`.
double sweeps_to_go(const Monitor& monitor, double before, int sweeps) {
  const double rate = std::log(monitor.residual() / before) / sweeps;
  return rate < 0 ? std::log(monitor.tolerance() / monitor.residual()) / rate
                  : std::numeric_limits<double>::infinity();
}

}  // namespace

void solve_pgs(const Problem& problem, const DynamicsFactor&, const PgsOptions& options,
               const Start& start, Monitor& monitor) {
  const RootRows& rows = monitor.evaluator().rows();
  const int count = rows.count();
  std::vector<OneConstraint> alone;
  alone.reserve(count);
  for (int i = 0; i < count; ++i) alone.emplace_back(problem.constraints[i], rows.e(i), rows.W(i));
  VectorXd lambda = start.lambda;
  VectorXd w(rows.width());
  std::vector<double> gamma(count, 0);
  ConjugateDirection direction(problem, rows.masses(), rows.width());
  VectorXd w_frozen = w;
  VectorXd Jv(problem.n_c());
  const auto relax = [&](int i, const OneConstraint& one, const VectorXd& w_seen) {
    const Constraint& constraint = problem.constraints[i];
    if (rows.is_single(i)) {
      double& lambda_i = lambda[constraint.row_begin];
      const double before = lambda_i;
      lambda_i = one.solve_row(rows.row_velocity(i, w_seen), before);
      if (lambda_i != before) rows.add_row(i, lambda_i - before, w);
      return;
    }
    const Vector3d before = rows_of(constraint, lambda);
    const Vector3d after = one.solve(rows.velocity(i, w_seen), before, gamma[i]);
    if (after == before) return;
    set_rows(constraint, after, lambda);
    rows.add(i, after - before, w);
  };
  // The residual by w as it is; where that seems to do, and every now and then, by w anew, free of
  // the round-off of many small changes.
  const auto measure = [&](int sweep) {
    if (sweep % kSweepsUntilRefresh == 0) rows.move_to(lambda, w);
    rows.multiply(w, Jv);
    const double residual = monitor.evaluator().scaled_at(lambda, Jv);
    if (residual > monitor.tolerance()) return monitor.should_stop(lambda, residual, sweep, 0);
    rows.move_to(lambda, w);
    return monitor.should_stop(lambda, sweep, 0);
  };
  double judged = 0;  // residual when the rate was last looked at
  for (int sweep = 0;; ++sweep) {
    if (sweep % options.measure_every == 0 || sweep >= monitor.max_iterations()) {
      if (measure(sweep)) return;
      if (options.within > 0 && sweep % options.judge_every == 0) {
        if (sweep > 0 && sweeps_to_go(monitor, judged, options.judge_every) > options.within)
          return;
        judged = monitor.residual();
      }
    }
    if (sweep < options.shared) {
      w_frozen = w;
      for (int i = 0; i < count; ++i) {
        relax(i, {problem.constraints[i], rows.e(i), rows.shared_W(i)}, w_frozen);
      }
      continue;
    }
    if (options.accelerate) direction.before_sweep(lambda, w);
    for (int i = 0; i < count; ++i) relax(i, alone[i], w);
    if (options.accelerate) direction.after_sweep(lambda, w);
  }
}

}  // namespace stiction
