// The contact of solids that lie deep within each other.
#pragma once

#include "geometry/sdf/surface_pair.h"

namespace stiction {

/// One contact where both are deepest, which pushes them apart by the sum of both depths: the
/// search for it begins at `start`, in A's frame.
void add_deepest(const SurfacePair& pair, const Eigen::Vector3d& start, Contacts& contacts);

}  // namespace stiction
