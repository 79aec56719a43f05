// Normals that need no search: most pairs of round cores touch in one of a few ways, each with a
// closed form or an equation in one unknown. What is found counts only if it is proven.
//   lines    a segment or the side of a cylinder across another, n = u_A x u_B
//   end      of a segment, on a cylinder
//   rim      of a cylinder on a line: a segment, a side, an edge of a box
//   face     of a box or a cap, on which the other core's furthest point lies
#pragma once

#include "geometry/separation.h"

namespace stiction {

/// Tries what is likely. True if it is proven, or `separation.value` is beyond the limit along n.
bool separate_likely(CorePair& pair, double limit, Separation& separation);

}  // namespace stiction
