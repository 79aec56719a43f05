#include "contact/fischer_burmeister.h"

#include <Eigen/LU>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

struct Scalar {
  double value;
  double da;
  double db;
};

Scalar phi(double a, double b, double tau) {
  if (std::isinf(a)) return {b, 0, 1};  // no bound there
  const double root = std::sqrt(a * a + b * b + 2 * tau * tau);
  if (root == 0) return {0, 1 - M_SQRT1_2, 1 - M_SQRT1_2};
  return {a + b - root, 1 - a / root, 1 - b / root};
}

Scalar box(double lower, double upper, double a, double b, double tau) {
  const Scalar inner = phi(upper - a, -b, tau);
  const Scalar outer = phi(a - lower, -inner.value, tau);
  return {outer.value, outer.da + outer.db * inner.da, outer.db * inner.db};
}

// The matrix of the Jordan product with x: (x_0, x_1).
Matrix3d arrow(const Vector3d& x) {
  Matrix3d L = x[0] * Matrix3d::Identity();
  L(0, 1) = L(1, 0) = x[1];
  L(0, 2) = L(2, 0) = x[2];
  return L;
}

// Phi with derivatives by x and y, first component the axis of the cone.
Vector3d cone(const Vector3d& x, const Vector3d& y, double tau, Matrix3d& dx, Matrix3d& dy) {
  const double w_0 = x.squaredNorm() + y.squaredNorm() + 2 * tau * tau;
  const Vector2d w_1 = 2 * (x[0] * x.tail<2>() + y[0] * y.tail<2>());
  const double length = w_1.norm();
  const double low = std::sqrt(std::max(w_0 - length, 0.0));
  const double high = std::sqrt(w_0 + length);
  Vector3d z(0.5 * (low + high), 0, 0);
  if (length > 0) z.tail<2>() = 0.5 * (high - low) / length * w_1;
  // det L_z = z_0 low high; a floor keeps an element of the generalised derivative on the boundary.
  const double least = 1e-12 * high;
  Vector3d regular = z;
  if (low < least) regular[0] += least - low;
  if (regular[0] == 0) {
    dx = dy = (1 - M_SQRT1_2) * Matrix3d::Identity();
    return x + y;
  }
  const Matrix3d inverse = arrow(regular).inverse();
  dx = Matrix3d::Identity() - inverse * arrow(x);
  dy = Matrix3d::Identity() - inverse * arrow(y);
  return x + y - z;
}

FbValue contact(double mu, double tau, const Vector3d& p, const Vector3d& q) {
  FbValue value;
  if (mu == 0) {
    const Scalar normal = phi(p[2], q[2], tau);
    value.phi = {p[0], p[1], normal.value};
    value.P.diagonal() = Vector3d(1, 1, normal.da);
    value.Q(2, 2) = normal.db;
    return value;
  }
  const double slip = q.head<2>().norm();
  Vector2d t = Vector2d::Zero();
  if (slip > 0) t = q.head<2>() / slip;
  const Vector3d x(mu * p[2], p[0], p[1]);
  const Vector3d y(q[2] + mu * slip, mu * q[0], mu * q[1]);
  Matrix3d dx;
  Matrix3d dy;
  const Vector3d f = cone(x, y, tau, dx, dy);
  Matrix3d dy_dq = Matrix3d::Zero();  // columns t1, t2, n
  dy_dq.row(0) << mu * t[0], mu * t[1], 1;
  dy_dq(1, 0) = dy_dq(2, 1) = mu;
  value.phi = {f[1], f[2], f[0]};
  const Matrix3d P = (Matrix3d() << dx.col(1), dx.col(2), mu * dx.col(0)).finished();
  const Matrix3d Q = dy * dy_dq;
  value.P << P.row(1), P.row(2), P.row(0);
  value.Q << Q.row(1), Q.row(2), Q.row(0);
  return value;
}

}  // namespace

FbValue fischer_burmeister(const Constraint& constraint, double root_mass, const Vector3d& e,
                           double tau, const Vector3d& p, const Vector3d& q) {
  FbValue value;
  const auto set_scalar = [&value](double f, double dp, double dq) {
    value.phi[0] = f;
    value.P(0, 0) = dp;
    value.Q(0, 0) = dq;
  };
  switch (constraint.type) {
    case ConstraintType::kContact:
      return contact(constraint.mu, tau, p, q);
    case ConstraintType::kUnilateral: {
      const Scalar f = phi(p[0], q[0], tau);
      set_scalar(f.value, f.da, f.db);
      break;
    }
    case ConstraintType::kEquality:
      value.phi = q;
      value.Q.diagonal().head(constraint.rows).setOnes();
      break;
    case ConstraintType::kSoft: {  // lambda = -c s + (c - k) e, s = J v + e
      const double c = constraint.c / (root_mass * root_mass);
      const double scale = 1 / (1 + c);
      const Vector3d offset = (constraint.c - constraint.k) / root_mass * e;
      for (int r = 0; r < constraint.rows; ++r) {
        value.phi[r] = scale * (p[r] + c * q[r] - offset[r]);
        value.P(r, r) = scale;
        value.Q(r, r) = scale * c;
      }
      break;
    }
    case ConstraintType::kJointFriction: {
      const double bound = constraint.bound / root_mass;
      const Scalar f = box(-bound, bound, p[0], q[0], tau);
      set_scalar(f.value, f.da, f.db);
      break;
    }
    case ConstraintType::kJointLimit: {
      const Scalar f =
          box(constraint.lower * root_mass, constraint.upper * root_mass, q[0], p[0], tau);
      set_scalar(f.value, f.db, f.da);
      break;
    }
  }
  return value;
}

}  // namespace stiction
