// The least translation that parts two overlapping cores, by the expanding polytope of van den
// Bergen (2001). A polytope inside A - B grows at the face nearest to the origin until that face
// lies on the surface. It starts from a tetrahedron that need not contain the origin: distances of
// faces are signed, so a pair that just touches or is just apart comes out right as well.
#pragma once

#include "geometry/support.h"

namespace stiction {

struct EpaResult {
  Eigen::Vector3d n = Eigen::Vector3d::UnitX();  ///< unit, from A to B
  Eigen::Vector3d a = Eigen::Vector3d::Zero();   ///< deepest points
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  int iterations = 0;
};

EpaResult epa(CorePair& pair);

}  // namespace stiction
