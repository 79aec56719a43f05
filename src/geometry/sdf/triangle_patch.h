// A triangle of a surface with those around it, and the distance to them.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "geometry/sdf/face_search.h"
#include "geometry/sdf/surface_pair.h"

namespace stiction {

/// In A's frame. Triangles count that share a corner with the face, if there are not too many.
class TrianglePatch {
 public:
  TrianglePatch(const SurfacePair& pair, int face) : pair_(pair) {
    add(face);
    for (int k = 0; k < count_; ++k) {
      for (const SurfaceTree::Edge& edge : pair.tree.edges[faces_[k]]) {
        if (edge.neighbor >= 0 && shares_corner(edge.neighbor, face)) add(edge.neighbor);
      }
    }
  }

  /// To the nearest one, from either side.
  double distance(const Eigen::Vector3d& x, Eigen::Vector3d& gradient) const {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < count_; ++k) {
      const auto& [p, q, r] = corners_[k];
      const Eigen::Vector3d w = nearest_weights(p, q, r, x);
      const Eigen::Vector3d away = x - w[0] * p - w[1] * q - w[2] * r;
      if (away.squaredNorm() >= least) continue;
      least = away.squaredNorm();
      gradient = away;
    }
    const double d = std::sqrt(least);
    gradient /= d;
    return d;
  }

 private:
  static constexpr int kMost = 24;

  bool shares_corner(int face, int other) const {
    for (const int v : pair_.tree.faces[face]) {
      if ((pair_.tree.faces[other].array() == v).any()) return true;
    }
    return false;
  }

  void add(int face) {
    if (count_ == kMost) return;
    for (int k = 0; k < count_; ++k) {
      if (faces_[k] == face) return;
    }
    for (int k = 0; k < 3; ++k) {
      corners_[count_][k] =
          pair_.R_AB * pair_.tree.vertices[pair_.tree.faces[face][k]] + pair_.p_AB;
    }
    faces_[count_++] = face;
  }

  const SurfacePair& pair_;
  std::array<int, kMost> faces_;
  std::array<std::array<Eigen::Vector3d, 3>, kMost> corners_;
  int count_ = 0;
};

}  // namespace stiction
