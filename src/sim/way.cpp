#include "sim/way.h"

#include <cmath>

#include "geometry/support.h"
#include "math/rotation.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Cosine of the angle between two normals that mean the same side of a body.
constexpr double kSameSide = 0.7;

// As far as the normal of a plane goes: another direction has no answer.
double reach(const Shape& shape, const Frame& X_WS, const Vector3d& d) {
  if (std::holds_alternative<Plane>(shape)) return d.dot(X_WS.p);
  const ConvexCore core = convex_core(shape);
  int hint = 0;
  const Vector3d d_S = X_WS.R.transpose() * d;
  return d.dot(X_WS.p) + d_S.dot(support(core, d_S, hint)) + core.radius;
}

// o + rho of the material point that ends at x.
Vector3d middle(const Way& way, const Vector3d& x) {
  const Vector3d half = exp_rotation(-0.5 * way.turn) * (x - way.o_end);
  const double angle = way.turn.norm();
  if (angle == 0) return way.o_start + half;
  const Vector3d axis = way.turn / angle;
  const Vector3d along = axis.dot(half) * axis;
  return way.o_start + along + std::sin(angle / 2) / (angle / 2) * (half - along);
}

// Of the ball around the core, on which another point touches when it has turned. Two bodies that
// turn about each other roll off the point that one of them would have.
double ball_radius(const Shape& shape, const Way& other) {
  if (std::holds_alternative<Plane>(shape) || !other.turn.isZero(0)) return 0;
  return convex_core(shape).radius;
}

// The material points that end at x_a and x_b, seen from the start: of two bodies that turn, the
// one that turns more says where. What the arms leave is in the gap; across it each body's point
// is its own (assemble.h).
ContactPoint seen_from_start(const Way& a, const Way& b, const Vector3d& x_a, const Vector3d& x_b,
                             const Vector3d& n) {
  const double turns = a.turn.norm() + b.turn.norm();
  const double share = turns > 0 ? a.turn.norm() / turns : 0;
  const Vector3d out_a = ball_radius(a.shape, b) * n;
  const Vector3d out_b = -ball_radius(b.shape, a) * n;
  const Vector3d p =
      share * (middle(a, x_a - out_a) + out_a) + (1 - share) * (middle(b, x_b - out_b) + out_b);
  const auto moved = [&](const Way& way) -> Vector3d {
    return way.shift + way.turn.cross(p - way.o_start);
  };
  const double gap = std::max(n.dot(x_b - x_a) - n.dot(moved(b) - moved(a)), 0.0);
  return {p + (share - 0.5) * gap * n, n, gap, 0};
}

}  // namespace

Frame pose_at(const Way& way, double t) {
  return {exp_rotation(t * way.turn).toRotationMatrix() * way.start.R,
          way.start.p + t * (way.end.p - way.start.p)};
}

double end_gap(const Way& a, const Way& b, const Vector3d& n) {
  return -reach(a.shape, a.end, n) - reach(b.shape, b.end, -n);
}

double start_gap(const Way& a, const Way& b, const Vector3d& n) {
  return -reach(a.shape, a.start, n) - reach(b.shape, b.start, -n);
}

// Moved apart so that they just touch, they have the contacts of that side.
void find_end_points(const Way& a, const Way& b, const Vector3d& n, double gap, double margin,
                     std::vector<ContactPoint>& points) {
  Frame X_WB = b.end;
  X_WB.p -= gap * n;
  points.clear();
  collide(a.shape, a.end, b.shape, X_WB, margin - gap, points, nullptr);
  std::erase_if(points, [&](const ContactPoint& point) { return point.n.dot(n) < kSameSide; });
  for (ContactPoint& point : points) {
    const Vector3d half_gap = 0.5 * point.gap * point.n;
    point = seen_from_start(a, b, point.p - half_gap, point.p + half_gap + gap * n, point.n);
  }
}

}  // namespace stiction
