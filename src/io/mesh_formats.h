// One reader per mesh format, from the file's bytes. Vertices need not be joined, nor finite.
// Errors are thrown as InputError; those that do not begin with the path get it from
// load_mesh_file.
#pragma once

#include <stiction/shapes.h>

#include <string>
#include <vector>

namespace stiction {

TriangleMesh parse_stl(const std::string& bytes);
TriangleMesh parse_msh(const std::string& bytes);
TriangleMesh parse_obj(const std::string& bytes);
TriangleMesh parse_dae(const std::string& path, const std::string& bytes);

/// Triangles that fill a polygon given by its corners, convex or not, keeping its orientation.
std::vector<Eigen::Vector3i> triangulate(const std::vector<Eigen::Vector3d>& vertices,
                                         std::vector<int> polygon);

}  // namespace stiction
