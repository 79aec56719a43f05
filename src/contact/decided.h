// What a guess decides, v_0 and lambda_0 being the guess and v = A^-1 (b + J^T lambda_0).
//
// - Most candidates of a step do not touch: their impulse is 0. They are left out of the solve;
//   afterwards the velocities say, exactly, whether that was right. Those for which it was not are
//   given back and the problem is solved again. A contact with lambda_0 = 0 is left out if both
//   J_n v_0 + e_n and J_n v + e_n are positive and ten times the change from one to the other: what
//   the step does to it must be small beside what it has to go. (Of dry friction at its bound,
//   which could be left out as well, too much comes back.)
// - Constraints whose law lambda_0 and J v meet, to a hundredth of the tolerance, whatever their
//   m_i (residual.h), are settled. An island of settled ones alone, such as a robot in flight with
//   the dry friction of its joints, or a box at rest, is not looked at any further. Contacts that
//   slip with friction never are.
#pragma once

#include <stiction/problem.h>
#include <stiction/solve.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"
#include "contact/islands.h"

namespace stiction {

class Decided {
 public:
  /// Nothing.
  explicit Decided(const Problem& problem) : problem_(problem) {}
  /// What the guess decides.
  void find(const DynamicsFactor& factor, const Budget& budget, const Eigen::VectorXd& v_0,
            const Eigen::VectorXd& lambda_0);

  /// Per constraint; empty if `find` was not called.
  const std::vector<char>& left_out() const { return left_out_; }
  /// False if `find` was not called.
  bool is_settled(int constraint) const;
  /// Per island, whether all of its constraints are, but for those that are left out.
  std::vector<char> settled(const IslandLabels& islands) const;

  /// Gives back contacts that close, all the third time, and says which; empty if none.
  std::vector<char> give_back(const Eigen::VectorXd& Jv);

 private:
  const Problem& problem_;
  std::vector<char> left_out_;
  std::vector<char> came_back_;
  Eigen::VectorXd lambda_0_;
  Eigen::VectorXd v_;
  Matrix6Xd V_;        ///< twists of v
  double enough_ = 0;  ///< of what is settled, m/s
  int count_ = 0;
  int rounds_ = 0;
};

}  // namespace stiction
