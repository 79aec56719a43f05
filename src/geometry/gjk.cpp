#include "geometry/gjk.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kMaxIterations = 100;
constexpr double kRelativeGap = 1e-13;  // between |v| and its lower bound
constexpr double kRounding = 1e-15;     // of a support point, relative to the size of the pair
constexpr double kFlat = 1e-10;         // sine of the angle of an edge with a face
constexpr double kTouching = 1e-10;     // distance relative to the size of the pair

// Up to four points, with the weights of the point nearest to the origin.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights;
  int count = 0;
  Vector3d v = Vector3d::Zero();
  double square = std::numeric_limits<double>::infinity();  // |v|^2
};

void keep_if_nearer(const Simplex& candidate, Simplex& best) {
  if (candidate.square < best.square) best = candidate;
}

Simplex nearest_on_point(const DifferencePoint& p) {
  Simplex s;
  s.points[0] = p;
  s.weights[0] = 1;
  s.count = 1;
  s.v = p.w;
  s.square = s.v.squaredNorm();
  return s;
}

Simplex nearest_on_segment(const DifferencePoint& p, const DifferencePoint& q) {
  const Vector3d d = q.w - p.w;
  const double along = -p.w.dot(d);
  const double length = d.squaredNorm();
  if (along <= 0) return nearest_on_point(p);
  if (along >= length) return nearest_on_point(q);
  const double t = along / length;
  Simplex s;
  s.points[0] = p;
  s.points[1] = q;
  s.weights[0] = 1 - t;
  s.weights[1] = t;
  s.count = 2;
  s.v = p.w + t * d;
  s.square = s.v.squaredNorm();
  return s;
}

Simplex nearest_on_triangle(const DifferencePoint& p, const DifferencePoint& q,
                            const DifferencePoint& r) {
  const Vector3d normal = (q.w - p.w).cross(r.w - p.w);
  const double square = normal.squaredNorm();
  const Vector3d areas(normal.dot(q.w.cross(r.w)), normal.dot(r.w.cross(p.w)),
                       normal.dot(p.w.cross(q.w)));
  if (square > 0 && areas.minCoeff() > 0) {
    Simplex s;
    s.points[0] = p;
    s.points[1] = q;
    s.points[2] = r;
    const double sum = areas.sum();
    for (int k = 0; k < 3; ++k) s.weights[k] = areas[k] / sum;
    s.count = 3;
    s.v = normal.dot(p.w) / square * normal;
    s.square = s.v.squaredNorm();
    return s;
  }
  Simplex best = nearest_on_segment(p, q);
  keep_if_nearer(nearest_on_segment(q, r), best);
  keep_if_nearer(nearest_on_segment(r, p), best);
  return best;
}

// The origin is inside if no face has it on its outer side; a flat tetrahedron has no inside.
Simplex nearest_on_tetrahedron(const std::array<DifferencePoint, 4>& p) {
  constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Simplex best;
  for (const auto& f : faces) {
    const Vector3d normal = (p[f[1]].w - p[f[0]].w).cross(p[f[2]].w - p[f[0]].w);
    const Vector3d apex = p[f[3]].w - p[f[0]].w;
    const double inner = normal.dot(apex);
    const double origin = -normal.dot(p[f[0]].w);
    const bool flat = std::abs(inner) <= kFlat * normal.norm() * apex.norm();
    if (!flat && inner * origin > 0) continue;
    keep_if_nearer(nearest_on_triangle(p[f[0]], p[f[1]], p[f[2]]), best);
  }
  if (best.count == 0) {
    best.count = 4;
    best.square = 0;
  }
  return best;
}

Simplex add_point(const Simplex& s, const DifferencePoint& p) {
  switch (s.count) {
    case 1:
      return nearest_on_segment(s.points[0], p);
    case 2:
      return nearest_on_triangle(s.points[0], s.points[1], p);
    default:
      return nearest_on_tetrahedron({s.points[0], s.points[1], s.points[2], p});
  }
}

bool contains(const Simplex& s, const Vector3d& w) {
  for (int k = 0; k < s.count; ++k) {
    if (s.points[k].w == w) return true;
  }
  return false;
}

void set_apart(const Simplex& s, GjkResult& result) {
  result.status = GjkStatus::kApart;
  result.n = -s.v / std::sqrt(s.square);
  for (int k = 0; k < s.count; ++k) {
    result.a += s.weights[k] * s.points[k].a;
    result.b += s.weights[k] * s.points[k].b();
  }
}

}  // namespace

GjkResult gjk(CorePair& pair, double limit) {
  GjkResult result;
  const double touching = kTouching * pair.size;
  const Vector3d towards = pair.p_AB + pair.R_AB * pair.b.center - pair.a.center;
  Simplex simplex = nearest_on_point(support(pair, towards));
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const double distance = std::sqrt(simplex.square);
    if (!(distance > touching)) return result;
    const DifferencePoint p = support(pair, -simplex.v);
    const double bound = simplex.v.dot(p.w) / distance;
    if (bound > limit) {
      result.status = GjkStatus::kBeyond;
      result.n = -simplex.v / distance;
      return result;
    }
    if (distance - bound <= kRelativeGap * distance + kRounding * pair.size) break;
    if (contains(simplex, p.w)) break;
    const Simplex next = add_point(simplex, p);
    if (next.count == 4) return result;
    if (!(next.square < simplex.square)) break;  // as near as rounding lets it
    simplex = next;
  }
  set_apart(simplex, result);
  return result;
}

}  // namespace stiction
