// Faces and edges of cores, as contact manifolds need them. Faces of boxes are numbered
// 2 axis + (1 if positive); the caps of a cylinder as a box's z faces; faces of hulls as they come.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/support.h"

namespace stiction {

/// A corner of a polygon and the edge that leaves it. Names are below 2^12.
struct RingVertex {
  Eigen::Vector3d p;
  std::uint32_t id = 0;
  std::uint32_t edge = 0;
};

/// A convex polygon, counter-clockwise; two vertices are a segment, one is a point.
struct Ring {
  std::array<RingVertex, 2 * kMaxRing> vertices;
  int count = 0;
  std::uint32_t face = 0;  ///< what it is of
  void add(const Eigen::Vector3d& p, std::uint32_t id, std::uint32_t edge) {
    if (count < static_cast<int>(vertices.size())) vertices[count++] = {p, id, edge};
  }
};

/// The face that looks most along the unit n, or -1 if none is near. `vertex` is a hull's support.
int aligned_face(const ConvexCore& core, const Eigen::Vector3d& n, int vertex);
Eigen::Vector3d face_normal(const ConvexCore& core, int face);

/// Boundary of a flat face; a disc becomes eight points whose first is furthest along `lowest`.
void face_ring(const ConvexCore& core, int face, const Eigen::Vector3d& lowest, Ring& ring);

/// What the core shows to something that approaches against n: the face that looks most along n,
/// however tilted, else the line or the point that is furthest.
void facing_ring(const ConvexCore& core, const Eigen::Vector3d& n, int vertex, Ring& ring);

/// The edge or line furthest along n, if it is at right angles to n within the angle `tolerance`.
bool supporting_segment(const ConvexCore& core, const Eigen::Vector3d& n, int vertex,
                        double tolerance, std::array<Eigen::Vector3d, 2>& ends);

}  // namespace stiction
