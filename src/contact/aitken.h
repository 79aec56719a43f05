// Aitken's delta-squared process on many scalar fixed-point iterations at once.
#pragma once

#include <Eigen/Core>

namespace stiction {

/// x_k converging linearly with rate q, per entry: the limit is x_k + (x_k - x_k-1) q / (1 - q)
/// with q = (x_k - x_k-1) / (x_k-1 - x_k-2). Applied every third iterate, so that the rate is
/// always taken from plain iterations, and only where 0 < q < 1 or the entry alternates.
class Aitken {
 public:
  explicit Aitken(int size) : x1_(Eigen::VectorXd::Zero(size)), x2_(Eigen::VectorXd::Zero(size)) {}

  /// x: newest iterate, all entries >= 0; on every third call replaced by the extrapolation.
  void extrapolate(Eigen::VectorXd& x);

 private:
  Eigen::VectorXd x1_;
  Eigen::VectorXd x2_;
  int calls_ = 0;
};

}  // namespace stiction
