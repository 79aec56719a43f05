// Contacts beside edges, which a search face by face leaves inexact, or does not see.
#pragma once

#include "geometry/sdf/surface_clusters.h"
#include "geometry/sdf/surface_pair.h"

namespace stiction {

/// Finds the nearest points of the two for the contacts that may be the deepest. `turned` are
/// points whose surfaces do not look at each other, the deepest of which may become a contact.
void settle_deepest(const SurfacePair& pair, std::vector<SurfaceContact>& turned,
                    std::vector<SurfaceContact>& found);

}  // namespace stiction
