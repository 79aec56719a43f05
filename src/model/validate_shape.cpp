#include <stiction/sdf.h>

#include <cmath>

#include "model/checks.h"

namespace stiction {
namespace {

void check_size(const Part& where, const char* what,
                const Eigen::Ref<const Eigen::VectorXd>& sizes) {
  for (const double size : sizes) check_positive(where, what, size);
}

void check(const Part& where, const Plane& plane) {
  check_not_negative(where, "half extent", plane.half_extent.x());
  check_not_negative(where, "half extent", plane.half_extent.y());
}

void check(const Part& where, const Sphere& sphere) {
  check_positive(where, "radius", sphere.radius);
}

void check(const Part& where, const Capsule& capsule) {
  check_positive(where, "radius", capsule.radius);
  check_not_negative(where, "half length", capsule.half_length);
}

void check(const Part& where, const Cylinder& cylinder) {
  check_positive(where, "radius", cylinder.radius);
  check_positive(where, "half length", cylinder.half_length);
}

void check(const Part& where, const Box& box) { check_size(where, "half size", box.half_size); }

void check(const Part& where, const Ellipsoid& ellipsoid) {
  check_size(where, "radius", ellipsoid.radii);
}

void check(const Part& where, const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) refuse(where, "mesh has no vertices");
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    if (!vertex.allFinite())
      refuse(where, "mesh '" + mesh.name + "' has a vertex that is not finite");
  }
  const int count = static_cast<int>(mesh.vertices.size());
  for (const Eigen::Vector3i& triangle : mesh.triangles) {
    if (triangle.minCoeff() < 0 || triangle.maxCoeff() >= count) {
      refuse(where, "mesh '" + mesh.name + "' has a triangle with vertex " +
                        std::to_string(triangle.maxCoeff()) + " of " + std::to_string(count));
    }
  }
}

void check(const Part& where, const ConvexMesh& shape) {
  check(where, shape.mesh ? *shape.mesh : TriangleMesh{});
}

void check(const Part& where, const MeshSurface& shape) {
  check(where, shape.mesh ? *shape.mesh : TriangleMesh{});
  if (shape.mesh->triangles.empty()) {
    refuse(where, "mesh '" + shape.mesh->name + "' has no triangles");
  }
}

void check(const Part& where, const SdfSolid& shape) {
  if (!shape.sdf || !shape.sdf->distance) refuse(where, "signed distance shape has no distance");
  check(where, shape.sdf->surface);
  check_positive(where, "detail of a signed distance shape", shape.sdf->detail);
  check_positive(where, "Lipschitz bound of a signed distance shape", shape.sdf->lipschitz);
}

void check(const Part& where, const HeightField& shape) {
  if (!shape.grid) refuse(where, "height field has no grid");
  const HeightGrid& grid = *shape.grid;
  if (grid.rows < 2 || grid.cols < 2) {
    refuse(where, "height field is " + std::to_string(grid.rows) + " x " +
                      std::to_string(grid.cols) + ", expected at least 2 x 2");
  }
  if (grid.heights.size() != static_cast<size_t>(grid.rows) * static_cast<size_t>(grid.cols)) {
    refuse(where, "height field has " + std::to_string(grid.heights.size()) + " heights for " +
                      std::to_string(grid.rows) + " x " + std::to_string(grid.cols));
  }
  for (const double height : grid.heights) check_finite(where, "height", height);
  check_size(where, "half extent", grid.half_extent);
  check_not_negative(where, "base", grid.base);
}

}  // namespace

void validate_shape(const Part& where, const Shape& shape) {
  std::visit([&](const auto& s) { check(where, s); }, shape);
}

}  // namespace stiction
