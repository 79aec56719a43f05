// Mass, centre and inertia of shapes and triangle meshes, and convex hulls.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>

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

/// By Qhull, triangulated, outward orientation. Throws InputError (name, reason) for flat meshes.
TriangleMesh convex_hull(const TriangleMesh& mesh);

}  // namespace stiction
