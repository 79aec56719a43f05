#include "contact/fischer_burmeister.h"

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

// (x^2 + y^2 + 2 tau^2 e)^(1/2) = z, first component the axis of the cone.
struct Root {
  Vector3d z;
  double low;  ///< eigenvalues of z
  double high;
};

Root cone_root(const Vector3d& x, const Vector3d& y, double tau) {
  const double w_0 = x.squaredNorm() + y.squaredNorm() + 2 * tau * tau;
  const Vector2d w_1 = 2 * (x[0] * x.tail<2>() + y[0] * y.tail<2>());
  const double length = w_1.norm();
  Root root;
  root.low = std::sqrt(std::max(w_0 - length, 0.0));
  root.high = std::sqrt(w_0 + length);
  root.z << 0.5 * (root.low + root.high), 0, 0;
  if (length > 0) root.z.tail<2>() = 0.5 * (root.high - root.low) / length * w_1;
  return root;
}

// L_z^-1 with the matrix L_z of the Jordan product with z.
class InverseArrow {
 public:
  explicit InverseArrow(const Vector3d& z)
      : z_(z),
        over_axis_(1 / z[0]),
        over_determinant_(1 / (z[0] * z[0] - z.tail<2>().squaredNorm())) {}

  // I - L_z^-1 L_x.
  Matrix3d defect(const Vector3d& x) const {
    Matrix3d D;
    D.col(0) = Vector3d(1, 0, 0) - solve(x);
    D.col(1) = Vector3d(0, 1, 0) - solve({x[1], x[0], 0});
    D.col(2) = Vector3d(0, 0, 1) - solve({x[2], 0, x[0]});
    return D;
  }

 private:
  Vector3d solve(const Vector3d& y) const {
    const double axis = over_determinant_ * (z_[0] * y[0] - z_[1] * y[1] - z_[2] * y[2]);
    return {axis, over_axis_ * (y[1] - axis * z_[1]), over_axis_ * (y[2] - axis * z_[2])};
  }

  Vector3d z_;
  double over_axis_;
  double over_determinant_;
};

// Phi with derivatives by x and y.
Vector3d cone(const Vector3d& x, const Vector3d& y, double tau, Matrix3d& dx, Matrix3d& dy) {
  const Root root = cone_root(x, y, tau);
  // det L_z = z_0 low high; a floor keeps an element of the generalised derivative on the boundary.
  const double least = 1e-12 * root.high;
  Vector3d regular = root.z;
  if (root.low < least) regular[0] += least - root.low;
  if (regular[0] == 0) {
    dx = dy = (1 - M_SQRT1_2) * Matrix3d::Identity();
    return x + y;
  }
  const InverseArrow inverse(regular);
  dx = inverse.defect(x);
  dy = inverse.defect(y);
  return x + y - root.z;
}

// The self-dual pair of a contact, axis first.
Vector3d impulse_in_cone(double mu, const Vector3d& p) { return {mu * p[2], p[0], p[1]}; }

Vector3d velocity_in_cone(double mu, const Vector3d& q, double slip) {
  return {q[2] + mu * slip, mu * q[0], mu * q[1]};
}

Vector3d contact_phi(double mu, double tau, const Vector3d& p, const Vector3d& q) {
  if (mu == 0) return {p[0], p[1], phi(p[2], q[2], tau).value};
  const Vector3d x = impulse_in_cone(mu, p);
  const Vector3d y = velocity_in_cone(mu, q, q.head<2>().norm());
  const Vector3d f = x + y - cone_root(x, y, tau).z;
  return {f[1], f[2], f[0]};
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
  Matrix3d dx;
  Matrix3d dy;
  const Vector3d f = cone(impulse_in_cone(mu, p), velocity_in_cone(mu, q, slip), tau, dx, dy);
  value.phi = {f[1], f[2], f[0]};
  for (int r = 0; r < 3; ++r) {  // axis first becomes normal last
    const int row = (r + 1) % 3;
    value.P.row(r) << dx(row, 1), dx(row, 2), mu * dx(row, 0);
    value.Q.row(r) << mu * (dy(row, 1) + t[0] * dy(row, 0)), mu * (dy(row, 2) + t[1] * dy(row, 0)),
        dy(row, 0);
  }
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

Vector3d fischer_burmeister_phi(const Constraint& constraint, double root_mass, const Vector3d& e,
                                double tau, const Vector3d& p, const Vector3d& q) {
  if (constraint.type == ConstraintType::kContact) return contact_phi(constraint.mu, tau, p, q);
  return fischer_burmeister(constraint, root_mass, e, tau, p, q).phi;
}

}  // namespace stiction
