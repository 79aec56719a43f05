// Mass of bodies put together from parts.
#pragma once

#include <stiction/model.h>

namespace stiction {

/// Adds a part to the body: its mass, centre (body frame) and inertia about that centre (body
/// axes).
void add_mass(Body& body, double mass, const Eigen::Vector3d& com, const Eigen::Matrix3d& inertia);

/// Inertia about a point at distance d of the centre, minus that about the centre:
/// m (d.d 1 - d d^T).
Eigen::Matrix3d point_mass_inertia(double mass, const Eigen::Vector3d& d);

}  // namespace stiction
