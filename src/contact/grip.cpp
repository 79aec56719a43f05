#include "contact/grip.h"

#include <algorithm>
#include <cmath>

#include "contact/surrogate.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr double kLineSearchTolerance = 0.1;
constexpr double kProgress = 0.7;   // a residual this much smaller is progress
constexpr int kGrowingLoops = 12;   // without progress, after which growing impulses are a sign
constexpr double kGrowth = 1e4;     // |lambda_i| / m_i over the largest velocity that comes in
constexpr double kRoundOff = 1e-9;  // of the velocity that comes in: a residual to expect
constexpr double kRetreat = 10;
constexpr int kConvexIterations = 50;

class Grip {
 public:
  Grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
       Monitor& monitor);
  void run(const Start& start);

 private:
  enum class Outcome { kGoOn, kDone, kNoSolution };

  void begin_cold();
  void begin_warm(const Start& start);
  Outcome iterate();
  bool solve_strict();
  bool solve_convex();
  bool descend();
  void accept();
  void slip();
  Outcome judge();
  bool at_round_off() const;
  bool impulses_grow() const;
  void regularize();

  const Problem& problem_;
  const GripOptions& options_;
  Monitor& monitor_;
  const VectorXd& m_;
  Surrogate surrogate_;
  VectorXd v_good_;  ///< of the last loop that was solved
  VectorXd p_;
  double s_ = 0;
  double residual_ = 0;  ///< of lambda_prev; with compliance, of the regularised problem
  double best_ = 0;
  double mark_ = 0;     ///< residual at the last progress
  int idle_loops_ = 0;  ///< since then
  bool regularized_ = false;
  int hold_ = 0;
  int steps_ = 0;  ///< Newton steps of the present loop
  int loop_ = 0;
  int factorizations_ = 0;
  double incoming_ = 0;  ///< largest |J_i v + e_i| without impulses, m/s
};

Grip::Grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
           Monitor& monitor)
    : problem_(problem),
      options_(options),
      monitor_(monitor),
      m_(monitor.evaluator().masses()),
      surrogate_(problem, factor),
      v_good_(problem.n()),
      p_(VectorXd::Zero(m_.size())) {}

// lambda = 0.
void Grip::begin_cold() {
  surrogate_.lambda_prev.setZero();
  monitor_.should_stop(surrogate_.lambda_prev, loop_, factorizations_);
  surrogate_.v = v_good_ = monitor_.evaluator().v();
  incoming_ = (monitor_.evaluator().Jv() + problem_.e).cwiseAbs().maxCoeff();
  residual_ = best_ = mark_ = monitor_.residual();
  s_ = options_.s_cold;
  idle_loops_ = 0;
  hold_ = 0;
}

// The caller's guess, if it is better than nothing.
void Grip::begin_warm(const Start& start) {
  const double cold = best_;
  monitor_.should_stop(start.lambda, 0, 0);
  if (!(monitor_.residual() < cold)) return;
  residual_ = best_ = mark_ = monitor_.residual();
  surrogate_.v = v_good_ = start.v;
  surrogate_.lambda_prev = start.lambda;
  s_ = std::min(options_.s_cold * cold / best_, options_.s_warm);
}

void Grip::run(const Start& start) {
  begin_cold();
  if (start.warm) begin_warm(start);
  if (best_ <= monitor_.tolerance()) return;
  Outcome outcome = Outcome::kGoOn;
  while (outcome == Outcome::kGoOn) outcome = iterate();
  if (outcome == Outcome::kNoSolution) regularize();
}

// One augmented Lagrangian loop.
Grip::Outcome Grip::iterate() {
  ++loop_;
  surrogate_.beta = s_ * m_;
  const bool solved = s_ < options_.s_min ? solve_convex() : solve_strict();
  if (solved) {
    accept();
  } else {
    slip();
  }
  return judge();
}

bool Grip::solve_strict() {
  surrogate_.law = ContactLaw::kStrict;
  surrogate_.clear_lagged_term();
  surrogate_.update();
  const double enough = options_.newton_tolerance * best_;
  double defect = surrogate_.velocity_defect();
  for (steps_ = 0; defect > (steps_ == 0 ? 0.01 * enough : enough); ++steps_) {
    if (steps_ == options_.newton_iterations || monitor_.out_of_time() || !descend()) return false;
    defect = surrogate_.velocity_defect();
  }
  return std::isfinite(defect);
}

// One Newton step; the coupling is given up by halves until the direction descends.
bool Grip::descend() {
  for (double coupling : {1.0, 0.5, 0.0}) {
    ++factorizations_;
    if (!surrogate_.newton_direction(coupling)) continue;
    const double slope = surrogate_.slope(0).value;
    if (!(slope < 0)) continue;
    surrogate_.step(exact_line_search(surrogate_, slope, kLineSearchTolerance));
    return true;
  }
  return false;
}

// One loop of CANAL from the last good state: convex, so it never fails for mathematical reasons.
bool Grip::solve_convex() {
  surrogate_.clear_lagged_term();
  surrogate_.law = ContactLaw::kStrict;
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

void Grip::accept() {
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

void Grip::slip() {
  surrogate_.v = v_good_;
  s_ /= options_.loosen;
  hold_ = options_.hold;
}

Grip::Outcome Grip::judge() {
  best_ = std::min(best_, residual_);
  ++idle_loops_;
  if (best_ < kProgress * mark_) {
    mark_ = best_;
    idle_loops_ = 0;
  }
  if (regularized_) {
    const bool out = loop_ >= monitor_.max_iterations() || monitor_.out_of_time();
    return best_ <= monitor_.tolerance() || out ? Outcome::kDone : Outcome::kGoOn;
  }
  if (monitor_.should_stop(surrogate_.lambda_prev, residual_, loop_, factorizations_)) {
    return Outcome::kDone;
  }
  if (idle_loops_ >= options_.patience) {
    return at_round_off() ? Outcome::kDone : Outcome::kNoSolution;
  }
  return idle_loops_ >= kGrowingLoops && impulses_grow() ? Outcome::kNoSolution : Outcome::kGoOn;
}

bool Grip::at_round_off() const { return best_ < kRoundOff * incoming_; }

bool Grip::impulses_grow() const {
  double largest = 0;
  for (int i = 0; i < m_.size(); ++i) {
    const Eigen::Vector3d lambda = rows_of(problem_.constraints[i], surrogate_.lambda_prev);
    largest = std::max(largest, lambda.norm() / m_[i]);
  }
  return largest > kGrowth * incoming_;
}

// The problem with compliance, from a cold start.
void Grip::regularize() {
  regularized_ = true;
  for (int i = 0; i < m_.size(); ++i) {
    const bool soft = problem_.constraints[i].type == ConstraintType::kSoft;
    surrogate_.R[i] = soft ? 0 : options_.compliance / m_[i];
  }
  begin_cold();
  while (iterate() == Outcome::kGoOn) {
  }
  const bool solved = best_ <= monitor_.tolerance();
  monitor_.settle_for(surrogate_.lambda_prev, solved ? Status::kRegularized : Status::kStalled);
}

}  // namespace

void solve_grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
                const Start& start, Monitor& monitor) {
  Grip(problem, factor, options, monitor).run(start);
}

}  // namespace stiction
