// The distance to the zero of a smooth function that is a distance only nearly.
#pragma once

#include <stiction/sdf.h>

namespace stiction {

/// From p, outside, to the nearest point of the zero next to it: the foot y, where p - y is along
/// the gradient, by Newton's method on the surface with its curvature from differences. `scale` is
/// the length over which the function bends. Where that finds nothing, what the function says.
double distance_to_foot(const DistanceFunction& function, double scale, const Eigen::Vector3d& p,
                        Eigen::Vector3d& gradient);

}  // namespace stiction
