#include "contact/monitor.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

// Of the tolerance: the certificate measures anew, by other arithmetic, and rounds differently.
constexpr double kRoom = 0.999;

}  // namespace

Deadline Deadline::repeated(int looks) {
  Deadline deadline(std::numeric_limits<double>::infinity());
  deadline.last_look_ = looks;
  return deadline;
}

double Deadline::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Deadline::passed() {
  if (passed_) return true;
  ++looks_;
  passed_ = last_look_ == kNever ? std::isfinite(max_seconds_) && seconds() > max_seconds_
                                 : looks_ >= last_look_;
  return passed_;
}

Monitor::Monitor(ResidualEvaluator& residual, const Budget& budget, Deadline& deadline,
                 int default_iterations, bool record_history, double velocity_error_limit)
    : residual_(residual),
      budget_(budget),
      deadline_(deadline),
      max_iterations_(budget.max_iterations > 0 ? budget.max_iterations : default_iterations),
      record_history_(record_history),
      velocity_error_limit_(velocity_error_limit),
      tolerance_(kRoom * budget.tolerance),
      best_lambda_(Eigen::VectorXd::Zero(residual.Jv().size())) {
  if (record_history) history_.reserve(max_iterations_ + 1);
}

Monitor Monitor::limited_to(int iterations, double share) const {
  Monitor monitor(residual_, budget_, deadline_, iterations, false, velocity_error_limit_);
  monitor.tolerance_ = share * tolerance_;
  monitor.max_iterations_ = iterations;
  return monitor;
}

// The velocity error costs a measurement of its own, so it is looked at only when the residual is
// small enough. Both fall together: the ratio says how far the residual still has to go.
bool Monitor::meets_tolerance() {
  if (!(best_ <= tolerance_)) return false;
  if (!std::isfinite(velocity_error_limit_)) return true;
  const double error = residual_.velocity_error(best_lambda_);
  if (error <= velocity_error_limit_) return true;
  tolerance_ = 0.5 * best_ * velocity_error_limit_ / error;
  return false;
}

bool Monitor::should_stop(const Eigen::VectorXd& lambda, int iteration, int factorizations) {
  return should_stop(lambda, residual_.scaled(lambda), iteration, factorizations);
}

bool Monitor::should_stop(const Eigen::VectorXd& lambda, double residual, int iteration,
                          int factorizations) {
  last_ = residual;
  iterations_ = iteration;
  factorizations_ = factorizations;
  if (residual < best_) {  // never true for NaN
    best_ = residual;
    best_lambda_ = lambda;
  }
  if (record_history_ && history_.size() < history_.capacity()) {
    history_.push_back({deadline_.seconds(), residual, factorizations, iteration});
  }
  if (meets_tolerance()) {
    status_ = Status::kSolved;
  } else if (iteration >= max_iterations_) {
    status_ = Status::kIterationLimit;
  } else if (iteration > 0 && out_of_time()) {
    status_ = Status::kTimeLimit;
  } else if (!std::isfinite(residual)) {
    status_ = Status::kFailed;
  } else {
    return false;
  }
  return true;
}

void Monitor::settle_for(const Eigen::VectorXd& lambda, Status status) {
  if (best_ <= budget_.tolerance) {
    status_ = Status::kStalled;
    return;
  }
  best_lambda_ = lambda;
  best_ = residual_.scaled(lambda);
  status_ = status;
}

// Newton's methods may leave contacts that pull by less than the tolerance.
void Monitor::finish(Solution& solution) {
  const Eigen::VectorXd inside = residual_.allowed(best_lambda_);
  if (inside != best_lambda_) {
    const double residual = residual_.scaled(inside);
    if (residual <= std::max(best_, tolerance_)) {
      best_ = residual;
      best_lambda_ = inside;
    }
  }
  solution.lambda = best_lambda_;
  const bool solved = best_ <= budget_.tolerance &&
                      (!std::isfinite(velocity_error_limit_) ||
                       residual_.velocity_error(best_lambda_) <= velocity_error_limit_);
  SolveReport& report = solution.report;
  report.status = solved ? Status::kSolved : status_;
  report.iterations = iterations_;
  report.factorizations = factorizations_;
  report.failed_loops = failed_loops_;
  report.newton_accepted = newton_accepted_;
  report.history = std::move(history_);
}

}  // namespace stiction
