// What every solver does beside its iteration: measure, keep the best, record, and know when to
// stop. One file, so that no two solvers stop by different rules.
#pragma once

#include <stiction/solve.h>

#include <chrono>
#include <limits>

#include "contact/residual.h"

namespace stiction {

/// The end of a solve's time: by the clock, or after as many looks at it as another solve took.
class Deadline {
 public:
  static constexpr int kNever = -1;

  explicit Deadline(double max_seconds) : max_seconds_(max_seconds) {}
  /// Repeats: passed at look number `looks`, whatever the time.
  static Deadline repeated(int looks);

  bool passed();  ///< looks at the clock; once true, always true
  double seconds() const;
  int looks() const { return passed_ ? looks_ : kNever; }  ///< until it had passed

 private:
  double max_seconds_ = std::numeric_limits<double>::infinity();
  int last_look_ = kNever;  ///< of a repetition
  int looks_ = 0;
  bool passed_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Monitor {
 public:
  Monitor(ResidualEvaluator& residual, const Budget& budget, Deadline& deadline,
          int default_iterations, bool record_history,
          double velocity_error_limit = std::numeric_limits<double>::infinity());

  /// For a solver inside a solver: the same deadline, at most `iterations`, and a share of the
  /// tolerance.
  Monitor limited_to(int iterations, double share = 1) const;

  /// Measures lambda after `iteration` iterations and keeps it if it is the best so far. True when
  /// the solver should stop: solved, out of iterations, or out of time, which it never is before
  /// the first iteration: a budget that is too small for one would let everything fall.
  bool should_stop(const Eigen::VectorXd& lambda, int iteration, int factorizations);
  /// The same for a residual that the solver has at hand.
  bool should_stop(const Eigen::VectorXd& lambda, double residual, int iteration,
                   int factorizations);
  /// Cheap test for iterations between two measurements.
  bool out_of_time() { return deadline_.passed(); }

  double residual() const { return last_; }  ///< of the last measurement
  double best_residual() const { return best_; }
  const Eigen::VectorXd& best_lambda() const { return best_lambda_; }
  int factorizations() const { return factorizations_; }
  /// What the scaled residual must come down to. It shrinks while the limit on the velocity error
  /// (err_v's numerator, m/s) is not met.
  double tolerance() const { return tolerance_; }
  int max_iterations() const { return max_iterations_; }
  int threads() const { return budget_.threads; }
  const ResidualEvaluator& evaluator() const { return residual_; }

  /// What [TRO25] Table II and [TOD11] Table 1 report beside the iterations.
  void count_failed_loop() { ++failed_loops_; }
  void count_newton_accepted() { ++newton_accepted_; }

  /// Why the solver ended, when the monitor did not say so itself.
  void set_status(Status status) { status_ = status; }

  /// Returns this lambda, whatever its residual: for a solver that has given up the problem as it
  /// stands and solved a neighbouring one. Not if the budget's own tolerance was met before.
  void settle_for(const Eigen::VectorXd& lambda, Status status);

  /// Writes the best iterate and the report, but for the residual.
  void finish(Solution& solution);

 private:
  bool meets_tolerance();

  ResidualEvaluator& residual_;
  Budget budget_;
  Deadline& deadline_;
  int max_iterations_;
  bool record_history_;
  double velocity_error_limit_;
  double tolerance_;
  double last_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  Eigen::VectorXd best_lambda_;
  Status status_ = Status::kStalled;
  int iterations_ = 0;
  int factorizations_ = 0;
  int failed_loops_ = 0;
  int newton_accepted_ = 0;
  std::vector<IterationRecord> history_;
};

}  // namespace stiction
