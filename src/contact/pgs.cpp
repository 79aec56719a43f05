#include "contact/pgs.h"

#include <cmath>
#include <limits>

#include "contact/accelerate_sweeps.h"
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
    const OneConstraint one(constraint, rows.e(i), made_regular(rows.shared_W(i)));
    const Vector3d before = rows_of(constraint, lambda);
    double gamma = 0;
    const Vector3d after = one.solve(rows.velocity(i, w_before), before, gamma);
    set_rows(constraint, after, lambda);
    rows.add(i, after - before, w);
  }
}

// The loop, with what accelerates it: `direction` is null, or of accelerate_sweeps.h.
template <class Direction>
void sweep_until_done(const Problem& problem, const PgsOptions& options, const Start& start,
                      SweepPacks& packs, Direction* direction, Monitor& monitor) {
  const RootRows& rows = monitor.evaluator().rows();
  VectorXd packed = packs.pack(start.lambda);
  VectorXd lambda = start.lambda;
  VectorXd w(rows.width());
  // The residual, by w anew every now and then and where a sweep changed next to nothing, free of
  // the round-off of many small changes.
  const auto measure = [&](int sweep, bool anew) {
    packs.unpack(packed, lambda);
    if (anew || sweep % kSweepsUntilRefresh == 0) rows.move_to(lambda, w);
    return monitor.should_stop(lambda, packs.residual(packed, w), sweep, 0);
  };
  double judged = 0;  // residual when the rate was last looked at
  const double enough = monitor.tolerance() * rows.count();
  for (int sweep = 0;; ++sweep) {
    const double change = direction ? direction->change() : std::numeric_limits<double>::infinity();
    const bool at_end = sweep >= monitor.max_iterations() ||
                        (sweep % kSweepsUntilTime == 0 && monitor.out_of_time());
    const bool to_measure = sweep % options.measure_every == 0;
    if (sweep == 0 && std::isfinite(monitor.best_residual())) {
      rows.move_to(lambda, w);  // the caller has measured it
    } else if (to_measure || change <= enough || at_end) {
      if (measure(sweep, change <= enough || at_end)) return;
    }
    if (options.within > 0 && sweep % options.judge_every == 0) {
      // A sweep's change is roughly the residual before it.
      const double residual = to_measure ? monitor.residual() : change / rows.count();
      if (sweep > 0 && sweeps_to_go(monitor.tolerance(), residual, judged, options.judge_every) >
                           options.within) {
        measure(sweep, true);
        return;
      }
      judged = residual;
    }
    if (sweep < options.shared) {
      share_loads(problem, rows, lambda, w);
      packed = packs.pack(lambda);
      continue;
    }
    if (direction) direction->before(packed, w);
    packs.sweep(packed, w);
    if (direction) direction->after(enough, packed, w);
  }
}

}  // namespace

void solve_pgs(const Problem& problem, const DynamicsFactor&, const PgsOptions& options,
               const Start& start, Monitor& monitor) {
  const RootRows& rows = monitor.evaluator().rows();
  SweepPacks packs(problem, rows);
  if (options.acceleration == SweepAcceleration::kAnderson) {
    AndersonSweeps anderson(packs.packed_weights(), rows.width());
    sweep_until_done(problem, options, start, packs, &anderson, monitor);
  } else {
    ConjugateSweeps conjugate(packs.packed_weights(), rows.width());
    const bool accelerated = options.acceleration == SweepAcceleration::kConjugateGradients;
    sweep_until_done(problem, options, start, packs, accelerated ? &conjugate : nullptr, monitor);
  }
}

}  // namespace stiction
