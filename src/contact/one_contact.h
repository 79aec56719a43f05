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
  /// A relative step of Newton's after which gamma is right to 1e-10: sweeps come back to it.
  static constexpr double kQuadratic = 1e-5;
  static constexpr int kNewtonSteps = 60;

  OneContact(const Eigen::Matrix3d& W, double mu);

  /// `gamma`, in m/(N s^2): in, where to start the search; out, what it found when it slips.
  Eigen::Vector3d solve(const Eigen::Vector3d& u_free, double& gamma) const;

 private:
  Eigen::Vector3d slip(double u_n, const Eigen::Vector2d& r, const Eigen::Vector2d& x_0, double y_0,
                       double& gamma) const;

  // The normal row is eliminated: S lambda_t = -r without friction's bound, S = W_tt - W_tn w^T.
  double S_00_, S_01_, S_11_;
  double trace_, determinant_, over_determinant_;  ///< of S
  Eigen::Vector2d W_tn_;
  Eigen::Vector2d w_;  ///< W_tn / W_nn
  double over_W_nn_;
  double mu_;
};

// (S + gamma I) lambda_t = -r by Cramer's rule, with det = det(S + gamma I):
//
//   x = det lambda_t = -(adj(S) + gamma I) r,   y = det lambda_n = -u_n det - w^T x
//
// are polynomials in gamma; gamma = 0 is stick.
inline Eigen::Vector3d OneContact::solve(const Eigen::Vector3d& u_free, double& gamma) const {
  if (u_free[2] >= 0) return Eigen::Vector3d::Zero();
  const double u_n = over_W_nn_ * u_free[2];
  const Eigen::Vector2d r(u_free[0] - W_tn_[0] * u_n, u_free[1] - W_tn_[1] * u_n);
  const Eigen::Vector2d x_0(S_01_ * r[1] - S_11_ * r[0], S_01_ * r[0] - S_00_ * r[1]);
  const double y_0 = -u_n * determinant_ - w_[0] * x_0[0] - w_[1] * x_0[1];
  if (y_0 >= 0 && x_0[0] * x_0[0] + x_0[1] * x_0[1] <= mu_ * mu_ * y_0 * y_0) {
    return {over_determinant_ * x_0[0], over_determinant_ * x_0[1], over_determinant_ * y_0};
  }
  return slip(u_n, r, x_0, y_0, gamma);
}

}  // namespace stiction
