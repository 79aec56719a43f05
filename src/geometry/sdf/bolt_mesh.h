// Triangulated surfaces of bolts and nuts. Rows of vertices follow the helix, at the corners of the
// profile, so that flanks are flat across and crests keep their edges.
#pragma once

#include <stiction/sdf.h>

#include "geometry/sdf/thread.h"

namespace stiction {

/// A countersink of 120 degrees that starts 5 % outside of the thread (ISO 4032: d_a).
inline double countersink_radius(const Nut& nut) { return 0.525 * nut.thread.diameter; }
constexpr double kCountersinkSlope = 1.7320508075688772;

TriangleMesh bolt_mesh(const Bolt& bolt, const ThreadProfile& profile);
TriangleMesh nut_mesh(const Nut& nut, const ThreadProfile& hole);

}  // namespace stiction
