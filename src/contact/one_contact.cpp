#include "contact/one_contact.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// Slip with the normal row eliminated: (S + gamma I) lambda_t = -r.
struct SlipProblem {
  Matrix2d S;
  Vector2d r;
  Vector2d W_tn;
  double W_nn;
  double u_n;
  double mu;

  // h(gamma) = |lambda_t| - mu lambda_n, its derivative, and lambda.
  double violation(double gamma, double& slope, Vector3d& lambda) const {
    const double a = S(0, 0) + gamma;
    const double d = S(1, 1) + gamma;
    const double c = S(0, 1);
    const double inverse = 1 / (a * d - c * c);
    const auto solve = [&](const Vector2d& x) {
      return Vector2d(inverse * (d * x[0] - c * x[1]), inverse * (a * x[1] - c * x[0]));
    };
    const Vector2d lambda_t = solve(-r);
    const Vector2d change = solve(-lambda_t);
    const double norm = lambda_t.norm();
    const double lambda_n = -(u_n + W_tn.dot(lambda_t)) / W_nn;
    lambda << lambda_t, lambda_n;
    slope = (norm > 0 ? lambda_t.dot(change) / norm : 0) + mu * W_tn.dot(change) / W_nn;
    return norm - mu * lambda_n;
  }
};

}  // namespace

Vector3d solve_one_contact(const Eigen::Matrix3d& W, double mu, const Vector3d& u_free,
                           double& gamma) {
  if (u_free[2] >= 0) return Vector3d::Zero();
  SlipProblem slip;
  slip.W_tn = W.block<2, 1>(0, 2);
  slip.W_nn = W(2, 2);
  slip.S = W.topLeftCorner<2, 2>() - slip.W_tn * slip.W_tn.transpose() / slip.W_nn;
  slip.r = u_free.head<2>() - slip.W_tn * (u_free[2] / slip.W_nn);
  slip.u_n = u_free[2];
  slip.mu = mu;
  double slope = 0;
  Vector3d lambda;
  if (slip.violation(0, slope, lambda) <= 0) return lambda;  // stick
  if (mu == 0) return {0, 0, -u_free[2] / slip.W_nn};

  // h(0) > 0 and h -> -mu lambda_n < 0 for large gamma: Newton inside a bracket.
  const double scale = slip.S.trace();
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  if (!(gamma > 0)) gamma = scale;
  for (int k = 0; k < 60; ++k) {
    const double h = slip.violation(gamma, slope, lambda);
    (h > 0 ? low : high) = gamma;
    if (std::abs(h) <= 1e-15 * mu * lambda[2]) break;
    double next = gamma - h / slope;
    if (!(next > low && next < high)) {
      next = std::isinf(high) ? 4 * gamma + scale : 0.5 * (low + high);
    }
    if (std::abs(next - gamma) <= 1e-15 * gamma) break;
    gamma = next;
  }
  const double norm = lambda.head<2>().norm();
  if (norm > 0) lambda.head<2>() *= mu * lambda[2] / norm;
  return lambda;
}

}  // namespace stiction
