// Meshes with known volumes, for the mesh tests.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Geometry>
#include <array>
#include <map>

namespace stiction {

/// Counter-clockwise seen from outside, corners in binary order of (x, y, z).
inline TriangleMesh box_mesh(const Eigen::Vector3d& half, const Eigen::Vector3d& center) {
  TriangleMesh mesh;
  mesh.name = "box";
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d sign(i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1);
    mesh.vertices.push_back(center + half.cwiseProduct(sign));
  }
  const int quads[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                           {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  for (const auto& q : quads) {
    mesh.triangles.emplace_back(q[0], q[1], q[2]);
    mesh.triangles.emplace_back(q[0], q[2], q[3]);
  }
  return mesh;
}

inline TriangleMesh inside_out(TriangleMesh mesh) {
  for (Eigen::Vector3i& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

/// An octahedron refined `levels` times with its vertices pushed to the unit sphere.
inline TriangleMesh sphere_mesh(int levels) {
  TriangleMesh mesh;
  mesh.name = "sphere";
  for (int k = 0; k < 3; ++k) {
    mesh.vertices.push_back(Eigen::Vector3d::Unit(k));
    mesh.vertices.push_back(-Eigen::Vector3d::Unit(k));
  }
  for (int i = 0; i < 8; ++i) {
    const int x = i & 4 ? 1 : 0, y = i & 2 ? 3 : 2, z = i & 1 ? 5 : 4;
    const bool flip = (x + (y - 2) + (z - 4)) % 2 == 1;
    mesh.triangles.emplace_back(x, flip ? z : y, flip ? y : z);
  }
  for (int level = 0; level < levels; ++level) {
    std::map<std::array<int, 2>, int> middles;
    const auto middle = [&](int a, int b) {
      const std::array<int, 2> key{std::min(a, b), std::max(a, b)};
      const auto [it, is_new] = middles.try_emplace(key, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return it->second;
    };
    std::vector<Eigen::Vector3i> finer;
    for (const Eigen::Vector3i& t : mesh.triangles) {
      const int ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
      finer.insert(finer.end(), {{t[0], ab, ca}, {t[1], bc, ab}, {t[2], ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = finer;
  }
  return mesh;
}

}  // namespace stiction
