#include "contact/grip_loop.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr double kGripLineSearch = 0.1;
constexpr double kFirstStep = 0.01;  // of the Newton tolerance: below it not even one step is taken
constexpr int kConvexIterations = 50;
constexpr double kProgress = 0.7;   // a residual this much smaller is progress
constexpr double kRoundOff = 1e-9;  // of the velocity that comes in: a residual to expect
constexpr double kRetreat = 10;
constexpr double kGrowth = 1e4;

}  // namespace

GripLoop::GripLoop(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
                   double incoming, Monitor& monitor)
    : problem_(problem),
      options_(options),
      monitor_(monitor),
      m_(monitor.evaluator().masses()),
      surrogate_(problem, factor),
      v_good_(problem.n()),
      p_(VectorXd::Zero(m_.size())),
      incoming_(incoming) {}

void GripLoop::start_from(const VectorXd& lambda, double s) {
  monitor_.should_stop(lambda, loop_, factorizations_);
  start_from(lambda, monitor_.evaluator().velocity(), s);
}

void GripLoop::start_from(const VectorXd& lambda, const VectorXd& v, double s) {
  surrogate_.lambda_prev = lambda;
  surrogate_.v = v_good_ = v;
  residual_ = best_ = mark_ = monitor_.residual();
  s_ = s;
  idle_loops_ = 0;
  hold_ = 0;
}

void GripLoop::set_compliance(double compliance, double target) {
  target_ = std::max(target, monitor_.tolerance());
  compliant_ = compliance > 0;
  for (int i = 0; i < m_.size(); ++i) {
    const bool soft = problem_.constraints[i].type == ConstraintType::kSoft;
    surrogate_.R[i] = soft ? 0 : compliance / m_[i];
  }
}

GripLoop::Outcome GripLoop::run() {
  Outcome outcome = Outcome::kGoOn;
  while (outcome == Outcome::kGoOn) {
    ++loop_;
    surrogate_.beta = s_ * m_;
    const bool solved = s_ < options_.s_min ? solve_convex() : solve_strict();
    if (solved) {
      accept();
    } else {
      slip();
    }
    outcome = judge();
  }
  return outcome;
}

// [TRO25] (20) by Newton's method.
bool GripLoop::solve_strict() {
  surrogate_.law = ContactLaw::kStrict;
  surrogate_.clear_lagged_term();
  surrogate_.update();
  const double enough = options_.newton_tolerance * best_;
  double defect = surrogate_.velocity_defect();
  for (steps_ = 0; defect > (steps_ == 0 ? kFirstStep * enough : enough); ++steps_) {
    if (steps_ == options_.newton_iterations || monitor_.out_of_time() || !descend()) return false;
    defect = surrogate_.velocity_defect();
  }
  return std::isfinite(defect);
}

// One Newton step; the coupling is given up by halves until the direction descends.
bool GripLoop::descend() {
  for (double coupling : {1.0, 0.5, 0.0}) {
    ++factorizations_;
    if (!surrogate_.newton_direction(coupling)) continue;
    const double slope = surrogate_.first_slope();
    if (!(slope < 0)) continue;
    surrogate_.step(exact_line_search(surrogate_, slope, kGripLineSearch));
    return true;
  }
  return false;
}

// One loop of CANAL from the last good state: convex, so that it fails by round-off only.
bool GripLoop::solve_convex() {
  surrogate_.law = ContactLaw::kStrict;
  surrogate_.clear_lagged_term();
  surrogate_.update();
  surrogate_.lagged_term(p_);
  surrogate_.set_lagged_term(p_);
  surrogate_.law = ContactLaw::kProximal;
  surrogate_.update();
  const double enough = options_.newton_tolerance * best_;
  double defect = surrogate_.velocity_defect();
  for (steps_ = 0; steps_ < kConvexIterations && defect > enough; ++steps_) {
    if (!descend()) return false;
    defect = surrogate_.velocity_defect();
  }
  return std::isfinite(defect);
}

void GripLoop::accept() {
  v_good_ = surrogate_.v;
  surrogate_.lambda_prev = surrogate_.lambda;  // [TRO25] (13)
  const double before = residual_;
  residual_ = monitor_.evaluator().scaled_at(surrogate_.lambda, surrogate_.Jv_of_lambda());
  if (residual_ > kProgress * before && at_round_off()) {
    s_ /= kRetreat;
  } else if (hold_ > 0) {
    --hold_;
  } else if (steps_ <= options_.fast) {
    s_ = std::min(options_.tighten * s_, options_.s_max);
  }
}

void GripLoop::slip() {
  if (!compliant_) monitor_.count_failed_loop();
  surrogate_.v = v_good_;
  s_ /= options_.loosen;
  hold_ = options_.hold;
}

GripLoop::Outcome GripLoop::judge() {
  best_ = std::min(best_, residual_);
  ++idle_loops_;
  if (best_ < kProgress * mark_) {
    mark_ = best_;
    idle_loops_ = 0;
  }
  if (compliant_) {
    if (residual_ <= target_) return Outcome::kDone;
    if (loop_ >= monitor_.max_iterations() || monitor_.out_of_time()) return Outcome::kStuck;
  } else if (monitor_.should_stop(surrogate_.lambda_prev, residual_, loop_, factorizations_)) {
    return Outcome::kDone;
  }
  if (idle_loops_ < options_.patience) return Outcome::kGoOn;
  return at_round_off() ? Outcome::kDone : Outcome::kStuck;
}

bool GripLoop::at_round_off() const { return best_ < kRoundOff * incoming_; }

bool GripLoop::impulses_grow() const {
  double largest = 0;
  for (int i = 0; i < m_.size(); ++i) {
    const Eigen::Vector3d lambda = rows_of(problem_.constraints[i], surrogate_.lambda_prev);
    largest = std::max(largest, lambda.norm() / m_[i]);
  }
  return largest > kGrowth * incoming_;
}

}  // namespace stiction
