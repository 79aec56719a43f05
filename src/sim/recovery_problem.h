// The frictionless problem of recovery (recover.h): unknown is a velocity w that moves positions
// only, and every contact becomes one row along its normal.
//
//   not deep   J_n w >= -gap / h, met by w = 0
//   deep       J_n w + s >= speed, with a slack s = R lambda'
//
// Walls that overlap a body from both sides ask for what no w can do, and a contact whose normal
// points along a hinge asks for any angle. The slack is a compliance R = kGivingWay tr(J A^-1 J^T)
// / 3, a hundredth of how easily the point of contact moves at all, or the heaviest free body that
// it may have to carry: it makes such problems
// solvable, leaves impulses bounded, and costs the others a hundredth of their speed. It is a dof
// of its own, of mass 1 / R, so that solvers need not know of it.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"

namespace stiction {

/// Recovery ends at this depth, m.
constexpr double kRecoverySlop = 1e-6;

class RecoveryProblem {
 public:
  /// At most `fastest`, m/s, and the share of the depth, may be recovered in a step. `Jv` is of the
  /// step's own velocity.
  RecoveryProblem(const Problem& step, const Eigen::VectorXd& Jv, double h, double share,
                  double fastest);

  /// A constraint of the step; `gap` at its start, of contacts and limits. Unless it is to be
  /// recovered, a deep one is only not to become deeper. `heaviest`, kg, is the heaviest free body
  /// of its island, or 0.
  void add(const Constraint& constraint, double gap, bool to_be_recovered, double heaviest);
  /// All that was added.
  const Problem& finish();
  /// The largest speed asked for, m/s.
  double largest_speed() const { return largest_speed_; }
  /// Which of the constraints, in the order in which they were added, had to give way by more than
  /// half of what was asked for, by the problem's solution: they cannot be recovered now.
  std::vector<int> hopeless(const Eigen::VectorXd& solution) const;

 private:
  double speed_of(double depth);
  double compliance(const Constraint& constraint, double heaviest);
  void push(Constraint constraint, int from, double offset);
  /// The same with a slack, for one that is to be moved at `speed`.
  void push_deep(Constraint constraint, int from, double offset, double speed, double R);

  const Problem& step_;
  const Eigen::VectorXd& Jv_;
  double h_;
  double share_;
  double fastest_;
  DynamicsFactor factor_;
  Eigen::Matrix4Xd Y_;
  std::vector<int> slots_;
  Problem result_;
  std::vector<double> e_;
  struct Slack {
    int constraint;  ///< in the order of `add`
    double speed;    ///< asked for, m/s
    double mass;
  };
  std::vector<Slack> slacks_;
  int added_ = 0;
  double largest_speed_ = 0;
};

}  // namespace stiction
