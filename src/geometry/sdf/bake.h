// Signed distances of a closed mesh at the nodes of a grid.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

struct DistanceGrid {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  double spacing = 0;
  Eigen::Vector3i nodes = Eigen::Vector3i::Zero();
  std::vector<double> values{};  ///< x fastest

  size_t index(int x, int y, int z) const {
    return (static_cast<size_t>(z) * nodes[1] + y) * nodes[0] + x;
  }
};

/// `resolution` cells along the longest side, and three around. Computed on all cores, or read from
/// the cache folder ($XDG_CACHE_HOME or ~/.cache, stiction/sdf) where an earlier run left it under
/// the hash of the mesh and the resolution. Throws InputError with the mesh's name if it is open,
/// inside out, flat or not finite.
DistanceGrid bake(const TriangleMesh& mesh, int resolution);

/// Throws InputError with the mesh's name if an edge has no neighbour that runs the other way.
void check_closed(const TriangleMesh& mesh);

}  // namespace stiction
