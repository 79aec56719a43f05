// Distance of two convex cores: the algorithm of Gilbert, Johnson and Keerthi (1988). A simplex in
// A - B walks towards the origin; v is its point nearest to the origin, and the support w along -v
// bounds the distance from below by v . w / |v|.
#pragma once

#include "geometry/support.h"

namespace stiction {

enum class GjkStatus {
  kApart,    ///< distance, n, a and b are right
  kBeyond,   ///< further apart than the limit along n, nothing else is known
  kTouching  ///< overlapping, or too near for n to be exact
};

struct GjkResult {
  GjkStatus status = GjkStatus::kTouching;
  Eigen::Vector3d n = Eigen::Vector3d::UnitX();  ///< unit, from A to B
  Eigen::Vector3d a = Eigen::Vector3d::Zero();   ///< nearest points
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  int iterations = 0;
};

/// Ends when the distance is known to the relative `tolerance`.
GjkResult gjk(CorePair& pair, double limit, double tolerance);

}  // namespace stiction
