// Contact points of two convex shapes whose normal is known.
//
// If the normal is that of a face, or nearly, the face is the reference: what the other shape shows
// (a face, a line or a point) is clipped to it, seen along the normal, and every corner of the
// result is a contact with its own gap. Otherwise two edges or lines along each other touch at the
// ends of their overlap, and anything else touches in a point.
#pragma once

#include "geometry/pairs.h"
#include "geometry/separation.h"

namespace stiction {

void add_manifold(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                  const Frame& X_WB, double margin, Contacts& contacts);

/// Only what the other shape shows, clipped to the reference face; n need not separate best, nor be
/// quite the normal of the face. Corners that clipping makes are left out if only the other shape's
/// own are asked for.
void add_clipped(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                 const Frame& X_WB, double margin, bool own_corners, Contacts& contacts);

}  // namespace stiction
