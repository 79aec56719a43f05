// What a guess decides. Most candidates of a step do not touch: their impulse is 0. They are left
// out of the solve; afterwards the velocities say, exactly, whether that was right. Those for which
// it was not are given back and the problem is solved again.
//
// With v_0 and lambda_0 the guess and v = A^-1 (b + J^T lambda_0), a contact with lambda_0 = 0 is
// decided if both J_n v_0 + e_n and J_n v + e_n are positive and ten times the change from one to
// the other: what the step does to it must be small beside what it has to go. (Of dry friction at
// its bound, which could be left out as well, too much comes back.)
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"

namespace stiction {

class Decided {
 public:
  /// Nothing.
  explicit Decided(const Problem& problem) : problem_(problem) {}
  /// What the guess decides.
  void find(const DynamicsFactor& factor, double tolerance, const Eigen::VectorXd& v_0,
            const Eigen::VectorXd& lambda_0);

  /// Per constraint; empty if none is.
  const std::vector<char>& left_out() const { return decided_; }

  /// Gives back contacts that close, all the third time, and says which; empty if none.
  std::vector<char> give_back(const Eigen::VectorXd& Jv);

 private:
  const Problem& problem_;
  std::vector<char> decided_;
  int count_ = 0;
  int rounds_ = 0;
};

}  // namespace stiction
