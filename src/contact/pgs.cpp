#include "contact/pgs.h"

#include <cmath>
#include <limits>

#include "contact/columns.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kSweepsUntilRefresh = 100;

// Fletcher-Reeves on the changes of whole sweeps.
class ConjugateDirection {
 public:
  ConjugateDirection(const Problem& problem, const VectorXd& masses)
      : lambda_before_(VectorXd::Zero(problem.n_c())),
        v_before_(VectorXd::Zero(ConstraintColumns::padded(problem.n()))),
        p_(lambda_before_),
        p_v_(v_before_),
        weight_(problem.n_c()) {
    for (int i = 0; i < masses.size(); ++i) {
      const Constraint& constraint = problem.constraints[i];
      weight_.segment(constraint.row_begin, constraint.rows).setConstant(1 / masses[i]);
    }
  }

  void before_sweep(const VectorXd& lambda, const VectorXd& v) {
    lambda_before_ = lambda;
    v_before_ = v;
  }

  void after_sweep(VectorXd& lambda, VectorXd& v) {
    lambda_before_ = lambda - lambda_before_;  // from here on, the changes
    v_before_ = v - v_before_;
    const double norm = lambda_before_.dot(weight_.cwiseProduct(lambda_before_));
    const double c = norm_before_ > 0 ? norm / norm_before_ : 2;
    norm_before_ = norm;
    if (c > 1) {
      p_.setZero();
      p_v_.setZero();
      return;
    }
    lambda += c * p_;
    v += c * p_v_;
    p_ = c * p_ + lambda_before_;
    p_v_ = c * p_v_ + v_before_;
  }

 private:
  VectorXd lambda_before_, v_before_;
  VectorXd p_, p_v_;
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

void solve_pgs(const Problem& problem, const DynamicsFactor& factor, const PgsOptions& options,
               const Start& start, Monitor& monitor) {
  const int count = static_cast<int>(problem.constraints.size());
  const ConstraintColumns columns(problem, factor);
  VectorXd lambda = start.lambda;
  VectorXd v = VectorXd::Zero(ConstraintColumns::padded(problem.n()));
  std::vector<double> gamma(count, 0);
  ConjugateDirection direction(problem, monitor.evaluator().masses());
  VectorXd v_frozen = v;
  VectorXd Jv(problem.n_c());
  const auto relax_constraint = [&](int i, const OneConstraint& alone, const VectorXd& v_seen) {
    const Constraint& constraint = problem.constraints[i];
    if (columns.only_dof(i) >= 0) {
      double& lambda_i = lambda[constraint.row_begin];
      const double before = lambda_i;
      lambda_i = alone.solve_row(columns.row_velocity(i, v_seen), before);
      if (lambda_i != before) columns.add_row(i, lambda_i - before, v);
      return;
    }
    const Vector3d before = rows_of(constraint, lambda);
    const Vector3d after = alone.solve(columns.velocity(i, v_seen), before, gamma[i]);
    if (after == before) return;
    set_rows(constraint, after, lambda);
    columns.add(i, after - before, v);
  };
  // The residual by v as it is; where that seems to do, and every now and then, by v anew, free of
  // the round-off of many small changes.
  const auto measure = [&](int sweep) {
    columns.multiply_J(v, Jv);
    const double residual = monitor.evaluator().scaled_at(lambda, Jv);
    if (sweep % kSweepsUntilRefresh != 0 && residual > monitor.tolerance()) {
      return monitor.should_stop(lambda, residual, sweep, 0);
    }
    const bool stop = monitor.should_stop(lambda, sweep, 0);
    v.head(problem.n()) = monitor.evaluator().v();
    return stop;
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
      v_frozen = v;
      for (int i = 0; i < count; ++i) relax_constraint(i, columns.sharing(i), v_frozen);
      continue;
    }
    if (options.accelerate) direction.before_sweep(lambda, v);
    for (int i = 0; i < count; ++i) relax_constraint(i, columns.alone(i), v);
    if (options.accelerate) direction.after_sweep(lambda, v);
  }
}

}  // namespace stiction
