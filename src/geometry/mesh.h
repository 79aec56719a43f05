// Mass, centre and inertia of shapes and triangle meshes, and convex hulls.
//
// A solid mesh is a sum of tetrahedra, one per triangle (a, b, d) with a common apex o. With the
// vertices taken relative to o and s = a + b + d,
//   volume = a . (b x d) / 6,   first moment = volume s / 4,
//   second moment C = volume (a a^T + b b^T + d d^T + s s^T) / 20,   inertia = tr(C) 1 - C.
// The methods differ in the volume's sign and in o:
//   kExact   signed volumes: right for closed meshes, any o;
//   kConvex  kExact on the convex hull;
//   kLegacy  |volume|, MuJoCo's default. Centre: that of the tetrahedra whose apex is the centroid
//            of the surface; volume and inertia: of the tetrahedra whose apex is that centre.
//            Right for shapes star-shaped about their centre, also open ones; hollow and strongly
//            curved ones come out too heavy;
//   kShell   the surface itself: `volume` is an area, density is in kg/m^2.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <string>

namespace stiction {

/// At density 1: `volume` is the mass, inertia about the centre in the shape's axes.
struct VolumeProperties {
  double volume = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

enum class MeshInertia { kLegacy, kExact, kConvex, kShell };  ///< MJCF's mesh inertia attribute

/// Throws InputError with the mesh's name if the mesh has no volume or is not finite.
VolumeProperties mesh_volume_properties(const TriangleMesh& mesh, MeshInertia method);
VolumeProperties volume_properties(const Shape& shape);

/// By Qhull, triangulated, outward orientation; only the hull's vertices are kept, in the mesh's
/// order. Throws InputError (name, reason) for flat meshes.
TriangleMesh convex_hull(const TriangleMesh& mesh);

/// Throws InputError with the mesh's name if a vertex is not finite, a triangle refers to none, or
/// the mesh is wider than 1e9 m.
void check_mesh(const TriangleMesh& mesh);

/// Edges that do not have one neighbour that runs the other way: none if the mesh is closed and its
/// triangles are all seen from the same side.
int open_edges(const TriangleMesh& mesh);

/// What is wrong with it as the surface of a solid, in a few words: "open, ..."; empty if nothing.
std::string mesh_fault(const TriangleMesh& mesh);

/// For messages: six digits.
std::string number_text(double value);

}  // namespace stiction
