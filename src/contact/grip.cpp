#include "contact/grip.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "contact/grip_loop.h"
#include "contact/nnewton.h"
#include "contact/pgs.h"
#include "contact/subadmm.h"
#include "contact/sweep_packs.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// A guess that is just below the tolerance would be taken again in every step at rest, and its
// error add up to a creep: guesses must be better than that, by this share.
constexpr double kGuessShare = 0.01;
// Sweeps: what they shall make of the guess, down to the same share of the tolerance, so that
// errors at rest die out from step to step; their share of the tolerance where all moves; how often
// they are measured, and judged (by what the last one changed, which says little of grains); and
// how many may be to go for them to go on.
constexpr double kSweepShare = 0.1;
constexpr double kMostSweepShare = 0.9;
constexpr int kTouchUpSweeps = 20;  // of a guess within the tolerance
// What they may leave, of the tolerance, and loops that see to the rest: some errors grow from step
// to step faster than a few sweeps take them away.
constexpr double kTouchedUp = 0.1;
constexpr int kTouchUpLoops = 5;
constexpr int kMoreTouchUps = 5;  // by as many sweeps each, of grains
constexpr int kSweepsBetweenMeasures = 100;
constexpr int kSweepsUntilJudged = 50;
constexpr int kFewSweepsUntilJudged = 20;  // of a few free bodies, where Newton's steps are cheap
constexpr int kGrainSweepsUntilJudged = 10;
constexpr int kGrainsWithin = 500;
constexpr int kLargeWithin = 2000;
constexpr int kPatientlyWithin = 20000;
constexpr int kJudgePatiently = 200;
// When time is up.
constexpr int kLastSweeps = 10;
// SubADMM: iterations, and its memory where it starts anew.
constexpr int kSplits = 30000;
constexpr int kFewSplits = 1000;
constexpr int kSplitMemory = 10;
// A residual that will do for a jammed pile: times the tolerance, or, once loops are stuck, of that
// of lambda = 0.
constexpr double kNearTolerance = 10;
constexpr double kNearly = 1e-4;
// Detour
constexpr double kFirstCompliance = 0.01;
constexpr double kCompliancePerStage = 10;
constexpr double kLeastCompliancePerStage = 1.1;
constexpr double kStageTolerance = 1e-4;  // of the residual of lambda = 0
// Rescues
constexpr int kRescueSteps = 150;
constexpr int kRescueSweeps = 1000;  // doubled every time

class Grip {
 public:
  Grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
       Monitor& monitor)
      : problem_(problem), factor_(factor), options_(options), monitor_(monitor) {}

  void run(const Start& start);

 private:
  void find(const Start& start);
  void hold_up(const Start& start);
  void measure_guesses(const Start& start);
  bool sweeps_pay(bool guessed);
  void sweep();
  void touch_up(bool swept);
  int smooth();
  VectorXd split(const VectorXd& lambda, int iterations, int memory);
  GripLoop::Outcome detour();
  void rescue(int attempt);
  bool large() const { return problem_.n() > options_.large; }
  bool huge() const { return problem_.n() > options_.huge; }
  bool grains() const { return large() && is_of_grains(problem_); }
  bool solved() const { return monitor_.best_residual() <= monitor_.tolerance(); }
  bool touched_up(double share) const {
    return monitor_.best_residual() <= share * monitor_.tolerance();
  }
  // In a simulation, what is left of a jammed pile's error is not worth seconds.
  bool nearly(double of_cold) const {
    return monitor_.best_residual() <
           std::max(of_cold * cold_, kNearTolerance * monitor_.tolerance());
  }
  // 10 times the gain in residual over lambda = 0.
  double earned_scale(double most) const {
    return std::clamp(options_.s_cold * cold_ / monitor_.best_residual(), options_.s_cold, most);
  }

  const Problem& problem_;
  const DynamicsFactor& factor_;
  const GripOptions& options_;
  Monitor& monitor_;
  std::optional<GripLoop> loop_;  ///< made when sweeps did not suffice
  double cold_ = 0;               ///< residual of lambda = 0
  double incoming_ = 0;           ///< largest |J_i v + e_i| of lambda = 0
  VectorXd regularized_;          ///< lambda of the compliant problem, or empty
};

void Grip::run(const Start& start) {
  find(start);
  if (!solved() && monitor_.out_of_time()) hold_up(start);
}

// Newton steps that time has cut short leave impulses that pull, and let bodies fall: a few sweeps
// hold them up, from the best of what the laws allow.
void Grip::hold_up(const Start& start) {
  Monitor inner = monitor_.limited_to(kLastSweeps);
  for (const VectorXd& lambda : {monitor_.best_lambda(), start.lambda}) {
    inner.should_stop(monitor_.evaluator().allowed(lambda), 0, 0);
  }
  solve_pgs(problem_, factor_, PgsOptions{}, {{}, inner.best_lambda(), true}, inner);
  monitor_.settle_for(inner.best_lambda(), Status::kTimeLimit);
}

void Grip::find(const Start& start) {
  measure_guesses(start);
  if (monitor_.best_residual() <= kGuessShare * monitor_.tolerance()) return;
  const bool warm = monitor_.best_residual() < cold_;
  const bool swept = sweeps_pay(start.warm);
  if (solved()) {
    touch_up(swept);
    return;
  }
  if (swept) {
    sweep();
    if (solved()) return;
    if (monitor_.out_of_time()) {
      monitor_.set_status(Status::kTimeLimit);
      return;
    }
  }
  if (grains()) {
    split(monitor_.best_lambda(), huge() ? kSplits : kFewSplits, 0);
    if (solved() || (huge() && start.warm && nearly(0))) return;
  }
  int smooth_steps = 0;
  if (!warm && !large()) {
    smooth_steps = smooth();
    if (solved()) return;
  }
  loop_.emplace(problem_, factor_, options_, incoming_, monitor_);
  loop_->count_factorizations(smooth_steps);
  if (warm && !swept) {
    loop_->start_from(start.lambda, start.v, earned_scale(options_.s_warm));
  } else if (warm || large() || monitor_.best_residual() <= options_.smoothed * cold_) {
    loop_->start_from(monitor_.best_lambda(), earned_scale(options_.s_swept));
  } else {
    loop_->start_from(VectorXd::Zero(problem_.n_c()), options_.s_cold);
  }
  GripLoop::Outcome outcome = loop_->run();
  if (outcome == GripLoop::Outcome::kStuck && large()) {
    if (start.warm && nearly(kNearly)) return;
    const VectorXd afresh = split(VectorXd::Zero(problem_.n_c()), kSplits, kSplitMemory);
    loop_->start_from(afresh, earned_scale(options_.s_swept));
    outcome = solved() ? GripLoop::Outcome::kDone : loop_->run();
  }
  if (outcome == GripLoop::Outcome::kStuck) outcome = detour();
  const int rescues = start.warm && large() ? 0 : options_.rescues;
  for (int k = 0; k < rescues && outcome == GripLoop::Outcome::kStuck; ++k) {
    if (regularized_.size() > 0 && loop_->impulses_grow()) break;
    rescue(k);
    outcome = solved() ? GripLoop::Outcome::kDone : loop_->run();
  }
  if (outcome == GripLoop::Outcome::kStuck && regularized_.size() > 0) {
    monitor_.settle_for(regularized_, Status::kRegularized);
  }
}

// The monitor keeps the better one of lambda = 0 and the caller's guess.
void Grip::measure_guesses(const Start& start) {
  const VectorXd zero = VectorXd::Zero(problem_.n_c());
  monitor_.should_stop(zero, monitor_.evaluator().scaled_at(zero, monitor_.evaluator().Jv()), 0, 0);
  cold_ = monitor_.residual();
  incoming_ = (monitor_.evaluator().Jv() + problem_.e).cwiseAbs().maxCoeff();
  if (start.warm && !solved()) monitor_.should_stop(start.lambda, 0, 0);
}

// Few constraints on many dofs are soon swept, where a Newton step has much to set up; many on few
// dofs are the other way round. In between robots are swept, and of free bodies a bad guess.
// Without a guess free bodies are for smoothing Newton, which shares loads out as evenly as they
// can be: a grasp holds what Coulomb's law lets it hold, where uneven forces would let it turn and
// slip. Where there is no time, one round of sweeps is better than a guess, and cheaper than a
// Newton step.
bool Grip::sweeps_pay(bool guessed) {
  if (large() || problem_.n_c() <= problem_.n()) return true;
  const bool robots = !is_of_grains(problem_);
  // Sweeps would share out loads that are not determined unevenly.
  if (!robots && !guessed && !monitor_.out_of_time()) return false;
  return (robots || monitor_.best_residual() > options_.good_guess * cold_) &&
         (problem_.n_c() < options_.redundant * problem_.n() || monitor_.out_of_time());
}

// Accelerated Gauss-Seidel as long as it pays: a factorization costs as much as ten sweeps, and
// hundreds in a large pile.
void Grip::sweep() {
  const bool cold = monitor_.best_residual() == cold_;
  const bool free_bodies = is_of_grains(problem_);
  const bool patiently = !grains() && (huge() || (large() && cold));
  PgsOptions options;
  options.acceleration = SweepAcceleration::kAnderson;
  options.shared = cold || grains() ? 1 : 0;
  options.measure_every = grains() ? kGrainSweepsUntilJudged : kSweepsBetweenMeasures;
  options.within = patiently  ? kPatientlyWithin
                   : grains() ? kGrainsWithin
                   : large()  ? kLargeWithin
                              : options_.sweeps;
  options.judge_every = patiently                 ? kJudgePatiently
                        : grains()                ? kGrainSweepsUntilJudged
                        : free_bodies && !large() ? kFewSweepsUntilJudged
                                                  : kSweepsUntilJudged;
  const double share = std::clamp(kSweepShare * monitor_.best_residual() / monitor_.tolerance(),
                                  kGuessShare, kMostSweepShare);
  Monitor inner = monitor_.limited_to(solved() ? kTouchUpSweeps : options_.most_sweeps, share);
  inner.should_stop(monitor_.best_lambda(), monitor_.best_residual(), 0, 0);
  solve_pgs(problem_, factor_, options, {{}, monitor_.best_lambda(), true}, inner);
  monitor_.should_stop(inner.best_lambda(), inner.best_residual(), 0, 0);
}

// A guess within the tolerance. Of grains, sweeps are cheap and loops are not.
void Grip::touch_up(bool swept) {
  if (swept) {
    sweep();
    for (int k = 0; grains() && k < kMoreTouchUps && !touched_up(kGuessShare); ++k) sweep();
    if (grains() || touched_up(kTouchedUp)) return;
  }
  Monitor inner = monitor_.limited_to(kTouchUpLoops, kTouchedUp);
  GripLoop loop(problem_, factor_, options_, incoming_, inner);
  loop.start_from(monitor_.best_lambda(), earned_scale(options_.s_warm));
  loop.run();
  monitor_.should_stop(inner.best_lambda(), inner.best_residual(), 0, loop.factorizations());
}

// Smoothing Newton from lambda = 0, until a loop would be faster; returns its steps.
int Grip::smooth() {
  Monitor inner = monitor_.limited_to(options_.smooth_steps);
  NNewtonOptions options;
  options.enough = options_.smoothed * cold_;
  const Start start{{}, VectorXd::Zero(problem_.n_c()), true};
  solve_nnewton(problem_, factor_, options, start, inner);
  monitor_.should_stop(inner.best_lambda(), 0, inner.factorizations());
  return inner.factorizations();
}

// The best of SubADMM from lambda, with Anderson acceleration if `memory` > 0. Of grains, an
// iteration costs as much as a sweep and a hundredth of a factorization, and it gets jammed piles
// unstuck.
VectorXd Grip::split(const VectorXd& lambda, int iterations, int memory) {
  Start start;
  start.lambda = lambda;
  monitor_.should_stop(lambda, 0, monitor_.factorizations());
  start.v = monitor_.evaluator().velocity();
  Monitor inner = monitor_.limited_to(iterations);
  solve_subadmm(problem_, factor_, SubAdmmOptions{.anderson = memory}, start, inner);
  monitor_.should_stop(inner.best_lambda(), 0, monitor_.factorizations());
  return inner.best_lambda();
}

// Along the problems with compliance, each of which has a solution and starts from the one before,
// down to `options.compliance`; a stage that gets stuck is cut in two. From the last one, a loop
// with s = 1 / compliance is nearly the problem just solved.
GripLoop::Outcome Grip::detour() {
  VectorXd lambda = VectorXd::Zero(problem_.n_c());
  const double last = options_.compliance;
  double reached = kFirstCompliance * kCompliancePerStage;
  double factor = kCompliancePerStage;
  while (factor > kLeastCompliancePerStage && reached > last && !monitor_.out_of_time()) {
    const double next = std::max(reached / factor, last);
    loop_->set_compliance(next, next > last ? kStageTolerance * cold_ : 0);
    loop_->start_from(lambda, std::max(options_.s_cold, 1 / reached));
    if (loop_->run() == GripLoop::Outcome::kDone) {
      lambda = loop_->lambda();
      reached = next;
      factor = std::min(factor * factor, kCompliancePerStage);
    } else {
      factor = std::sqrt(factor);
    }
  }
  if (reached <= last) regularized_ = lambda;
  loop_->set_compliance(0, 0);
  loop_->start_from(lambda, 1 / reached);
  return monitor_.out_of_time() ? GripLoop::Outcome::kDone : loop_->run();
}

// Smoothing Newton or many sweeps by turns, then loops at another scale.
void Grip::rescue(int attempt) {
  const Start start{{}, monitor_.best_lambda(), true};
  if (attempt % 2 == 0) {
    Monitor inner = monitor_.limited_to(kRescueSteps);
    solve_nnewton(problem_, factor_, NNewtonOptions{}, start, inner);
    loop_->count_factorizations(inner.factorizations());
    loop_->start_from(inner.best_lambda(), options_.s_cold * std::pow(10, attempt % 4));
  } else {
    Monitor inner = monitor_.limited_to(kRescueSweeps << attempt);
    PgsOptions options;
    options.acceleration = SweepAcceleration::kAnderson;
    solve_pgs(problem_, factor_, options, start, inner);
    loop_->start_from(inner.best_lambda(), options_.s_cold * std::pow(10, attempt % 4));
  }
}

}  // namespace

void solve_grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
                const Start& start, Monitor& monitor) {
  if (problem.n_c() == 0) {
    monitor.should_stop(start.lambda, 0, 0);
    return;
  }
  Grip(problem, factor, options, monitor).run(start);
}

}  // namespace stiction
