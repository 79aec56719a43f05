#include "contact/one_contact.h"

#include <cmath>
#include <limits>

namespace stiction {

using Eigen::Vector2d;
using Eigen::Vector3d;

OneContact::OneContact(const Eigen::Matrix3d& W, double mu)
    : W_tn_(W(0, 2), W(1, 2)), over_W_nn_(1 / W(2, 2)), mu_(mu) {
  w_ = over_W_nn_ * W_tn_;
  S_00_ = W(0, 0) - W_tn_[0] * w_[0];
  S_01_ = W(0, 1) - W_tn_[0] * w_[1];
  S_11_ = W(1, 1) - W_tn_[1] * w_[1];
  trace_ = S_00_ + S_11_;
  determinant_ = S_00_ * S_11_ - S_01_ * S_01_;
  over_determinant_ = 1 / determinant_;
}

// The cone is G(gamma) = |x|^2 - mu^2 y^2 = 0 with y > 0. G(0) > 0 or y(0) < 0 here (no stick), and
// G < 0 < y for large gamma: Newton inside a bracket.
Vector3d OneContact::slip(double u_n, const Vector2d& r, const Vector2d& x_0, double y_0,
                          double& gamma) const {
  if (mu_ == 0) return {0, 0, -u_n};
  const double y_1 = w_.dot(r) - u_n * trace_;  // y = y_0 + y_1 gamma - u_n gamma^2
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  if (!(gamma > 0)) gamma = trace_;
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Vector2d x = x_0 - gamma * r;
    const double y = y_0 + gamma * (y_1 - gamma * u_n);
    const double G = x.squaredNorm() - mu_ * mu_ * y * y;
    const double half_slope = -(x.dot(r) + mu_ * mu_ * y * (y_1 - 2 * gamma * u_n));
    (G > 0 || y < 0 ? low : high) = gamma;
    const double step = -0.5 * G / half_slope;
    if (gamma + step > low && gamma + step < high) {
      gamma += step;
      if (std::abs(step) <= kQuadratic * gamma) break;
    } else {
      gamma = std::isinf(high) ? 4 * gamma + trace_ : 0.5 * (low + high);
    }
  }
  const Vector2d x = x_0 - gamma * r;
  const double lambda_n =
      (y_0 + gamma * (y_1 - gamma * u_n)) / (determinant_ + gamma * (trace_ + gamma));
  const double clip = mu_ * lambda_n / std::sqrt(x.squaredNorm());
  return {clip * x[0], clip * x[1], lambda_n};
}

}  // namespace stiction
