// The triangulated zero of a distance function.
#pragma once

#include <stiction/sdf.h>

#include "geometry/broad_phase.h"

namespace stiction {

Bounds bounds_of(const TriangleMesh& mesh);

/// By marching tetrahedra on a grid of cells of size `edge` over the bounds: each cell is cut into
/// six tetrahedra around a diagonal, in each of which the zero is one or two triangles with corners
/// on its edges. The surface is closed. Throws InputError with the name if the grid would be larger
/// than 256^3 cells or nothing is found.
TriangleMesh contour(const std::string& name, const DistanceFunction& distance,
                     const Bounds& bounds, double edge);

/// Newton's method along the gradient.
void move_to_zero(const DistanceFunction& distance, Eigen::Vector3d& p);

}  // namespace stiction
