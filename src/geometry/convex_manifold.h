// Contact points of two convex shapes whose normal is known.
//
// If the normal is that of a face, the face is the reference: what the other shape shows (a face, a
// line or a point) is clipped to it, and every corner of the result is a contact with its own gap.
// Otherwise two parallel edges or lines touch along the ends of their overlap, and anything else
// touches in a point.
#pragma once

#include "geometry/pairs.h"
#include "geometry/separation.h"

namespace stiction {

constexpr int kMaxManifold = 8;

void add_manifold(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                  const Frame& X_WB, double margin, Contacts& contacts);

/// Leaves at most kMaxManifold contacts from `first` on: the deepest, then one by one the one that
/// is furthest, across the normal, from those kept.
void keep_widest(Contacts& contacts, size_t first);

}  // namespace stiction
