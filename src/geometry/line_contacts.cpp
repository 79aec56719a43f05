#include "geometry/line_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/features.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Kind = ConvexCore::Kind;

// Instead of kAlong for two sharp edges, which touch in a point if they cross, and for a piece of a
// surface, whose normals are checked for one point only.
constexpr double kAlongStrictly = 1e-3;
// Cosine between the pair's normal and that of an end: beyond, it looks elsewhere.
constexpr double kSameSide = 0.9;
constexpr double kRounding = 1e-10;  // of the sizes
constexpr double kInexact = 1e-7;    // of the sizes: so is the nearest gap of nearly parallel lines
constexpr double kNearEnd = 0.1;     // of the length of a line
constexpr double kCoincident = 1e-8;  // of the radii
// Each leaves of an error the product of two small angles.
constexpr int kRimRounds = 4;

constexpr std::uint32_t kLowEndFeature = (1u << 31) + 1;
constexpr std::uint32_t kHighEndFeature = (1u << 31) + 2;

// The axis of a round side, or an edge.
struct Line {
  Vector3d start = Vector3d::Zero();
  Vector3d u = Vector3d::UnitZ();  // unit
  double length = 0;
  double core_radius = 0;  // of the cylinder; flat at its ends
  double radius = 0;       // with that of the ball around the core
};

// The line that looks along n, in the core's frame.
bool find_line(const ConvexCore& core, const Vector3d& n, int vertex, Line& line) {
  std::array<Vector3d, 2> ends;
  if (!supporting_segment(core, n, vertex, kAlong, ends)) return false;
  if (core.kind == Kind::kCylinder) {
    for (Vector3d& end : ends) end.head<2>().setZero();
    line.core_radius = core.size[0];
  }
  line.radius = line.core_radius + core.radius;
  line.length = (ends[1] - ends[0]).norm();
  line.start = ends[0];
  line.u = (ends[1] - ends[0]) / line.length;
  return true;
}

// The surface of `own` around the point `end` of its axis, and the line `other`: the point midway
// between the surfaces, the normal from `own`, the gap. `n` is the normal where the axes meet.
//
// The normal is at right angles to `other` and starts on the axis of `own`. If it leans, it leaves
// a cylinder's rim from a point before or behind the centre of the rim.
ContactPoint touch(const Line& own, const Vector3d& end, const Line& other, const Vector3d& n) {
  ContactPoint contact;
  Vector3d p = end;
  double distance = 0, cosine = 1;
  for (int k = 0; k < kRimRounds; ++k) {
    const Vector3d d = other.start - p;
    const Vector3d across = d - d.dot(other.u) * other.u;
    distance = across.norm();
    contact.n = distance > kCoincident * (own.radius + other.radius) ? across / distance : n;
    const double sine = contact.n.dot(own.u);
    cosine = std::sqrt(1 - sine * sine);
    if (own.core_radius == 0 || k + 1 == kRimRounds) break;
    p = end - own.core_radius * sine / cosine * own.u;
  }
  const double to_surface = own.core_radius / cosine + own.radius - own.core_radius;
  contact.gap = distance - to_surface - other.radius;
  contact.p = p + (to_surface + 0.5 * contact.gap) * contact.n;
  return contact;
}

// How far p is beyond the start of the line, negative, or its end.
double beyond(const Line& line, const Vector3d& p) {
  const double along = line.u.dot(p - line.start);
  return std::min(along, 0.0) + std::max(along - line.length, 0.0);
}

// At the end `p` of `own`, or as near to it as what it touches of `other` still is on it. False if
// that is not near.
bool touch_near(const Line& own, Vector3d p, const Line& other, const Vector3d& n, double tolerance,
                ContactPoint& contact) {
  for (int k = 0; k < 3; ++k) {
    contact = touch(own, p, other, n);
    const double off = beyond(other, contact.p + 0.5 * contact.gap * contact.n);
    if (std::abs(off) <= tolerance) return true;
    if (std::abs(off) > kNearEnd * own.length) return false;
    p -= off / own.u.dot(other.u) * own.u;
  }
  return false;
}

// The common normal of sharp edges is the pair's.
ContactPoint touch_sharp(const Vector3d& p, const Line& other, const Vector3d& n) {
  const Vector3d on_other = other.start + (p - other.start).dot(other.u) * other.u;
  return {0.5 * (p + on_other), n, n.dot(on_other - p), 0};
}

}  // namespace

void add_line_ends(const CorePair& pair, const Vector3d& n, double nearest, const Frame& X_WA,
                   double margin, Contacts& contacts) {
  Line a, b;
  const Vector3d n_B = -pair.R_AB.transpose() * n;
  if (!find_line(pair.a, n, pair.hint_a, a) || !find_line(pair.b, n_B, pair.hint_b, b)) return;
  b.start = pair.R_AB * b.start + pair.p_AB;
  b.u = pair.R_AB * b.u;
  const bool sharp = a.radius + b.radius == 0;
  const double along = sharp || pair.piece != 0 ? kAlongStrictly : kAlong;
  const double sine = std::max({a.u.cross(b.u).norm(), std::abs(n.dot(a.u)), std::abs(n.dot(b.u))});
  if (sine > along) return;
  if (a.u.dot(b.u) < 0) {  // the same way round
    b.start += b.length * b.u;
    b.u = -b.u;
  }
  const double low = a.u.dot(b.start - a.start);
  const double high = a.u.dot(b.start + b.length * b.u - a.start);
  if (std::max(0.0, low) >= std::min(a.length, high)) return;
  const auto add = [&](bool of_a, double end, std::uint32_t feature) {
    const Line& own = of_a ? a : b;
    const Line& other = of_a ? b : a;
    const Vector3d p = own.start + end * own.length * own.u;
    const Vector3d n_own = of_a ? n : Vector3d(-n);
    ContactPoint contact;
    if (sharp) {
      contact = touch_sharp(p, other, n_own);
    } else if (!touch_near(own, p, other, n_own, kRounding * pair.size, contact)) {
      return;
    }
    if (!of_a) contact.n = -contact.n;
    if (!(contact.gap < margin) || !(contact.n.dot(n) > kSameSide)) return;
    if (contact.gap < nearest - kInexact * pair.size) return;
    contacts.push_back({X_WA.R * contact.p + X_WA.p, X_WA.R * contact.n, contact.gap, feature});
  };
  add(low <= 0, 0, kLowEndFeature);
  add(high >= a.length, 1, kHighEndFeature);
}

}  // namespace stiction
