#include "geometry/likely_normal.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/features.h"
#include "geometry/gjk.h"
#include "geometry/proof.h"
#include "geometry/segments.h"

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Kind = ConvexCore::Kind;

// Edges and faces this far from where they should be are tried; a bad guess only costs a support.
constexpr double kTryEdge = 0.5;
constexpr double kTryFace = 0.7;
constexpr int kNewtonSteps = 10;
constexpr double kRimDone = 1e-4;     // the rest is left to the normal
constexpr double kNewtonDone = 1e-9;  // the step after this one is rounding
constexpr double kCrossing = 1e-6;    // axes that cross, relative to the size
constexpr double kErode = 0.9;        // of the smallest half size
constexpr double kRough = 1e-2;       // tolerance of GJK on eroded cores

// In the frame of A.
struct Line {
  Vector3d p = Vector3d::Zero();  // its middle
  Vector3d u = Vector3d::UnitZ();
  double half = 0;
  double radius = 0;  // of the cylinder around it
};

struct Touch {
  Vector3d n;  // unit, from A to B
  Vector3d a;
  Vector3d b;
};

Touch swapped(const CorePair& pair, const Touch& in_B) {
  const Vector3d a = pair.R_AB * in_B.b + pair.p_AB;
  return {-(pair.R_AB * in_B.n), a, pair.R_AB * in_B.a + pair.p_AB};
}

// The direction e of the point of a disc's rim, about the z axis, that is nearest to a line beside
// or across the disc; p and u are the line's as seen from the disc's centre. By Newton's method for
// the squared distance |P q|^2, q = r e - p, P = 1 - u u^T, from where the line leaves the disc.
Vector2d nearest_on_rim(double r, double side, const Vector3d& p, const Vector3d& u) {
  const double square = u.head<2>().squaredNorm();
  Vector2d e = p.head<2>();
  if (square > 0) e -= e.dot(u.head<2>()) / square * u.head<2>();
  const double chord = r * r - e.squaredNorm();
  // On the side where it comes down.
  if (chord > 0 && square > 0) {
    e -= std::copysign(std::sqrt(chord / square), side * u[2]) * u.head<2>();
  }
  e.normalize();
  double step = 1;
  for (int k = 0; k < kNewtonSteps && std::abs(step) > kRimDone; ++k) {
    const Vector2d t(-e[1], e[0]);
    const Vector3d q(r * e[0] - p[0], r * e[1] - p[1], -p[2]);
    const Vector2d Pq = q.head<2>() - u.dot(q) * u.head<2>();
    const double ut = u.head<2>().dot(t);
    const double curvature = r * (1 - ut * ut) - e.dot(Pq);
    step = curvature > 0 ? std::clamp(-t.dot(Pq) / curvature, -0.5, 0.5) : -0.5;
    e = (e + step * t).normalized();
  }
  return e;
}

// The rim of a cylinder, the one towards `start`, on a line. With D from the rim's centre to the
// line and rho = |(n_x, n_y)|, f(n) = n . D - r rho is largest among the n at right angles to the
// line: by Newton's method in the angle.
bool rim_on_line(const ConvexCore& cylinder, const Line& line, const Vector3d& start,
                 Touch& touch) {
  const double r = cylinder.size[0];
  const double z = std::copysign(cylinder.size[2], start[2]);
  const Vector3d D = line.p - Vector3d(0, 0, z);
  const Vector2d e = nearest_on_rim(r, z, D, line.u);
  Vector3d n = D - Vector3d(r * e[0], r * e[1], 0);
  n = (n - line.u.dot(n) * line.u).normalized();
  double step = 1;
  for (int k = 0; k < kNewtonSteps && std::abs(step) > kNewtonDone; ++k) {
    const Vector3d t = line.u.cross(n);
    const double rho = std::sqrt(n[0] * n[0] + n[1] * n[1]);
    const double rho1 = -n[2] * t[2] / rho;
    const double rho2 = (n[2] * n[2] - t[2] * t[2] - rho1 * rho1) / rho;
    const double f1 = t.dot(D) - r * rho1;
    const double f2 = -n.dot(D) - r * rho2;
    if (!(f2 < 0)) return false;
    step = -f1 / f2;
    n = (n + step * t).normalized();
  }
  if (!(std::abs(step) <= kNewtonDone) || n[2] * z < 0) return false;
  const double rho = std::sqrt(n[0] * n[0] + n[1] * n[1]);
  const Vector3d a(r * n[0] / rho, r * n[1] / rho, z);
  const double along = line.u.dot(a - line.p);
  if (!(std::abs(along) <= line.half)) return false;
  touch = {n, a, line.p + along * line.u - line.radius * n};
  return true;
}

// The point p outside the cylinder A.
bool point_on_cylinder(const ConvexCore& cylinder, const Vector3d& p, Touch& touch) {
  const double rho = std::sqrt(p[0] * p[0] + p[1] * p[1]);
  const double shrink = rho > cylinder.size[0] ? cylinder.size[0] / rho : 1;
  const Vector3d a(shrink * p[0], shrink * p[1],
                   std::clamp(p[2], -cylinder.size[2], cylinder.size[2]));
  const double distance = (p - a).norm();
  if (!(distance > 0)) return false;
  touch = {(p - a) / distance, a, p};
  return true;
}

// The furthest point of B on a face of A that is nearly upright on n.
bool point_on_face(CorePair& pair, const Vector3d& n, Touch& touch) {
  const int face = aligned_face(pair.a, n, pair.hint_a);
  if (face < 0) return false;
  const Vector3d m = face_normal(pair.a, face);
  if (m.dot(n) < kTryFace) return false;
  const Vector3d b = support(pair, m).b();
  const int axis = face / 2;
  Vector3d a = b;
  a[axis] = m[axis] * pair.a.size[axis];
  const bool outside = pair.a.kind == Kind::kCylinder ? a.head<2>().norm() > pair.a.size[0]
                                                      : (a.cwiseAbs() - pair.a.size).maxCoeff() > 0;
  if (outside) return false;
  touch = {m, a, b};
  return true;
}

bool has_axis(const ConvexCore& core) {
  return core.kind == Kind::kSegment || core.kind == Kind::kCylinder;
}

CorePair reversed(const CorePair& pair) {
  CorePair result;
  result.a = pair.b;
  result.b = pair.a;
  result.R_AB = pair.R_AB.transpose();
  result.p_AB = -(result.R_AB * pair.p_AB);
  result.size = pair.size;
  return result;
}

// The axis of B, or its edge next to a contact whose normal is n.
bool line_of_b(const CorePair& pair, const Vector3d& n, Line& line) {
  if (has_axis(pair.b)) {
    line = {pair.p_AB, pair.R_AB.col(2), pair.b.size[2], pair.b.size[0]};
    return true;
  }
  std::array<Vector3d, 2> ends;
  const Vector3d n_B = -(pair.R_AB.transpose() * n);
  if (!supporting_segment(pair.b, n_B, pair.hint_b, kTryEdge, ends)) return false;
  const double half = 0.5 * (ends[1] - ends[0]).norm();
  const Vector3d u = pair.R_AB * (ends[1] - ends[0]) / (2 * half);
  line = {pair.R_AB * (0.5 * (ends[0] + ends[1])) + pair.p_AB, u, half, 0};
  return true;
}

bool take_if_proven(CorePair& pair, const Touch& touch, Separation& separation) {
  separation = {separation_along(pair, touch.n), touch.n, touch.a, touch.b, ReferenceFace::kNone};
  return is_proven(pair, separation);
}

// What A's ends, rims and faces do to B.
bool touch_of_a(CorePair& pair, const Vector3d& n, Touch& touch, Separation& separation) {
  if (pair.a.kind == Kind::kCylinder) {
    if (pair.b.kind == Kind::kSegment) {
      const Vector3d end = support(pair, n).b();
      if (point_on_cylinder(pair.a, end, touch) && take_if_proven(pair, touch, separation))
        return true;
    }
    Line line;
    if (line_of_b(pair, n, line) && rim_on_line(pair.a, line, n, touch) &&
        take_if_proven(pair, touch, separation)) {
      return true;
    }
  }
  return point_on_face(pair, n, touch) && take_if_proven(pair, touch, separation);
}

bool try_from(CorePair& pair, const Vector3d& n, Separation& separation) {
  if (separate_by_edges(pair, n, separation) && is_proven(pair, separation)) return true;
  Touch touch;
  if (touch_of_a(pair, n, touch, separation)) return true;
  CorePair other = reversed(pair);
  if (!touch_of_a(other, -(pair.R_AB.transpose() * n), touch, separation)) return false;
  return take_if_proven(pair, swapped(pair, touch), separation);
}

// From the nearest points of the axes of segments and cylinders.
bool normal_of_axes(const CorePair& pair, Vector3d& n) {
  const Vector3d d1(0, 0, pair.a.size[2]);
  const Vector3d d2 = pair.b.size[2] * pair.R_AB.col(2);
  double s, t;
  nearest_on_segments(Vector3d::Zero(), d1, pair.p_AB, d2, s, t);
  n = pair.p_AB + t * d2 - s * d1;
  const double length = n.norm();
  n /= length;
  return length > kCrossing * pair.size;
}

bool normal_of_eroded(const CorePair& pair, Vector3d& n) {
  CorePair eroded = pair;
  for (ConvexCore* core : {&eroded.a, &eroded.b}) {
    if (core->kind != Kind::kSegment) core->size.array() -= kErode * core->size.minCoeff();
  }
  const GjkResult apart = gjk(eroded, std::numeric_limits<double>::infinity(), kRough);
  n = apart.n;
  return apart.status == GjkStatus::kApart;
}

// With no points yet.
Separation along(CorePair& pair, const Vector3d& n) {
  const Vector3d nowhere = Vector3d::Constant(std::numeric_limits<double>::infinity());
  return {separation_along(pair, n), n, Vector3d::Zero(), nowhere, ReferenceFace::kNone};
}

}  // namespace

bool separate_likely(CorePair& pair, double limit, Separation& separation) {
  if (pair.a.kind == Kind::kHull || pair.b.kind == Kind::kHull) return false;
  Vector3d n;
  if (has_axis(pair.a) && has_axis(pair.b) && normal_of_axes(pair, n)) {
    separation = along(pair, n);
    if (separation.value > limit || try_from(pair, n, separation)) return true;
  }
  if (!normal_of_eroded(pair, n)) return false;
  separation = along(pair, n);
  if (separation.value > limit || try_from(pair, n, separation)) return true;
  separation = along(pair, n);
  refine_normal(pair, separation);
  return is_proven(pair, separation);
}

}  // namespace stiction
