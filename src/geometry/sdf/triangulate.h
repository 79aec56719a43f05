// Triangulated surfaces of solids of revolution and boxes, closed and seen from outside.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace stiction {

/// Throws InputError, beginning with `where`, if a surface would get more triangles than are of any
/// use, and none of the memory is left.
void check_faces(const std::string& where, double count);

/// The revolved outline: (radius, height) counter-clockwise in that half plane, that is from the
/// lower end on the axis, outwards and up, to the upper end on the axis.
TriangleMesh revolve(const std::vector<Eigen::Vector2d>& outline, int sectors);

/// Appends points of the segment from the last point of the outline to `end`, at most `edge` apart.
void add_line(std::vector<Eigen::Vector2d>& outline, const Eigen::Vector2d& end, double edge);

/// Appends points of the arc about `center` from angle `from` to `to`, both ends included.
void add_arc(std::vector<Eigen::Vector2d>& outline, const Eigen::Vector2d& center, double radius,
             double from, double to, double step);

/// Of a sphere, capsule, cylinder or box.
TriangleMesh triangulate_primitive(const Shape& shape, double edge);

}  // namespace stiction
