// Contacts that a search face by face leaves inexact, or does not see.
#pragma once

#include "geometry/sdf/block_sampler.h"
#include "geometry/sdf/surface_clusters.h"

namespace stiction {

/// Beside edges, of which B's faces may know only the chords, the search leaves something to gain:
/// for the deepest contacts, it is found. `vertices` are those of B's tree.
void settle_deepest(const SurfacePair& pair, const std::vector<Sample>& vertices,
                    std::vector<SurfaceContact>& found);

/// One contact where both are deepest, which pushes them apart by the sum of both depths: the
/// search for it begins at `start`, in A's frame.
void add_deepest(const SurfacePair& pair, const Eigen::Vector3d& start, Contacts& contacts);

}  // namespace stiction
