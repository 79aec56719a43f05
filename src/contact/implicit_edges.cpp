#include "contact/implicit_edges.h"

#include <algorithm>
#include <cmath>

#include "contact/operators.h"

namespace stiction {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kOnEdge = 1e-12;  // relative to |x|

// A plane edge: x[axis] = offset, with the scalar slopes of a one-row law on its two sides.
struct Plane {
  double offset;
  double above;
  double below;
};

int axis_of(const Constraint& constraint) {
  return constraint.type == ConstraintType::kContact ? 2 : 0;
}

int planes_of(const HybridLaw& law, Plane planes[2]) {
  const Constraint& constraint = *law.constraint;
  switch (constraint.type) {
    case ConstraintType::kContact:
    case ConstraintType::kUnilateral:
      planes[0] = {0, 0, 1};
      return 1;
    case ConstraintType::kJointFriction: {
      const double bound = constraint.bound / law.root_mass;
      if (bound == 0) return 0;
      planes[0] = {-bound, 1, 0};
      planes[1] = {bound, 0, 1};
      return 2;
    }
    case ConstraintType::kJointLimit:
      if (constraint.lower == constraint.upper) return 0;
      planes[0] = {constraint.lower * law.root_mass, 0, 1};
      planes[1] = {constraint.upper * law.root_mass, 1, 0};
      return 2;
    case ConstraintType::kEquality:
    case ConstraintType::kSoft:
      return 0;
  }
  return 0;
}

bool has_cone(const HybridLaw& law) {
  return law.constraint->type == ConstraintType::kContact && law.constraint->mu > 0;
}

// -df/dx on the slip side of an edge: friction follows mu f_n, and turns with x_t by `clip` =
// mu f_n / |x_t|, which is 0 at the plane and 1 at the cone.
Matrix3d slip_side(double mu, const Vector2d& t, double clip) {
  Matrix3d D = Matrix3d::Zero();
  D.topLeftCorner<2, 2>() = clip * (Matrix2d::Identity() - t * t.transpose());
  D.topRightCorner<2, 1>() = -mu * t;
  D(2, 2) = 1;
  return D;
}

Edge plane_edge(const HybridLaw& law, const Plane& plane, const Vector3d& x) {
  Edge edge;
  edge.kind = EdgeKind::kPlane;
  edge.offset = plane.offset;
  edge.d = Vector3d::Unit(axis_of(*law.constraint));
  edge.D1.setZero();
  edge.D2.setZero();
  if (law.constraint->type != ConstraintType::kContact) {
    edge.D1(0, 0) = plane.above;
    edge.D2(0, 0) = plane.below;
    return edge;
  }
  const double x_t = x.head<2>().norm();
  if (x_t > 0) {
    edge.D2 = slip_side(law.constraint->mu, x.head<2>() / x_t, 0);
  } else if (law.constraint->mu > 0) {
    edge.D2.setIdentity();  // the apex: stick is straight below
  } else {
    edge.D2(2, 2) = 1;
  }
  return edge;
}

// The generator of the cone through the direction of x_t: (mu t, -1), unit length.
Vector3d generator(double mu, const Vector2d& t) {
  return Vector3d(mu * t[0], mu * t[1], -1) / std::sqrt(1 + mu * mu);
}

}  // namespace

Vector3d hybrid_impulse(const HybridLaw& law, const Vector3d& x) {
  const double beta = law.root_mass * law.root_mass;
  return apply_operator(*law.constraint, ContactLaw::kStrict, beta, law.e, -law.root_mass * x) /
         law.root_mass;
}

Vector3d hybrid_impulse(const HybridLaw& law, const Vector3d& x, Matrix3d& D) {
  const double beta = law.root_mass * law.root_mass;
  return apply_operator(*law.constraint, ContactLaw::kStrict, beta, law.e, -law.root_mass * x, D) /
         law.root_mass;
}

Edge edge_at(const HybridLaw& law, const Vector3d& x) {
  const double tolerance = kOnEdge * x.norm();
  const int axis = axis_of(*law.constraint);
  Plane planes[2];
  const int count = planes_of(law, planes);
  for (int k = 0; k < count; ++k) {
    if (std::abs(x[axis] - planes[k].offset) <= tolerance) return plane_edge(law, planes[k], x);
  }
  Edge edge;
  if (!has_cone(law) || x[2] > 0) return edge;
  const double mu = law.constraint->mu;
  const double x_t = x.head<2>().norm();
  if (std::abs(x_t + mu * x[2]) > tolerance) return edge;
  const Vector2d t = x.head<2>() / x_t;
  edge.kind = EdgeKind::kCone;
  edge.d = -Vector3d(t[0], t[1], mu) / std::sqrt(1 + mu * mu);
  edge.D1.setIdentity();
  edge.D2 = slip_side(mu, t, 1);
  return edge;
}

int edge_tangents(const HybridLaw& law, const Edge& edge, const Vector3d& x, Matrix3d& B) {
  const int rows = law.constraint->rows;
  B.setIdentity();
  if (edge.kind == EdgeKind::kNone) return rows;
  if (edge.kind == EdgeKind::kPlane) return rows - 1;  // the axis is the last of its rows
  const Vector2d t = x.head<2>().normalized();
  B.col(0) = generator(law.constraint->mu, t);
  B.col(1) = Vector3d(-t[1], t[0], 0);
  return 2;
}

Vector3d project_on_edge(const HybridLaw& law, const Edge& edge, const Vector3d& x) {
  if (edge.kind == EdgeKind::kNone) return x;
  if (edge.kind == EdgeKind::kPlane) {
    Vector3d on = x;
    on[axis_of(*law.constraint)] = edge.offset;
    return on;
  }
  const double x_t = x.head<2>().norm();
  const Vector2d t = x_t > 0 ? Vector2d(x.head<2>() / x_t) : Vector2d(1, 0);
  const Vector3d line = generator(law.constraint->mu, t);
  return std::max(line.dot(x), 0.0) * line;
}

int edge_crossings(const HybridLaw& law, const Vector3d& x, const Vector3d& u,
                   Crossing crossings[3]) {
  int found = 0;
  const auto add = [&](double alpha, EdgeKind kind, double offset) {
    if (alpha > 0 && alpha < 1) crossings[found++] = {alpha, -1, kind, offset};
  };
  const int axis = axis_of(*law.constraint);
  Plane planes[2];
  const int count = planes_of(law, planes);
  for (int k = 0; k < count; ++k) {
    if (u[axis] != 0) {
      add((planes[k].offset - x[axis]) / u[axis], EdgeKind::kPlane, planes[k].offset);
    }
  }
  if (!has_cone(law)) return found;
  // |x_t + alpha u_t|^2 - mu^2 (x_n + alpha u_n)^2 = a alpha^2 + 2 b alpha + c.        [TOD11] (27)
  const double mu2 = law.constraint->mu * law.constraint->mu;
  const double a = u.head<2>().squaredNorm() - mu2 * u[2] * u[2];
  const double b = x.head<2>().dot(u.head<2>()) - mu2 * x[2] * u[2];
  const double c = x.head<2>().squaredNorm() - mu2 * x[2] * x[2];
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return found;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));  // no cancellation
  const double roots[2] = {a != 0 ? q / a : -1, q != 0 ? c / q : -1};
  for (double alpha : roots) {
    if (x[2] + alpha * u[2] <= 0) add(alpha, EdgeKind::kCone, 0);
  }
  return found;
}

}  // namespace stiction
