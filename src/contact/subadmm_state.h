// What the loop of SubADMM needs beside its two updates: measuring, and Anderson acceleration.
#pragma once

#include <utility>
#include <vector>

#include "contact/monitor.h"
#include "contact/subadmm.h"
#include "contact/subadmm_blocks.h"
#include "contact/subadmm_pack.h"
#include "contact/subadmm_penalty.h"
#include "contact/subadmm_split.h"
#include "linalg/anderson.h"

namespace stiction {

/// x = the velocities v of all slots.
void set_slots(const Problem& problem, const SplitProblem& split, const Eigen::VectorXd& v,
               std::vector<Row6>& x);

/// Measures the iterate.
class SubAdmmMeter {
 public:
  SubAdmmMeter(const Problem& problem, const SplitProblem& split,
               const ConstraintPacks& constraints, Monitor& monitor);

  /// The residual of lambda; true when the monitor says stop.
  bool should_stop(int iteration, int factorizations);

  /// lambda of the constraints.
  const Eigen::VectorXd& lambda();

  /// The two sides of (44) at the iterate of the last `should_stop`, in m/s: by how much x breaks
  /// the laws of the constraints (primal), and by how much it breaks the dynamics (dual).
  std::pair<double, double> imbalance(const std::vector<Row6>& x, const Eigen::VectorXd& rho);

  /// sqrt([ICRA23] (22)) per constraint, y / beta in place of y: m/s.
  double y_change(const std::vector<Row6>& x, const Penalty& penalty);

 private:
  const Problem& problem_;
  const SplitProblem& split_;
  const ConstraintPacks& constraints_;
  Monitor& monitor_;
  Eigen::VectorXd lambda_, Jx_, tau_;
  Eigen::Matrix3Xd y_;  ///< y / beta per end, of the last y_change
};

/// Anderson acceleration of (x, tau), weighted so that both are in sqrt(J).
class Acceleration {
 public:
  /// memory 0: does nothing.
  Acceleration(int memory, ConstraintPacks& constraints, std::vector<Row6>& x);

  /// Starts again with new weights, as after a change of beta.
  void restart(const SubsystemBlocks& subsystems, const Penalty& penalty);
  /// Replaces (x, tau), between the two updates of an iteration.
  void apply();

 private:
  void get_state(Eigen::VectorXd& state) const;

  ConstraintPacks& constraints_;
  std::vector<Row6>& x_;
  bool active_;
  bool started_ = false;
  Anderson anderson_;
  Eigen::VectorXd weight_, state_, image_;
};

}  // namespace stiction
