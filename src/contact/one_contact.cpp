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
  over_determinant_ = 1 / (S_00_ * S_11_ - S_01_ * S_01_);
}

// (S + gamma I) lambda_t = -r for one u_free.
struct OneContact::Slip {
  const OneContact& contact;
  Vector2d r;
  double u_n;  ///< over W_nn

  Vector3d with_normal(const Vector2d& lambda_t) const {
    return {lambda_t[0], lambda_t[1], -u_n - contact.w_.dot(lambda_t)};
  }

  Vector3d stick() const {
    const double scale = -contact.over_determinant_;
    return with_normal({scale * (contact.S_11_ * r[0] - contact.S_01_ * r[1]),
                        scale * (contact.S_00_ * r[1] - contact.S_01_ * r[0])});
  }

  // h(gamma) = |lambda_t| - mu lambda_n, its derivative, and lambda.
  double violation(double gamma, double& slope, Vector3d& lambda) const {
    const double a = contact.S_00_ + gamma;
    const double d = contact.S_11_ + gamma;
    const double c = contact.S_01_;
    const double inverse = 1 / (a * d - c * c);
    const auto solve = [&](const Vector2d& x) {
      return Vector2d(inverse * (d * x[0] - c * x[1]), inverse * (a * x[1] - c * x[0]));
    };
    const Vector2d lambda_t = solve(-r);
    const Vector2d change = solve(-lambda_t);
    const double norm = std::sqrt(lambda_t.squaredNorm());
    lambda = with_normal(lambda_t);
    slope = (norm > 0 ? lambda_t.dot(change) / norm : 0) + contact.mu_ * contact.w_.dot(change);
    return norm - contact.mu_ * lambda[2];
  }
};

Vector3d OneContact::solve(const Vector3d& u_free, double& gamma) const {
  if (u_free[2] >= 0) return Vector3d::Zero();
  const double u_n = over_W_nn_ * u_free[2];
  const Slip slip{*this, {u_free[0] - W_tn_[0] * u_n, u_free[1] - W_tn_[1] * u_n}, u_n};
  Vector3d lambda = slip.stick();
  const double limit = mu_ * lambda[2];
  if (limit >= 0 && lambda[0] * lambda[0] + lambda[1] * lambda[1] <= limit * limit) return lambda;
  if (mu_ == 0) return {0, 0, -u_n};

  // h(0) > 0 and h -> -mu lambda_n < 0 for large gamma: Newton inside a bracket.
  const double scale = S_00_ + S_11_;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double slope = 0;
  if (!(gamma > 0)) gamma = scale;
  for (int k = 0; k < 60; ++k) {
    const double h = slip.violation(gamma, slope, lambda);
    (h > 0 ? low : high) = gamma;
    if (std::abs(h) <= 1e-15 * mu_ * lambda[2]) break;
    double next = gamma - h / slope;
    if (!(next > low && next < high)) {
      next = std::isinf(high) ? 4 * gamma + scale : 0.5 * (low + high);
    }
    if (std::abs(next - gamma) <= 1e-15 * gamma) break;
    gamma = next;
  }
  const double norm = std::sqrt(lambda.head<2>().squaredNorm());
  if (norm > 0) lambda.head<2>() *= mu_ * lambda[2] / norm;
  return lambda;
}

}  // namespace stiction
