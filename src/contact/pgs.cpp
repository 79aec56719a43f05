#include "contact/pgs.h"

#include <cmath>
#include <limits>

#include "contact/jacobian.h"
#include "contact/one_constraint.h"
#include "contact/root_rows.h"
#include "contact/sweep_packs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kSweepsUntilRefresh = 100;
constexpr int kSweepsUntilTime = 10;  // is looked at: fewer would not hold bodies up

// Fletcher-Reeves on the changes of whole sweeps.
class ConjugateDirection {
 public:
  ConjugateDirection(const VectorXd& weights, int width)
      : lambda_before_(VectorXd::Zero(weights.size())),
        w_before_(VectorXd::Zero(width)),
        p_(lambda_before_),
        p_w_(w_before_),
        weight_(weights) {}

  void before_sweep(const VectorXd& lambda, const VectorXd& w) {
    lambda_before_ = lambda;
    w_before_ = w;
  }

  /// Goes on along p, unless the sweep changed less than `enough`: then lambda is to stay as the
  /// sweep left it, exactly inside the cones.
  void after_sweep(double enough, VectorXd& lambda, VectorXd& w) {
    lambda_before_ = lambda - lambda_before_;  // from here on, the changes
    w_before_ = w - w_before_;
    const double norm = lambda_before_.dot(weight_.cwiseProduct(lambda_before_));
    change_ = weight_.cwiseProduct(lambda_before_).norm();
    const double c = norm_before_ > 0 ? norm / norm_before_ : 2;
    norm_before_ = norm;
    if (c > 1 || change_ <= enough) {
      p_.setZero();
      p_w_.setZero();
      return;
    }
    lambda += c * p_;
    w += c * p_w_;
    p_ = c * p_ + lambda_before_;
    p_w_ = c * p_w_ + w_before_;
  }

  /// |change of lambda_i / m_i| of the last sweep, m/s.
  double change() const { return change_; }

 private:
  VectorXd lambda_before_, w_before_;
  VectorXd p_, p_w_;
  VectorXd weight_;  ///< 1 / m_i: squares of changes are energies
  double norm_before_ = 0;
  double change_ = std::numeric_limits<double>::infinity();
};

// Sweeps to the tolerance, if `sweeps` more bring the residual down as they did from `before`.
double sweeps_to_go(double tolerance, double residual, double before, int sweeps) {
  const double rate = std::log(residual / before) / sweeps;
  return rate < 0 ? std::log(tolerance / residual) / rate : std::numeric_limits<double>::infinity();
}

// A sweep of Jacobi's kind.
void share_loads(const Problem& problem, const RootRows& rows, VectorXd& lambda, VectorXd& w) {
  const VectorXd w_before = w;
  for (int i = 0; i < rows.count(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    const OneConstraint one(constraint, rows.e(i), rows.shared_W(i));
    const Vector3d before = rows_of(constraint, lambda);
    double gamma = 0;
    const Vector3d after = one.solve(rows.velocity(i, w_before), before, gamma);
    set_rows(constraint, after, lambda);
    rows.add(i, after - before, w);
  }
}

}  // namespace

void solve_pgs(const Problem& problem, const DynamicsFactor&, const PgsOptions& options,
               const Start& start, Monitor& monitor) {
  const RootRows& rows = monitor.evaluator().rows();
  SweepPacks packs(problem, rows);
  VectorXd packed = packs.pack(start.lambda);
  VectorXd lambda = start.lambda;
  VectorXd w(rows.width());
  ConjugateDirection direction(packs.packed_weights(), rows.width());
  // The residual by w as it is; where that seems to do, and every now and then, by w anew, free of
  // the round-off of many small changes.
  const auto measure = [&](int sweep) {
    packs.unpack(packed, lambda);
    if (sweep % kSweepsUntilRefresh == 0) rows.move_to(lambda, w);
    const double residual = packs.residual(packed, w);
    if (residual > monitor.tolerance()) return monitor.should_stop(lambda, residual, sweep, 0);
    if (monitor.should_stop(lambda, sweep, 0)) return true;
    rows.move_to(lambda, w);
    return false;
  };
  double judged = 0;  // residual when the rate was last looked at
  const double enough = monitor.tolerance() * rows.count();
  for (int sweep = 0;; ++sweep) {
    const double about = direction.change() / rows.count();  // the residual one sweep ago, roughly
    const bool at_end = sweep >= monitor.max_iterations() ||
                        (sweep % kSweepsUntilTime == 0 && monitor.out_of_time());
    const bool to_measure = sweep % options.measure_every == 0;
    if (to_measure || direction.change() <= enough || at_end) {
      if (measure(sweep)) return;
    }
    if (options.within > 0 && sweep % options.judge_every == 0) {
      const double residual = to_measure ? monitor.residual() : about;
      if (sweep > 0 && sweeps_to_go(monitor.tolerance(), residual, judged, options.judge_every) >
                           options.within) {
        measure(sweep);
        return;
      }
      judged = residual;
    }
    if (sweep < options.shared) {
      share_loads(problem, rows, lambda, w);
      packed = packs.pack(lambda);
      continue;
    }
    if (options.accelerate) direction.before_sweep(packed, w);
    packs.sweep(packed, w);
    if (options.accelerate) direction.after_sweep(enough, packed, w);
  }
}

}  // namespace stiction
