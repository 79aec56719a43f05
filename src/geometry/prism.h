// The prism below a triangle, as which a piece of a surface meets convex shapes.
#pragma once

#include "geometry/hull.h"

namespace stiction {

/// Corner k of the triangle is vertex k; vertex k + 3 is below it. Faces: top, bottom, and one per
/// edge from corner k to the next. Vertices and normals are to be set.
ConvexHull make_prism();

/// Normals, centre and radius for its vertices; `top` is the triangle's normal, `up` the unit
/// direction from the lower vertices to the upper ones.
void finish_prism(const Eigen::Vector3d& top, const Eigen::Vector3d& up, ConvexHull& prism);

}  // namespace stiction
