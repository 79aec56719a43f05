// A signed distance on a grid of nodes, interpolated by cubic splines (Catmull-Rom) along each
// axis: continuous with its gradient, which is the derivative of the very same interpolant.
#include <stiction/error.h>

#include <array>
#include <cmath>

#include "geometry/mesh.h"
#include "geometry/sdf/bake.h"
#include "geometry/sdf/contour.h"
#include "geometry/sdf/foot.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3i;

struct Weights {
  std::array<double, 4> value, slope;
};

// Of the four nodes around a point at the share t between the middle two.
Weights catmull_rom(double t) {
  const double t2 = t * t, t3 = t2 * t;
  return {{(-t3 + 2 * t2 - t) / 2, (3 * t3 - 5 * t2 + 2) / 2, (-3 * t3 + 4 * t2 + t) / 2,
           (t3 - t2) / 2},
          {(-3 * t2 + 4 * t - 1) / 2, (9 * t2 - 10 * t) / 2, (-9 * t2 + 8 * t + 1) / 2,
           (3 * t2 - 2 * t) / 2}};
}

double interpolate(const DistanceGrid& grid, const Vector3d& p, Vector3d& gradient) {
  // Between the second and the last but one node.
  const Vector3d low = grid.origin + Vector3d::Constant(grid.spacing);
  const Vector3d high =
      grid.origin + grid.spacing * (grid.nodes.cast<double>() - Vector3d::Constant(2.000001));
  const Vector3d inside = p.cwiseMax(low).cwiseMin(high);
  const Vector3d u = (inside - grid.origin) / grid.spacing;
  // Rounding may put `low` just below the second node.
  const Vector3i last = grid.nodes - Vector3i::Constant(3);
  const Vector3i cell = u.array().floor().cast<int>().max(1).min(last.array());
  std::array<Weights, 3> w;
  for (int axis = 0; axis < 3; ++axis) w[axis] = catmull_rom(u[axis] - cell[axis]);
  double value = 0;
  gradient.setZero();
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 4; ++j) {
      const double* row = &grid.values[grid.index(cell[0] - 1, cell[1] - 1 + j, cell[2] - 1 + k)];
      double along = 0, slope = 0;
      for (int i = 0; i < 4; ++i) {
        along += w[0].value[i] * row[i];
        slope += w[0].slope[i] * row[i];
      }
      const double yz = w[1].value[j] * w[2].value[k];
      value += along * yz;
      gradient[0] += slope * yz;
      gradient[1] += along * w[1].slope[j] * w[2].value[k];
      gradient[2] += along * w[1].value[j] * w[2].slope[k];
    }
  }
  gradient /= grid.spacing;
  const Vector3d beyond = p - inside;
  const double far = beyond.norm();
  if (far == 0) return value;
  // Outside of the grid the distance to it is added.
  for (int axis = 0; axis < 3; ++axis) {
    if (beyond[axis] != 0) gradient[axis] = beyond[axis] / far;
  }
  return value + far;
}

}  // namespace

SdfPointer make_grid(const std::string& name, const TriangleMesh& mesh, int resolution) {
  if (resolution < 8 || resolution > 512) {
    throw InputError("sdf '" + name + "': resolution " + std::to_string(resolution) +
                     ", expected 8 to 512");
  }
  auto grid = std::make_shared<const DistanceGrid>(bake(mesh, resolution));
  Sdf sdf;
  sdf.name = name;
  sdf.detail = 4 * grid->spacing;
  sdf.lipschitz = 1.5;  // of the splines, where they overshoot at kinks
  sdf.distance = [grid](const Vector3d& p, Vector3d& gradient) {
    return interpolate(*grid, p, gradient);
  };
  sdf.outside = [function = sdf.distance, spacing = grid->spacing](const Vector3d& p,
                                                                   Vector3d& gradient) {
    return distance_to_foot(function, spacing, p, gradient);
  };
  sdf.surface = contour(name, sdf.distance, bounds_of(mesh), 2 * grid->spacing);
  return std::make_shared<const Sdf>(std::move(sdf));
}

}  // namespace stiction
