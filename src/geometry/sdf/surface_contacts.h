// Contacts of a distance field A with a triangulated surface B.
//
// On every face near A the field is minimised by the Frank-Wolfe method: the gradient picks a
// corner, and a line search goes towards it ([TRO25] section VII-A; Macklin et al., "Local
// optimization for robust signed distance field collision", 2020). If B is an SDF itself, gaps must
// not feel the facets of its surface. Then the sum of both distances is minimised: along the line
// between two nearest points it is the gap, wherever the face crosses that line; and the minimum
// moves from the face to the zero of B's distance. The gap is A's distance there, the normal its
// gradient, at edges of A the one just outside.
#pragma once

#include <stiction/sdf.h>

#include "geometry/pairs.h"
#include "geometry/surface_tree.h"

namespace stiction {

struct Field {
  const DistanceFunction& distance;
  const Frame& X_WA;
  double lipschitz = 1;
  const BlockFunction* distances = nullptr;   ///< the same at several points, if there is one
  const DistanceFunction* outside = nullptr;  ///< see Sdf; null if there is none
};

struct Surface {
  const SurfaceTree& tree;
  const Frame& X_WB;
  const DistanceFunction* distance = nullptr;  ///< null for a surface that is only triangles
  double lipschitz = 1;
  const DistanceFunction* outside = nullptr;  ///< see Sdf; null if there is none
};

Field field_of(const SdfSolid& solid, const Frame& X_WS);
Surface surface_of(const SdfSolid& solid, const Frame& X_WS);

/// What there was to do, summed up for the benchmark.
struct SurfaceWork {
  long faces = 0;       ///< minimised over
  long candidates = 0;  ///< contacts before the clustering
};

/// Appends contacts with normals from A to B. A contact at a vertex is named by it, others by their
/// face, a cluster by its patch.
void collide_surface(const Field& a, const Surface& b, double margin, Contacts& contacts);

/// Of this thread since the last time that it was taken.
SurfaceWork take_surface_work();

/// Names above those of clusters' patches, for points of the other shape.
constexpr std::uint32_t kProbeFeature = 0xc0000000u;

/// Appends `point` of shape B against the field A: n from A to B.
void add_probe(const Field& a, const Eigen::Vector3d& point_W, double margin, std::uint32_t feature,
               Contacts& contacts);

}  // namespace stiction
