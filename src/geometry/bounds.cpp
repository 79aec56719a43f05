#include "geometry/bounds.h"

#include <stiction/sdf.h>

#include <algorithm>
#include <limits>

namespace stiction {
namespace {

using Eigen::Vector3d;

struct MakeExtent {
  Extent operator()(const Plane&) const {
    return {.half = Vector3d::Constant(std::numeric_limits<double>::infinity())};
  }
  Extent operator()(const Sphere& sphere) const {
    return {.radii = Vector3d::Constant(sphere.radius)};
  }
  Extent operator()(const Capsule& capsule) const {
    return {.half = Vector3d(0, 0, capsule.half_length),
            .radii = Vector3d::Constant(capsule.radius)};
  }
  Extent operator()(const Cylinder& cylinder) const {
    return {.half = Vector3d(0, 0, cylinder.half_length),
            .radii = Vector3d(cylinder.radius, cylinder.radius, 0)};
  }
  Extent operator()(const Box& box) const { return {.half = box.half_size}; }
  Extent operator()(const Ellipsoid& ellipsoid) const { return {.radii = ellipsoid.radii}; }
  Extent operator()(const ConvexMesh& convex) const { return of_vertices(*convex.mesh); }
  Extent operator()(const MeshSurface& surface) const { return of_vertices(*surface.mesh); }
  Extent operator()(const SdfSolid& solid) const { return of_vertices(solid.sdf->surface); }
  static Extent of_vertices(const TriangleMesh& mesh) {
    const std::vector<Vector3d>& vertices = mesh.vertices;
    Vector3d lower = vertices.front();
    Vector3d upper = vertices.front();
    for (const Vector3d& vertex : vertices) {
      lower = lower.cwiseMin(vertex);
      upper = upper.cwiseMax(vertex);
    }
    return {.center = 0.5 * (lower + upper), .half = 0.5 * (upper - lower)};
  }
  Extent operator()(const HeightField& field) const {
    const HeightGrid& grid = *field.grid;
    const double top = *std::max_element(grid.heights.begin(), grid.heights.end());
    return {.center = Vector3d(0, 0, 0.5 * (top - grid.base)),
            .half = Vector3d(grid.half_extent[0], grid.half_extent[1], 0.5 * (top + grid.base))};
  }
};

}  // namespace

Extent extent(const Shape& shape) { return std::visit(MakeExtent{}, shape); }

}  // namespace stiction
