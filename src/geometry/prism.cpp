#include "geometry/prism.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace stiction {

ConvexHull make_prism() {
  ConvexHull prism;
  prism.vertices.resize(6);
  prism.normals.resize(5);
  prism.neighbors = {{0, 3, 6, 9, 12, 15, 18},
                     {1, 2, 3, 2, 0, 4, 0, 1, 5, 4, 5, 0, 5, 3, 1, 3, 4, 2}};
  prism.rings = {{0, 3, 6, 10, 14, 18}, {0, 1, 2, 5, 4, 3, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0}};
  prism.faces = {{0, 3, 6, 9, 12, 15, 18}, {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4}};
  return prism;
}

void finish_prism(const Eigen::Vector3d& top, const Eigen::Vector3d& up, ConvexHull& prism) {
  prism.center.setZero();
  prism.radius = 0;
  for (const Eigen::Vector3d& p : prism.vertices) {
    prism.center += p / 6;
    prism.radius = std::max(prism.radius, p.norm());
  }
  prism.normals[0] = top;
  prism.normals[1] = -up;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d along = prism.vertices[(k + 1) % 3] - prism.vertices[k];
    prism.normals[2 + k] = along.cross(up).normalized();
  }
}

}  // namespace stiction
