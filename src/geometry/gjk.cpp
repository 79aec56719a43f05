#include "geometry/gjk.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kMaxIterations = 100;
constexpr double kRounding = 1e-15;  // of a support point, relative to the size of the pair
constexpr double kFlatEdge = 1e-10;  // sine of the angle of an edge with a face
constexpr double kTouching = 1e-10;  // distance relative to the size of the pair

using Points = std::array<DifferencePoint, 4>;

// The point nearest to the origin of a simplex, as a mean of up to three of its corners.
struct Nearest {
  std::array<int, 3> corners{};
  std::array<double, 3> weights{};
  int count = 0;
  Vector3d v = Vector3d::Zero();
  double square = std::numeric_limits<double>::infinity();  // |v|^2
};

void keep_if_nearer(const Nearest& candidate, Nearest& best) {
  if (candidate.square < best.square) best = candidate;
}

Nearest nearest_on_point(const Points& p, int i) {
  return {{i, 0, 0}, {1, 0, 0}, 1, p[i].w, p[i].w.squaredNorm()};
}

Nearest nearest_on_segment(const Points& p, int i, int j) {
  const Vector3d d = p[j].w - p[i].w;
  const double along = -p[i].w.dot(d);
  const double length = d.squaredNorm();
  if (along <= 0) return nearest_on_point(p, i);
  if (along >= length) return nearest_on_point(p, j);
  const double t = along / length;
  const Vector3d v = p[i].w + t * d;
  return {{i, j, 0}, {1 - t, t, 0}, 2, v, v.squaredNorm()};
}

Nearest nearest_on_triangle(const Points& p, int i, int j, int k) {
  const Vector3d normal = (p[j].w - p[i].w).cross(p[k].w - p[i].w);
  const double square = normal.squaredNorm();
  const Vector3d areas(normal.dot(p[j].w.cross(p[k].w)), normal.dot(p[k].w.cross(p[i].w)),
                       normal.dot(p[i].w.cross(p[j].w)));
  if (square > 0 && areas.minCoeff() > 0) {
    const double sum = areas.sum();
    const Vector3d v = normal.dot(p[i].w) / square * normal;
    return {{i, j, k}, {areas[0] / sum, areas[1] / sum, areas[2] / sum}, 3, v, v.squaredNorm()};
  }
  // The nearest point is on an edge that has the origin on its outer side.
  Nearest best;
  if (areas[2] <= 0 || !(square > 0)) keep_if_nearer(nearest_on_segment(p, i, j), best);
  if (areas[0] <= 0 || !(square > 0)) keep_if_nearer(nearest_on_segment(p, j, k), best);
  if (areas[1] <= 0 || !(square > 0)) keep_if_nearer(nearest_on_segment(p, k, i), best);
  return best;
}

// The origin is inside if no face has it on its outer side; a flat tetrahedron has no inside. No
// corners are returned if it is.
Nearest nearest_on_tetrahedron(const Points& p) {
  constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Nearest best;
  for (const auto& f : faces) {
    const Vector3d normal = (p[f[1]].w - p[f[0]].w).cross(p[f[2]].w - p[f[0]].w);
    const Vector3d apex = p[f[3]].w - p[f[0]].w;
    const double inner = normal.dot(apex);
    const double origin = -normal.dot(p[f[0]].w);
    const bool flat =
        inner * inner <= kFlatEdge * kFlatEdge * normal.squaredNorm() * apex.squaredNorm();
    if (!flat && inner * origin > 0) continue;
    keep_if_nearer(nearest_on_triangle(p, f[0], f[1], f[2]), best);
  }
  return best;
}

// The corners that the nearest point needs, in front.
struct Simplex {
  Points points;
  Nearest nearest;

  void reduce(const Nearest& to) {
    nearest = to;
    const Points old = points;
    for (int k = 0; k < to.count; ++k) {
      points[k] = old[to.corners[k]];
      nearest.corners[k] = k;
    }
  }
  // With one point more; false if that does not bring it nearer. `inside` says that it encloses the
  // origin.
  bool add(const DifferencePoint& p, bool& inside) {
    const int count = nearest.count;
    points[count] = p;
    const Nearest next = count == 1   ? nearest_on_segment(points, 0, 1)
                         : count == 2 ? nearest_on_triangle(points, 0, 1, 2)
                                      : nearest_on_tetrahedron(points);
    inside = next.count == 0;
    if (inside || !(next.square < nearest.square)) return false;
    reduce(next);
    return true;
  }
};

bool contains(const Simplex& s, const Vector3d& w) {
  for (int k = 0; k < s.nearest.count; ++k) {
    if (s.points[k].w == w) return true;
  }
  return false;
}

void set_apart(const Simplex& s, GjkResult& result) {
  result.status = GjkStatus::kApart;
  result.n = -s.nearest.v / std::sqrt(s.nearest.square);
  for (int k = 0; k < s.nearest.count; ++k) {
    result.a += s.nearest.weights[k] * s.points[k].a;
    result.b += s.nearest.weights[k] * s.points[k].b();
  }
}

}  // namespace

GjkResult gjk(CorePair& pair, double limit, double tolerance) {
  GjkResult result;
  const double touching = kTouching * pair.size;
  const Vector3d towards = pair.p_AB + pair.R_AB * pair.b.center - pair.a.center;
  Simplex simplex;
  simplex.points[0] = support(pair, towards);
  simplex.nearest = nearest_on_point(simplex.points, 0);
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const Vector3d v = simplex.nearest.v;
    const double distance = std::sqrt(simplex.nearest.square);
    if (!(distance > touching)) return result;
    const DifferencePoint p = support(pair, -v);
    const double bound = v.dot(p.w) / distance;
    if (bound > limit) {
      result.status = GjkStatus::kBeyond;
      result.n = -v / distance;
      return result;
    }
    if (distance - bound <= tolerance * distance + kRounding * pair.size) break;
    if (contains(simplex, p.w)) break;
    bool inside;
    if (!simplex.add(p, inside)) {
      if (inside) return result;
      break;  // as near as rounding lets it
    }
  }
  set_apart(simplex, result);
  return result;
}

}  // namespace stiction
