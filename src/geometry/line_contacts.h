// Where two lines, the edges of boxes and hulls and the sides of cylinders and capsules, touch
// along their length: contacts at both ends of their overlap.
//
// Lines need not be parallel. A cylinder that lands on another a little tilted touches with one
// end, and comes down on the other within a step; crossed by a little, two cylinders rock on a
// curve that is nearly straight. So each end has its own gap and normal, from the axis of the one
// that ends there at right angles to the axis of the other, and counts if the gap is within the
// margin.
#pragma once

#include "geometry/pairs.h"
#include "geometry/support.h"

namespace stiction {

/// Sine of the angle up to which lines lie along each other.
constexpr double kAlong = 0.2;

/// `n` is the normal of the pair, in the frame of A, and `nearest` its gap: no end is nearer. Adds
/// nothing if the lines do not lie along each other.
void add_line_ends(const CorePair& pair, const Eigen::Vector3d& n, double nearest,
                   const Frame& X_WA, double margin, Contacts& contacts);

}  // namespace stiction
