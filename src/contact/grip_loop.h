// The augmented Lagrangian loops of Grip (grip.h): the surrogate, its scale s, and when they end.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>

#include "contact/dynamics.h"
#include "contact/grip.h"
#include "contact/monitor.h"
#include "contact/surrogate.h"

namespace stiction {

class GripLoop {
 public:
  enum class Outcome {
    kGoOn,
    kDone,   ///< solved, out of budget, or at round-off
    kStuck,  ///< `patience` loops without progress
  };

  /// `incoming`: the largest |J_i v + e_i| without impulses, m/s.
  GripLoop(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
           double incoming, Monitor& monitor);

  /// lambda, the v that belongs to it, and its residual, which is measured.
  void start_from(const Eigen::VectorXd& lambda, double s);
  /// The same with a v of the caller's.
  void start_from(const Eigen::VectorXd& lambda, const Eigen::VectorXd& v, double s);
  /// R_i = compliance / m_i from the next start on; the residual is then that of the compliant
  /// problem, to be brought below `target` (or the tolerance, if that is larger), and the monitor
  /// is not shown its iterates.
  void set_compliance(double compliance, double target);

  Outcome run();

  /// |lambda_i| / m_i is out of all proportion to the velocities that come in.
  bool impulses_grow() const;
  const Eigen::VectorXd& lambda() const { return surrogate_.lambda_prev; }
  double residual() const { return residual_; }
  int factorizations() const { return factorizations_; }
  void count_factorizations(int more) { factorizations_ += more; }

 private:
  bool solve_strict();
  bool solve_convex();
  bool descend();
  void accept();
  void slip();
  Outcome judge();
  bool at_round_off() const;

  const Problem& problem_;
  const GripOptions& options_;
  Monitor& monitor_;
  const Eigen::VectorXd& m_;
  Surrogate surrogate_;
  Eigen::VectorXd v_good_;  ///< of the last loop that was solved
  Eigen::VectorXd p_;
  bool compliant_ = false;
  double target_ = 0;  ///< residual at which a compliant problem is solved
  double incoming_;
  double s_ = 0;
  double residual_ = 0;  ///< of lambda_prev
  double best_ = 0;      ///< since the start
  double mark_ = 0;      ///< residual at the last progress
  int idle_loops_ = 0;   ///< since then
  int hold_ = 0;
  int steps_ = 0;  ///< Newton steps of the present loop
  int loop_ = 0;
  int factorizations_ = 0;
};

}  // namespace stiction
