// The thread profiles behind bolts and nuts.
#pragma once

#include <stiction/sdf.h>

#include "geometry/sdf/thread.h"

namespace stiction {

/// Rounded root of radius H / 6, as ISO 68-1 allows: minor diameter d - 17/12 H.
ThreadProfile bolt_profile(const MetricThread& thread);

/// Of the hole: the nut's grooves are its ridges, rounded with H / 12.
ThreadProfile nut_hole_profile(const MetricThread& thread);

}  // namespace stiction
