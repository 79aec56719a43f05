// Contacts beside edges, which a search face by face leaves inexact, or does not see.
#pragma once

#include "geometry/sdf/block_sampler.h"
#include "geometry/sdf/surface_clusters.h"

namespace stiction {

/// Finds the nearest points of the two for the contacts that may be the deepest. `turned` are
/// points whose surfaces do not look at each other, the deepest of which may become a contact;
/// `vertices` are those of B's tree.
void settle_deepest(const SurfacePair& pair, const std::vector<Sample>& vertices,
                    std::vector<SurfaceContact>& turned, std::vector<SurfaceContact>& found);

}  // namespace stiction
