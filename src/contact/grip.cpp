#include "contact/grip.h"

#include <algorithm>
#include <cmath>

#include "contact/grip_loop.h"
#include "contact/nnewton.h"
#include "contact/pgs.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr int kSweepsAtOnce = 200;
constexpr int kSweepsBetweenMeasures = 20;
constexpr double kSweepsPay = 0.7;  // residual after over residual before
constexpr double kFirstCompliance = 0.01;
constexpr double kCompliancePerStage = 10;
constexpr double kLeastCompliancePerStage = 1.1;
constexpr double kStageTolerance = 1e-4;  // of the residual of lambda = 0
constexpr int kRescueSteps = 150;
constexpr int kRescueSweeps = 1000;  // doubled every time

class Grip {
 public:
  Grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
       Monitor& monitor)
      : problem_(problem),
        factor_(factor),
        options_(options),
        monitor_(monitor),
        loop_(problem, factor, options, monitor) {}

  void run(const Start& start);

 private:
  bool begin(const Start& start);
  void sweep();
  GripLoop::Outcome detour();
  void rescue(int attempt);
  bool solved() const { return monitor_.best_residual() <= monitor_.tolerance(); }
  // 10 times the gain in residual over lambda = 0.
  double earned_scale(double most) const {
    return std::clamp(options_.s_cold * cold_ / monitor_.best_residual(), options_.s_cold, most);
  }

  const Problem& problem_;
  const DynamicsFactor& factor_;
  const GripOptions& options_;
  Monitor& monitor_;
  GripLoop loop_;
  double cold_ = 0;       ///< residual of lambda = 0
  VectorXd regularized_;  ///< lambda of the compliant problem, or empty
};

void Grip::run(const Start& start) {
  const bool warm = begin(start);
  if (solved()) return;
  if (!warm && problem_.n() > options_.sweep_size) sweep();
  if (solved()) return;
  GripLoop::Outcome outcome = loop_.run();
  if (outcome == GripLoop::Outcome::kStuck) outcome = detour();
  for (int k = 0; k < options_.rescues && outcome == GripLoop::Outcome::kStuck; ++k) {
    if (regularized_.size() > 0 && loop_.impulses_grow()) break;
    rescue(k);
    outcome = solved() ? GripLoop::Outcome::kDone : loop_.run();
  }
  if (outcome == GripLoop::Outcome::kStuck && regularized_.size() > 0) {
    monitor_.settle_for(regularized_, Status::kRegularized);
  }
}

// The caller's guess if there is one and it is better than nothing.
bool Grip::begin(const Start& start) {
  loop_.start_from(VectorXd::Zero(problem_.n_c()), options_.s_cold);
  cold_ = monitor_.residual();
  if (!start.warm || solved()) return false;
  monitor_.should_stop(start.lambda, 0, 0);
  const bool warm = monitor_.residual() < cold_;
  if (warm) loop_.start_from(start.lambda, start.v, earned_scale(options_.s_warm));
  return warm;
}

// Accelerated Gauss-Seidel as long as it pays.
void Grip::sweep() {
  PgsOptions options;
  options.accelerate = true;
  options.measure_every = kSweepsBetweenMeasures;
  for (int k = 0; k < options_.sweeps && !solved(); k += kSweepsAtOnce) {
    const double before = monitor_.best_residual();
    Monitor inner = monitor_.limited_to(kSweepsAtOnce);
    solve_pgs(problem_, factor_, options, {{}, monitor_.best_lambda(), true}, inner);
    monitor_.should_stop(inner.best_lambda(), 0, 0);
    if (!(monitor_.best_residual() < kSweepsPay * before) || monitor_.out_of_time()) break;
  }
  loop_.start_from(monitor_.best_lambda(), earned_scale(options_.s_swept));
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
    loop_.set_compliance(next, next > last ? kStageTolerance * cold_ : 0);
    loop_.start_from(lambda, std::max(options_.s_cold, 1 / reached));
    if (loop_.run() == GripLoop::Outcome::kDone) {
      lambda = loop_.lambda();
      reached = next;
      factor = std::min(factor * factor, kCompliancePerStage);
    } else {
      factor = std::sqrt(factor);
    }
  }
  if (reached <= last) regularized_ = lambda;
  loop_.set_compliance(0, 0);
  loop_.start_from(lambda, 1 / reached);
  return monitor_.out_of_time() ? GripLoop::Outcome::kDone : loop_.run();
}

// Smoothing Newton or many sweeps by turns, then loops at another scale.
void Grip::rescue(int attempt) {
  const Start start{{}, monitor_.best_lambda(), true};
  if (attempt % 2 == 0) {
    Monitor inner = monitor_.limited_to(kRescueSteps);
    solve_nnewton(problem_, factor_, NNewtonOptions{}, start, inner);
    loop_.count_factorizations(inner.factorizations());
    loop_.start_from(inner.best_lambda(), options_.s_cold * std::pow(10, attempt % 4));
  } else {
    Monitor inner = monitor_.limited_to(kRescueSweeps << attempt);
    PgsOptions options;
    options.accelerate = true;
    options.measure_every = kSweepsBetweenMeasures;
    solve_pgs(problem_, factor_, options, start, inner);
    loop_.start_from(inner.best_lambda(), options_.s_cold * std::pow(10, attempt % 4));
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
