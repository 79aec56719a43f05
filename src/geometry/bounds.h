// Axis-aligned boxes around shapes. Every shape lies within the sum of a box and an ellipsoid about
// one centre: a capsule is a line plus a ball, a cylinder a line plus a disc. With the rows r_i of
// the rotation, half sizes h of the box and radii e of the ellipsoid, its extent along axis i is
//   |r_i| . h + |(r_i1 e_1, r_i2 e_2, r_i3 e_3)|,
// which is exact for every shape but meshes and height fields, whose boxes are those of their own
// axes.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>

#include "geometry/collide.h"

namespace stiction {

/// An axis-aligned box; infinite ones are allowed.
struct Bounds {
  Eigen::Vector3d lower = Eigen::Vector3d::Zero();
  Eigen::Vector3d upper = Eigen::Vector3d::Zero();
};

/// Along one axis. Combined with & rather than &&: which of them fails is hard to predict.
inline bool overlap(const Bounds& a, const Bounds& b, int axis) {
  return bool(int(a.lower[axis] <= b.upper[axis]) & int(b.lower[axis] <= a.upper[axis]));
}

inline bool overlap(const Bounds& a, const Bounds& b) {
  return bool(int(overlap(a, b, 0)) & int(overlap(a, b, 1)) & int(overlap(a, b, 2)));
}

/// In the shape's frame.
struct Extent {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Vector3d half = Eigen::Vector3d::Zero();
  Eigen::Vector3d radii = Eigen::Vector3d::Zero();
  /// Of a ball about the shape's origin.
  double radius() const { return center.norm() + half.norm() + radii.maxCoeff(); }
};

/// Infinite for planes.
Extent extent(const Shape& shape);

inline Bounds bounds_of(const Extent& extent, const Frame& X_WS) {
  const Eigen::Vector3d center = X_WS.p + X_WS.R * extent.center;
  const bool ball = extent.radii[0] == extent.radii[1] && extent.radii[1] == extent.radii[2];
  Eigen::Vector3d round = extent.radii;  // whichever way a ball turns
  if (!ball) round = (X_WS.R.cwiseAbs2() * extent.radii.cwiseAbs2()).cwiseSqrt();
  const Eigen::Vector3d reach = X_WS.R.cwiseAbs() * extent.half + round;
  return {center - reach, center + reach};
}

/// A sphere, a capsule or a cylinder.
inline bool is_about_axis(const Extent& extent) {
  return extent.center.isZero(0) && extent.half.head<2>().isZero(0) &&
         extent.radii[0] == extent.radii[1] &&
         (extent.radii[2] == 0 || extent.radii[2] == extent.radii[0]);
}

/// The same as bounds_of, of what is about an axis, for which no more of the rotation is needed.
inline Bounds bounds_about_axis(const Extent& extent, const Eigen::Vector3d& p,
                                const Eigen::Vector3d& axis) {
  const double radius = extent.radii[0];
  Eigen::Vector3d reach = extent.half[2] * axis.cwiseAbs();
  if (extent.radii[2] == radius) {
    reach.array() += radius;
  } else {
    // A little more, so that rounding makes no box too small.
    reach.array() += radius * (1 + 1e-15 - axis.array().square()).max(0).sqrt();
  }
  return {p - reach, p + reach};
}

}  // namespace stiction
