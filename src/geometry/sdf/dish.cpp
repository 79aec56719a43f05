// Dishes: SDF_3d(p) = SDF_2d(|p_xy|, p_z), SDF_2d = min over the segments of the distance - d
// ([TRO25] Appendix B). The surface is the outline of the thickened polyline, revolved: up along
// its outer side, around its end, and back along its inner side.
#include <stiction/error.h>
#include <stiction/sdf.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/mesh.h"
#include "geometry/sdf/triangulate.h"

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

struct Segment {
  Vector2d start;
  Vector2d along;         // to its end
  double inverse_square;  // of its length
};

Segment segment_between(const Vector2d& start, const Vector2d& end) {
  return {start, end - start, 1 / (end - start).squaredNorm()};
}

template <int N>
using Row = std::array<double, N>;

// The result at N points.
template <int N>
struct Revolved {
  Row<N> distance, grad_x, grad_y, grad_z;
};

// The nearest segment is found in the half plane (radius, height). Without branches, so that the
// compiler makes vectors of the loops.
template <int N>
Revolved<N> revolved_distances(const Segment* segments, size_t count, double half_thickness,
                               const Row<N>& x, const Row<N>& y, const Row<N>& z) {
  Row<N> radius, square, out_r, out_z;  // out: from the nearest point
  for (int i = 0; i < N; ++i) {
    radius[i] = std::sqrt(x[i] * x[i] + y[i] * y[i]);
    square[i] = std::numeric_limits<double>::infinity();
    out_r[i] = out_z[i] = 0;
  }
  for (size_t k = 0; k < count; ++k) {
    const Segment& segment = segments[k];
    for (int i = 0; i < N; ++i) {
      const double from_r = radius[i] - segment.start[0], from_z = z[i] - segment.start[1];
      const double share =
          (from_r * segment.along[0] + from_z * segment.along[1]) * segment.inverse_square;
      const double t = share < 0 ? 0 : share > 1 ? 1 : share;
      const double away_r = from_r - t * segment.along[0], away_z = from_z - t * segment.along[1];
      const double away = away_r * away_r + away_z * away_z;
      const bool nearer = !(away >= square[i]);
      square[i] = nearer ? away : square[i];
      out_r[i] = nearer ? away_r : out_r[i];
      out_z[i] = nearer ? away_z : out_z[i];
    }
  }
  constexpr double kTiny = std::numeric_limits<double>::min();
  Revolved<N> result;
  for (int i = 0; i < N; ++i) {
    const double d = std::sqrt(square[i]);
    const double inverse = 1 / std::max(d, kTiny);
    const double g_r = out_r[i] * inverse;
    const double turn = g_r / std::max(radius[i], kTiny);
    const double g_x = turn * x[i], g_z = out_z[i] * inverse;
    result.distance[i] = d - half_thickness;
    result.grad_x[i] = radius[i] > 0 ? g_x : g_r;
    result.grad_y[i] = turn * y[i];
    result.grad_z[i] = d > 0 ? g_z : 1;
  }
  return result;
}

double revolved_distance(const Segment* segments, size_t count, double half_thickness,
                         const Vector3d& p, Vector3d& gradient) {
  const Revolved<1> result =
      revolved_distances<1>(segments, count, half_thickness, {p.x()}, {p.y()}, {p.z()});
  gradient = {result.grad_x[0], result.grad_y[0], result.grad_z[0]};
  return result.distance[0];
}

double angle_of(const Vector2d& d) { return std::atan2(d.y(), d.x()); }

// To the right of the direction of travel.
Vector2d right_of(const Vector2d& d) { return Vector2d(d.y(), -d.x()).normalized(); }

// Points at the distance d to the right of the chain, from the first to the last point of it. On
// the outside of a bend it is an arc; on the inside the two offset lines meet.
void add_right_side(const std::vector<Vector2d>& chain, double d, double edge,
                    std::vector<Vector2d>& outline) {
  const double step = pi / 8;
  outline.push_back(chain[0] + d * right_of(chain[1] - chain[0]));
  if (std::abs(chain[0][0]) == 0) outline.back()[0] = 0;
  for (size_t k = 1; k + 1 < chain.size(); ++k) {
    const Vector2d n0 = right_of(chain[k] - chain[k - 1]);
    const Vector2d n1 = right_of(chain[k + 1] - chain[k]);
    const double turn = std::atan2(n0.x() * n1.y() - n0.y() * n1.x(), n0.dot(n1));
    if (turn > 1e-9) {
      add_line(outline, chain[k] + d * n0, edge);
      outline.pop_back();
      add_arc(outline, chain[k], d, angle_of(n0), angle_of(n0) + turn, step);
    } else {
      add_line(outline, chain[k] + d / (1 + n0.dot(n1)) * (n0 + n1), edge);
    }
  }
  const size_t last = chain.size() - 1;
  add_line(outline, chain[last] + d * right_of(chain[last] - chain[last - 1]), edge);
}

TriangleMesh dish_surface(const Dish& dish) {
  std::vector<Vector2d> outline;
  const double d = dish.half_thickness;
  add_right_side(dish.outline, d, dish.edge, outline);
  const Vector2d end = dish.outline.back();
  const double from = angle_of(outline.back() - end);
  outline.pop_back();
  add_arc(outline, end, d, from, from + pi, pi / 8);
  std::vector<Vector2d> back(dish.outline.rbegin(), dish.outline.rend());
  std::vector<Vector2d> inner;
  add_right_side(back, d, dish.edge, inner);
  inner.back()[0] = 0;
  outline.insert(outline.end(), inner.begin() + 1, inner.end());
  return revolve(outline, dish.sectors);
}

void check(const std::string& name, const Dish& dish) {
  const auto refuse = [&](const std::string& what) {
    throw InputError("dish '" + name + "': " + what);
  };
  if (dish.outline.size() < 2) refuse("expected at least two points of its outline");
  if (!(dish.half_thickness > 0) || !std::isfinite(dish.half_thickness)) {
    refuse("half thickness is " + std::to_string(dish.half_thickness) + ", expected > 0");
  }
  if (dish.sectors < 8 || dish.sectors > 4096) {
    refuse(std::to_string(dish.sectors) + " sectors, expected 8 to 4096");
  }
  if (!(dish.edge > 0)) refuse("edge is " + number_text(dish.edge) + " m, expected > 0");
  if (dish.outline[0][0] != 0) refuse("its first point is not on the axis");
  if (dish.outline[1][1] != dish.outline[0][1]) refuse("its base is not flat");
  double length = 0;
  for (size_t k = 0; k < dish.outline.size(); ++k) {
    if (!dish.outline[k].allFinite()) refuse("a point of its outline is not finite");
    if (k == 0) continue;
    if (dish.outline[k][0] < dish.half_thickness) refuse("its wall reaches the axis");
    if ((dish.outline[k] - dish.outline[k - 1]).norm() < 2 * dish.half_thickness) {
      refuse("a segment of its outline is shorter than its thickness");
    }
    length += (dish.outline[k] - dish.outline[k - 1]).norm();
  }
  // Two sides of two triangles per piece.
  check_faces("dish '" + name + "': edge " + number_text(dish.edge) + " m with " +
                  std::to_string(dish.sectors) + " sectors",
              4 * dish.sectors * (length / dish.edge + static_cast<double>(dish.outline.size())));
}

}  // namespace

SdfPointer make_dish(const std::string& name, const Dish& dish) {
  check(name, dish);
  Sdf sdf;
  sdf.name = name;
  sdf.detail = 2 * dish.half_thickness;
  std::vector<Segment> segments;
  for (size_t k = 0; k + 1 < dish.outline.size(); ++k) {
    const Segment segment = segment_between(dish.outline[k], dish.outline[k + 1]);
    segments.push_back(segment);
    sdf.parts.push_back([segment, d = dish.half_thickness](const Vector3d& p, Vector3d& gradient) {
      return revolved_distance(&segment, 1, d, p, gradient);
    });
  }
  sdf.distance = [segments, d = dish.half_thickness](const Vector3d& p, Vector3d& gradient) {
    return revolved_distance(segments.data(), segments.size(), d, p, gradient);
  };
  sdf.distances = [segments, d = dish.half_thickness](DistanceBlock& block) {
    const auto result = revolved_distances<DistanceBlock::kSize>(segments.data(), segments.size(),
                                                                 d, block.x, block.y, block.z);
    block.distance = result.distance;
    block.grad_x = result.grad_x;
    block.grad_y = result.grad_y;
    block.grad_z = result.grad_z;
  };
  sdf.surface = dish_surface(dish);
  sdf.surface.name = name;
  return std::make_shared<const Sdf>(std::move(sdf));
}

// The polyline runs through the middle of the material: half a thickness within the outer measures.
Dish bowl_shape(double base_radius, double rim_radius, double height, double thickness) {
  const double d = thickness / 2;
  return {.outline = {{0, d}, {base_radius - d, d}, {rim_radius - d, height - d}},
          .half_thickness = d};
}

Dish plate_shape(double base_radius, double rim_radius, double height, double thickness) {
  return bowl_shape(base_radius, rim_radius, height, thickness);
}

Dish pot_shape(double radius, double height, double thickness) {
  return bowl_shape(radius, radius, height, thickness);
}

Dish bottle_shape(double radius, double neck_radius, double height, double thickness) {
  const double d = thickness / 2;
  return {.outline = {{0, d},
                      {radius - d, d},
                      {radius - d, 0.6 * height},
                      {neck_radius - d, 0.8 * height},
                      {neck_radius - d, height - d}},
          .half_thickness = d};
}

}  // namespace stiction
