// Proofs that a normal of two cores is the best.
#pragma once

#include "geometry/separation.h"

namespace stiction {

/// The distance of cores apart: their points are no further from each other than n separates.
bool is_exact(const CorePair& pair, const Separation& separation);

/// Nearer than this share of the size, a distance proves nothing.
constexpr double kNear = 1e-6;

/// Whether n is where the cores are furthest apart, or overlap least, as far as rounding tells.
///
/// Points of cores apart prove it that are as far from each other as n separates. If the cores
/// overlap by d, w = a - b = d n lies on the surface of A - B, and n is the shortest way out if a
/// ball within A - B touches w from inside whose radius is at least d: it contains the ball of
/// radius d about the origin. A ball within either core is one within A - B, moved.
bool is_proven(const CorePair& pair, const Separation& separation);

}  // namespace stiction
