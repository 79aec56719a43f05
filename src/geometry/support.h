// Convex shapes by their support functions.
//
// A shape is a core inflated by a ball of some radius: a sphere is a point, a capsule a segment;
// the others are their own cores. Two shapes are apart by the distance of their cores less the
// radii, so round shapes in shallow contact never overlap as far as their cores are concerned.
//
// The separation of the cores A and B along a unit n, from A to B, is
//   s(n) = -h_A(n) - h_B(-n),   h(n) = max over the core of n . x,
// and the signed gap of the shapes is the maximum of s over n, less the radii, whether they overlap
// or not. It is -h(n) of the Minkowski difference A - B.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>

#include "geometry/collide.h"
#include "geometry/hull.h"

namespace stiction {

struct ConvexCore {
  enum class Kind { kPoint, kSegment, kCylinder, kBox, kEllipsoid, kHull };
  Kind kind = Kind::kPoint;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();    ///< half sizes or radii; z along the axis
  double radius = 0;                                 ///< of the ball around the core
  double bound = 0;                                  ///< radius of a ball about the origin
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< a point inside
  const ConvexHull* hull = nullptr;
};

/// Its support function has no corners but at the caps of a cylinder.
inline bool is_smooth(const ConvexCore& core) {
  return core.kind == ConvexCore::Kind::kEllipsoid || core.kind == ConvexCore::Kind::kCylinder;
}

/// The shape is convex, and a convex mesh is prepared.
ConvexCore convex_core(const Shape& shape);

/// A point of the core furthest along d, in the shape's frame. `hint` is where a hull starts
/// looking, and left at the vertex found.
Eigen::Vector3d support(const ConvexCore& core, const Eigen::Vector3d& d, int& hint);

/// A point of A - B with the point of A it comes from.
struct DifferencePoint {
  Eigen::Vector3d w;
  Eigen::Vector3d a;
  Eigen::Vector3d b() const { return a - w; }
};

/// Two cores in the frame of the first, so that results do not depend on where the pair is.
struct CorePair {
  ConvexCore a;
  ConvexCore b;
  Eigen::Matrix3d R_AB = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_AB = Eigen::Vector3d::Zero();
  double size = 0;  ///< of the pair, for tolerances
  int hint_a = 0;
  int hint_b = 0;
  std::uint32_t piece = 0;  ///< a name for A if it is a piece of a larger surface
};

CorePair make_pair_of_cores(const ConvexCore& a, const Frame& X_WA, const ConvexCore& b,
                            const Frame& X_WB);

/// Support of A - B along d, any length.
DifferencePoint support(CorePair& pair, const Eigen::Vector3d& d);

/// Of the cores, along a unit n from A to B.
inline double separation_along(CorePair& pair, const Eigen::Vector3d& n) {
  return -n.dot(support(pair, n).w);
}

}  // namespace stiction
