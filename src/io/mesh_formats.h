// One reader per mesh format, from the file's bytes. Errors are thrown as InputError without the
// file's name, which load_mesh_file adds. Vertices need not be joined, nor finite.
#pragma once

#include <stiction/shapes.h>

#include <string>

namespace stiction {

TriangleMesh parse_stl(const std::string& bytes);
TriangleMesh parse_msh(const std::string& bytes);
/// By assimp.
TriangleMesh parse_obj(const std::string& bytes);
TriangleMesh parse_dae(const std::string& bytes);

}  // namespace stiction
