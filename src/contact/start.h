// Where a solve begins.
#pragma once

#include <Eigen/Core>

namespace stiction {

/// Cold: lambda = 0 and v = A^-1 b. Warm: the caller's guess, usually of the step before.
struct Start {
  Eigen::VectorXd v;
  Eigen::VectorXd lambda;
  bool warm = false;
};

}  // namespace stiction
