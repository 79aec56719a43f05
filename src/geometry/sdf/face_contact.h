// The contact of one face of a surface with a distance field.
#pragma once

#include "geometry/sdf/block_sampler.h"
#include "geometry/sdf/face_search.h"
#include "geometry/sdf/surface_clusters.h"

namespace stiction {

/// Where A's distance is least on the face, or the sum of both distances if B is an SDF; `vertices`
/// are those of B's tree.
FacePoint least_on_face(const SurfacePair& pair, const std::vector<Sample>& vertices, int face);

/// What becomes of that point: false if it is no contact within the margin.
bool contact_at(const SurfacePair& pair, const NearFace& near, FacePoint point, double margin,
                SurfaceContact& found);

}  // namespace stiction
