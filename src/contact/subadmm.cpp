#include "contact/subadmm.h"

#include <algorithm>
#include <limits>

#include "contact/subadmm_state.h"

namespace stiction {
namespace {

// Of the tolerance: a guess that is so much better needs no set-up.
constexpr double kGuessShare = 0.1;
// With the y-residual, the strict one is measured at least this often.
constexpr int kMeasureAnyway = 200;
// A measurement costs as much as five iterations; in long runs it is made after 1 / 20 more. Not
// with acceleration, whose iterates leap: the best one would be missed.
constexpr int kMeasureShare = 20;

bool is_due(int iteration, int period) { return iteration % period == 0; }

}  // namespace

// The numbers on the right are the lines of Algorithm 2.
void solve_subadmm(const Problem& problem, const DynamicsFactor& /*factor*/,
                   const SubAdmmOptions& options, const Start& start, Monitor& monitor) {
  if (start.warm) {
    monitor.should_stop(start.lambda, 0, 0);
    if (monitor.best_residual() <= kGuessShare * monitor.tolerance()) return;
  }
  const SplitProblem split = split_by_bodies(problem);                     // 1
  Penalty penalty(problem, split, monitor.evaluator().masses(), options);  // 3
  SubsystemBlocks subsystems(problem, split, penalty.weights(), options.articulated,
                             monitor.threads());                   // 4
  ConstraintPacks constraints(problem, split, monitor.threads());  // 5
  std::vector<Row6> x = constraints.make_slots();
  std::vector<Row6> wrenches = constraints.make_wrenches();
  const SlotData slots{constraints.record_begin(), wrenches, x};
  SubAdmmMeter meter(problem, split, constraints, monitor);
  Acceleration acceleration(options.anderson, constraints, x);
  int factorizations = 0;
  int next_measure = 0;
  const int share = options.anderson > 0 ? std::numeric_limits<int>::max() : kMeasureShare;
  const auto factorize = [&] {
    ++factorizations;
    constraints.set_rho(penalty.rho());
    const bool ok = subsystems.factorize(penalty.beta());
    acceleration.restart(subsystems, penalty);
    return ok;
  };

  bool ok = factorize();                  // 6
  set_slots(problem, split, start.v, x);  // 7: z = J v
  constraints.set_lambda(start.lambda);   //    u = -lambda
  constraints.write_q(wrenches);
  for (int l = 0; ok; ++l) {  // 8
    bool measure = l == next_measure;
    if (measure) next_measure += std::max(options.measure_every, l / share);
    subsystems.update(options.relaxation, slots);  // 9: v, (35)
    acceleration.apply();
    if (options.y_residual) {
      measure = meter.y_change(x, penalty) <= monitor.tolerance() || is_due(l, kMeasureAnyway);
    }
    if ((measure || l >= monitor.max_iterations()) && meter.should_stop(l, factorizations)) return;
    constraints.update(options.relaxation, x, wrenches);  // 10-11: z, u, (36)-(40)
    bool changed = false;                                 // 16: beta
    if (penalty.is_recount_due(l + 1)) changed = penalty.recount(meter.lambda());
    if (options.adaptive_beta && measure && l > 0) {
      const auto [primal, dual] = meter.imbalance(x, penalty.rho());
      changed = penalty.balance(primal, dual) || changed;  // (44)
    }
    if (changed) ok = factorize();  // 17
  }
  monitor.set_status(Status::kFailed);
}

}  // namespace stiction
