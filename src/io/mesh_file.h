// Mesh files in: STL, OBJ, DAE through assimp, and MuJoCo's binary MSH.
#pragma once

#include <stiction/shapes.h>

#include <string>

namespace stiction {

/// Vertices as in the file (units of the file, no axis conversion but DAE's up-axis and unit when
/// asked), faces triangulated. Throws InputError naming the file and what is wrong with it.
TriangleMesh load_mesh_file(const std::string& path);

}  // namespace stiction
