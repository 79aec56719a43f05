// One contact alone: given u = W lambda + u_free with the 3x3 Delassus block W (rows t1, t2, n),
// the lambda that satisfies Signorini and Coulomb exactly, [TRO25] (5):
//
//   open   u_free,n >= 0                            lambda = 0
//   stick  -W^-1 u_free in the cone                 lambda = -W^-1 u_free
//   slip   u_n = 0, u_t = -gamma lambda_t, |lambda_t| = mu lambda_n with one unknown gamma > 0
#pragma once

#include <Eigen/Core>

namespace stiction {

class OneContact {
 public:
  /// A relative step of Newton's after which the next would be at round-off.
  static constexpr double kQuadratic = 1e-7;
  static constexpr int kNewtonSteps = 60;

  OneContact(const Eigen::Matrix3d& W, double mu);

  /// `gamma`, in m/(N s^2): in, where to start the search; out, what it found when it slips.
  Eigen::Vector3d solve(const Eigen::Vector3d& u_free, double& gamma) const;

 private:
  // The normal row is eliminated: S lambda_t = -r without friction's bound, S = W_tt - W_tn w^T.
  double S_00_, S_01_, S_11_;
  double trace_, determinant_, over_determinant_;  ///< of S
  Eigen::Vector2d W_tn_;
  Eigen::Vector2d w_;  ///< W_tn / W_nn
  double over_W_nn_;
  double mu_;
};

}  // namespace stiction
