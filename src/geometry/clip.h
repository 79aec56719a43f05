// Polygons, segments and points clipped to a face along its normal. Corners that the clipping makes
// are named by the two edges that cross there, so that they keep their names from step to step.
#pragma once

#include "geometry/features.h"

namespace stiction {

/// Keeps what lies, seen along the unit n, within the convex polygon `sides`, counter-clockwise
/// about n, or at most `slack` outside.
void clip_to_face(const Ring& sides, const Eigen::Vector3d& n, double slack, Ring& ring);

/// The same for the disc of a radius about the z axis, in which eight points of its rim stand for
/// the arcs.
void clip_to_disc(double radius, double slack, Ring& ring);

}  // namespace stiction
