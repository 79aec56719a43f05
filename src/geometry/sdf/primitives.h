// Exact signed distances of the primitive shapes, with gradients, in the shape's frame.
#pragma once

#include <stiction/sdf.h>

namespace stiction {

double sphere_distance(const Sphere& sphere, const Eigen::Vector3d& p, Eigen::Vector3d& gradient);
double capsule_distance(const Capsule& capsule, const Eigen::Vector3d& p,
                        Eigen::Vector3d& gradient);
double cylinder_distance(const Cylinder& cylinder, const Eigen::Vector3d& p,
                         Eigen::Vector3d& gradient);
double box_distance(const Box& box, const Eigen::Vector3d& p, Eigen::Vector3d& gradient);
double ellipsoid_distance(const Ellipsoid& ellipsoid, const Eigen::Vector3d& p,
                          Eigen::Vector3d& gradient);

/// Of the intersection of two solids, outside as well: exact beside a straight edge of 90 degrees
/// or more, a lower bound beside an acute one.
double intersect(double a, const Eigen::Vector3d& gradient_a, double b,
                 const Eigen::Vector3d& gradient_b, Eigen::Vector3d& gradient);

/// Turns (radius, height) derivatives at p into a gradient; on the axis the radius grows along x.
Eigen::Vector3d revolve_gradient(const Eigen::Vector3d& p, const Eigen::Vector2d& gradient);

}  // namespace stiction
