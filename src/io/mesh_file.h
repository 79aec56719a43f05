// Mesh files in: STL, OBJ, DAE and MuJoCo's binary MSH, told apart by extension.
//
// Vertices are as in the file: no axis conversion, the file's unit. STL repeats each vertex for
// every triangle; equal positions are joined, in the order of their first appearance, in every
// format. OBJ and DAE polygons are triangulated, sub-meshes merged with their nodes' transforms.
// DAE: <unit meter=...> is applied, <up_axis> is not, as RViz does: robot descriptions place
// meshes in link axes, whatever the modelling program called "up".
#pragma once

#include <stiction/shapes.h>

#include <string>

namespace stiction {

/// Named after the file. Throws InputError naming the file and what is wrong with it: missing,
/// unknown extension, truncated, malformed, not finite, no triangles.
TriangleMesh load_mesh_file(const std::string& path);

}  // namespace stiction
