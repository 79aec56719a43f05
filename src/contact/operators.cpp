#include "contact/operators.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

double soft_slope(const Constraint& soft, double beta) { return soft.c / (soft.c + beta); }

double soft_impulse(const Constraint& soft, double beta, double e, double s) {
  return (soft.c * s + beta * (soft.c - soft.k) * e) / (soft.c + beta);
}

double limit_impulse(const Constraint& limit, double beta, double s) {
  if (-s > beta * limit.upper) return s + beta * limit.upper;
  if (-s < beta * limit.lower) return s + beta * limit.lower;
  return 0;
}

Vector3d strict_with_derivative(double mu, const Vector3d& s, Matrix3d& dT) {
  dT.setZero();
  if (s[2] <= 0) return Vector3d::Zero();  // open
  const double s_t = std::sqrt(s[0] * s[0] + s[1] * s[1]);
  const double radius = mu * s[2];
  if (s_t <= radius) {  // stick
    dT.setIdentity();
    return s;
  }
  const Vector2d t = s.head<2>() / s_t;  // slip
  dT.topLeftCorner<2, 2>() = (radius / s_t) * (Matrix2d::Identity() - t * t.transpose());
  dT.topRightCorner<2, 1>() = mu * t;
  dT(2, 2) = 1;
  return {radius * t[0], radius * t[1], s[2]};
}

Vector3d proximal_with_derivative(double mu, const Vector3d& s, Matrix3d& dT) {
  dT.setZero();
  const double s_t = std::sqrt(s[0] * s[0] + s[1] * s[1]);
  if (s_t <= mu * s[2]) {  // stick: inside the cone
    dT.setIdentity();
    return s;
  }
  if (mu * s_t <= -s[2]) return Vector3d::Zero();  // open: inside the polar cone
  const Vector2d t = s.head<2>() / s_t;            // slip
  const double scale = 1 / (1 + mu * mu);
  const double lambda_n = scale * (mu * s_t + s[2]);
  dT.topLeftCorner<2, 2>() = (mu * lambda_n / s_t) * Matrix2d::Identity() +
                             (scale * mu * mu - mu * lambda_n / s_t) * t * t.transpose();
  dT.topRightCorner<2, 1>() = scale * mu * t;
  dT.bottomLeftCorner<1, 2>() = scale * mu * t.transpose();
  dT(2, 2) = scale;
  return {mu * lambda_n * t[0], mu * lambda_n * t[1], lambda_n};
}

}  // namespace

Vector3d project_strict(double mu, const Vector3d& s) {
  const double lambda_n = std::max(s[2], 0.0);
  const double s_t = std::sqrt(s[0] * s[0] + s[1] * s[1]);
  const double radius = mu * lambda_n;
  const double clip = s_t > radius ? radius / s_t : 1;
  return {clip * s[0], clip * s[1], lambda_n};
}

Vector3d project_cone(double mu, const Vector3d& s) {
  const double s_t = std::sqrt(s[0] * s[0] + s[1] * s[1]);
  if (s_t <= mu * s[2]) return s;
  if (mu * s_t <= -s[2]) return Vector3d::Zero();
  const double lambda_n = (mu * s_t + s[2]) / (1 + mu * mu);
  return {mu * lambda_n * s[0] / s_t, mu * lambda_n * s[1] / s_t, lambda_n};
}

double apply_row(const Constraint& constraint, double beta, double e, double s) {
  switch (constraint.type) {
    case ConstraintType::kUnilateral:
      return std::max(s, 0.0);
    case ConstraintType::kJointFriction:
      return std::clamp(s, -constraint.bound, constraint.bound);
    case ConstraintType::kJointLimit:
      return limit_impulse(constraint, beta, s);
    case ConstraintType::kSoft:
      return soft_impulse(constraint, beta, e, s);
    case ConstraintType::kContact:
    case ConstraintType::kEquality:
      break;
  }
  return s;
}

Vector3d apply_operator(const Constraint& constraint, ContactLaw law, double beta,
                        const Vector3d& e, const Vector3d& s) {
  if (constraint.type == ConstraintType::kContact) {
    return law == ContactLaw::kStrict ? project_strict(constraint.mu, s)
                                      : project_cone(constraint.mu, s);
  }
  Vector3d lambda = Vector3d::Zero();
  for (int r = 0; r < constraint.rows; ++r) lambda[r] = apply_row(constraint, beta, e[r], s[r]);
  return lambda;
}

Vector3d apply_operator(const Constraint& constraint, ContactLaw law, double beta,
                        const Vector3d& e, const Vector3d& s, Matrix3d& dT) {
  if (constraint.type == ConstraintType::kContact) {
    return law == ContactLaw::kStrict ? strict_with_derivative(constraint.mu, s, dT)
                                      : proximal_with_derivative(constraint.mu, s, dT);
  }
  const Vector3d lambda = apply_operator(constraint, law, beta, e, s);
  dT.setZero();
  switch (constraint.type) {
    case ConstraintType::kEquality:
      dT.diagonal().head(constraint.rows).setOnes();
      break;
    case ConstraintType::kSoft:
      dT.diagonal().head(constraint.rows).setConstant(soft_slope(constraint, beta));
      break;
    case ConstraintType::kJointFriction:
      dT(0, 0) = std::abs(s[0]) < constraint.bound ? 1 : 0;
      break;
    case ConstraintType::kUnilateral:
    case ConstraintType::kJointLimit:
      dT(0, 0) = lambda[0] != 0 ? 1 : 0;
      break;
    case ConstraintType::kContact:
      break;
  }
  return lambda;
}

AlongDirection operator_along(const Constraint& constraint, ContactLaw law, double beta,
                              const Vector3d& e, const Vector3d& s, const Vector3d& d) {
  switch (constraint.type) {
    case ConstraintType::kJointFriction:
      return std::abs(s[0]) < constraint.bound
                 ? AlongDirection{s[0] * d[0], d[0] * d[0]}
                 : AlongDirection{std::copysign(constraint.bound, s[0]) * d[0], 0};
    case ConstraintType::kUnilateral:
      return s[0] > 0 ? AlongDirection{s[0] * d[0], d[0] * d[0]} : AlongDirection{};
    case ConstraintType::kJointLimit: {
      const double lambda = limit_impulse(constraint, beta, s[0]);
      return {lambda * d[0], lambda != 0 ? d[0] * d[0] : 0};
    }
    case ConstraintType::kContact: {
      Matrix3d dT;
      const Vector3d lambda = law == ContactLaw::kStrict
                                  ? strict_with_derivative(constraint.mu, s, dT)
                                  : proximal_with_derivative(constraint.mu, s, dT);
      return {d.dot(lambda), d.dot(dT * d)};
    }
    case ConstraintType::kEquality:
    case ConstraintType::kSoft:
      break;
  }
  const Vector3d lambda = apply_operator(constraint, law, beta, e, s);
  const double slope = constraint.type == ConstraintType::kSoft ? soft_slope(constraint, beta) : 1;
  return {d.dot(lambda), slope * d.squaredNorm()};
}

double operator_energy(const Constraint& constraint, double beta, const Vector3d& e,
                       const Vector3d& s) {
  const Vector3d lambda = apply_operator(constraint, ContactLaw::kProximal, beta, e, s);
  switch (constraint.type) {
    case ConstraintType::kSoft:
      return 0.5 * lambda.squaredNorm() / soft_slope(constraint, beta);
    case ConstraintType::kJointFriction:
      return lambda[0] * (s[0] - 0.5 * lambda[0]);
    default:
      return 0.5 * lambda.squaredNorm();
  }
}

}  // namespace stiction
