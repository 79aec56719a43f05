// Height field against any convex shape. Every cell is two triangles, each the top of a prism that
// reaches down to the base, cut along the same diagonal as MuJoCo's; prisms under the shape are
// collided one by one as convex shapes.
//
// A prism knows nothing of its neighbours: something that slides over an inner edge would hit its
// side. A surface has outward normals u at the triangle: its own m, and at a convex edge those
// between m and the neighbour's; any other u is an artefact of cutting, and m is tried in its
// place, against the triangle alone. So a flat field has one normal only, as a plane has.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "geometry/convex_manifold.h"
#include "geometry/pairs.h"
#include "geometry/prism.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Of a normal that leans over an edge.
constexpr double kLean = 1e-6;

// Corners of a triangle by column and row, counter-clockwise seen from above.
struct Triangle {
  std::array<std::array<int, 2>, 3> corners;
};

class Surface {
 public:
  explicit Surface(const HeightGrid& grid)
      : grid_(grid),
        dx_(2 * grid.half_extent[0] / (grid.cols - 1)),
        dy_(2 * grid.half_extent[1] / (grid.rows - 1)) {}

  Vector3d point(const std::array<int, 2>& at) const {
    const auto [c, r] = at;
    return {c * dx_ - grid_.half_extent[0], r * dy_ - grid_.half_extent[1],
            grid_.heights[static_cast<size_t>(r) * static_cast<size_t>(grid_.cols) + c]};
  }

  // The half of a cell below its diagonal (seen from above, to the right), or above it.
  static Triangle triangle(int c, int r, bool upper) {
    if (upper) return {{{{c, r}, {c + 1, r + 1}, {c, r + 1}}}};
    return {{{{c, r}, {c + 1, r}, {c + 1, r + 1}}}};
  }

  Vector3d normal(const Triangle& t) const {
    const Vector3d p = point(t.corners[0]);
    return (point(t.corners[1]) - p).cross(point(t.corners[2]) - p).normalized();
  }

  // Beyond edge k of the triangle; false at the border of the field.
  bool neighbor(int c, int r, bool upper, int k, Triangle& other) const {
    if (upper) {
      if (k == 1) ++r;
      if (k == 2) --c;
    } else {
      if (k == 0) --r;
      if (k == 1) ++c;
    }
    if (c < 0 || r < 0 || c + 1 >= grid_.cols || r + 1 >= grid_.rows) return false;
    other = triangle(c, r, !upper);
    return true;
  }

  // Columns or rows of cells between two coordinates.
  static std::pair<int, int> cells(double low, double high, double half, double step, int points) {
    const double last = points - 2;
    const double from = std::clamp(std::floor((low + half) / step), 0.0, last + 1);
    const double to = std::clamp(std::floor((high + half) / step), -1.0, last);
    return {static_cast<int>(from), static_cast<int>(to)};
  }
  std::pair<int, int> columns(double low, double high) const {
    return cells(low, high, grid_.half_extent[0], dx_, grid_.cols);
  }
  std::pair<int, int> rows(double low, double high) const {
    return cells(low, high, grid_.half_extent[1], dy_, grid_.rows);
  }

  double base() const { return grid_.base; }

 private:
  const HeightGrid& grid_;
  double dx_;
  double dy_;
};

void shape_prism(const Surface& surface, const Triangle& triangle, ConvexHull& prism) {
  for (int k = 0; k < 3; ++k) {
    const Vector3d p = surface.point(triangle.corners[k]);
    prism.vertices[k] = p;
    prism.vertices[k + 3] = Vector3d(p[0], p[1], -surface.base());
  }
  finish_prism(surface.normal(triangle), Vector3d::UnitZ(), prism);
}

// Whether the surface has the outward normal u at the point p of the triangle: edges that p is not
// on have no say, nor has the surface if p is not on top.
bool is_normal_of_surface(const Surface& surface, const ConvexHull& prism, int c, int r, bool upper,
                          const Vector3d& u, const Vector3d& p) {
  const Vector3d& m = prism.normals[0];
  const double on_it = 1e-7 * prism.radius;
  const bool on_top = m.dot(p - prism.vertices[0]) > -on_it;
  for (int k = 0; k < 3; ++k) {
    const Vector3d along = (prism.vertices[(k + 1) % 3] - prism.vertices[k]).normalized();
    if (u.dot(along.cross(m)) <= kLean) continue;
    if (on_top && along.cross(m).dot(p - prism.vertices[k]) < -on_it) continue;
    Triangle other;
    if (!surface.neighbor(c, r, upper, k, other)) continue;
    const Vector3d m2 = surface.normal(other);
    const bool convex = m2.dot(along.cross(m)) > 0;
    if (!convex || u.dot(m2.cross(along)) < -kLean) return false;
  }
  return true;
}

struct Query {
  const Surface& surface;
  const Frame& X_WF;
  const Frame& X_WS;
  double margin;
  CorePair pair;  // a prism and the shape
};

void collide_prism(Query& query, const ConvexHull& prism, int c, int r, bool upper,
                   Contacts& contacts) {
  CorePair& pair = query.pair;
  pair.a.bound = prism.radius;
  pair.a.center = prism.center;
  pair.size = prism.radius + pair.b.bound + pair.b.radius;
  pair.hint_a = pair.hint_b = 0;
  Separation separation;
  if (!separate(pair, query.margin + pair.b.radius, Vector3d::Zero(), separation)) return;
  const Vector3d& m = prism.normals[0];
  const bool leans =
      (separation.n - m).norm() > kLean &&
      is_normal_of_surface(query.surface, prism, c, r, upper, separation.n, separation.a);
  if (leans) {
    add_manifold(pair, separation, query.X_WF, query.X_WS, query.margin, contacts);
  } else if (separation.value > 0 && separation.n.dot(m) < 0) {
    return;  // from below, or off the border of the field: not a contact with its surface
  }
  separation = {separation_along(pair, m), m, Vector3d::Zero(), Vector3d::Zero(),
                ReferenceFace::kOfA};
  add_clipped(pair, separation, query.X_WF, query.X_WS, query.margin, leans, contacts);
}

}  // namespace

void height_field_convex(const Shape& field, const Frame& X_WF, const Shape& shape,
                         const Frame& X_WS, double margin, Contacts& contacts) {
  static thread_local ConvexHull prism = make_prism();
  const Surface surface(*std::get_if<HeightField>(&field)->grid);
  Query query{surface, X_WF, X_WS, margin, make_pair_of_cores({}, X_WF, convex_core(shape), X_WS)};
  CorePair& pair = query.pair;
  Vector3d lower, upper;
  for (int k = 0; k < 3; ++k) {
    const double reach = pair.b.radius + margin;
    lower[k] = separation_along(pair, Vector3d::Unit(k)) - reach;
    upper[k] = -separation_along(pair, -Vector3d::Unit(k)) + reach;
  }
  pair.a = {.kind = ConvexCore::Kind::kHull, .hull = &prism};
  const auto [c0, c1] = surface.columns(lower[0], upper[0]);
  const auto [r0, r1] = surface.rows(lower[1], upper[1]);
  static thread_local Contacts found;
  found.clear();
  for (int r = r0; r <= r1; ++r) {
    for (int c = c0; c <= c1; ++c) {
      for (const bool half : {false, true}) {
        const Triangle triangle = Surface::triangle(c, r, half);
        shape_prism(surface, triangle, prism);
        const double top =
            std::max({prism.vertices[0][2], prism.vertices[1][2], prism.vertices[2][2]});
        if (top < lower[2]) continue;
        pair.piece = static_cast<std::uint32_t>(2 * (r * 4096 + c) + half + 1);
        collide_prism(query, prism, c, r, half, found);
      }
    }
  }
  merge_by_normal(found, margin, contacts);
}

}  // namespace stiction
