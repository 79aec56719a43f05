// Poses, and collision and visual shapes. Lengths in metres; every shape is centred on its own
// frame, with MuJoCo's conventions: capsules and cylinders point along z, sizes are half sizes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace stiction {

/// A rigid transform: p_A = p + q * p_B.
struct Pose {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
};

inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.p + X_AB.q * X_BC.p, X_AB.q * X_BC.q};
}

inline Pose inverse(const Pose& X_AB) {
  const Eigen::Quaterniond q_BA = X_AB.q.conjugate();
  return {-(q_BA * X_AB.p), q_BA};
}

/// The half space z <= 0. `half_extent` matters for drawing only; 0 means unbounded.
struct Plane {
  Eigen::Vector2d half_extent = Eigen::Vector2d::Zero();
};

struct Sphere {
  double radius = 0;
};

struct Capsule {
  double radius = 0;
  double half_length = 0;  ///< of the segment, without the caps
};

struct Cylinder {
  double radius = 0;
  double half_length = 0;
};

struct Box {
  Eigen::Vector3d half_size = Eigen::Vector3d::Zero();
};

struct Ellipsoid {
  Eigen::Vector3d radii = Eigen::Vector3d::Zero();
};

/// Triangles, counter-clockwise seen from outside. Shared between the geoms that use it.
struct TriangleMesh {
  std::string name{};
  std::vector<Eigen::Vector3d> vertices{};
  std::vector<Eigen::Vector3i> triangles{};
};

struct ConvexHull;

/// Collides as its convex hull, as in MuJoCo; drawn as it is.
struct ConvexMesh {
  std::shared_ptr<const TriangleMesh> mesh{};
  std::shared_ptr<const ConvexHull> hull{};  ///< made by the contact detection for itself
};

/// Grid of heights over [-half_extent, half_extent]; row r is y, column c is x; the solid below
/// reaches down to -base.
struct HeightGrid {
  std::string name{};
  int rows = 0;
  int cols = 0;
  std::vector<double> heights{};  ///< row-major, metres
  Eigen::Vector2d half_extent = Eigen::Vector2d::Zero();
  double base = 0;
};

struct HeightField {
  std::shared_ptr<const HeightGrid> grid{};
};

struct SurfaceTree;

/// A surface that does not move, concave or open if need be: the floor of a room, a landscape.
/// Solid behind its triangles, of which only the front is felt. It has no mass.
struct MeshSurface {
  std::shared_ptr<const TriangleMesh> mesh{};
  std::shared_ptr<const SurfaceTree> tree{};  ///< made by the contact detection for itself
};

struct Sdf;

/// A solid given by its signed distance, concave if need be: <stiction/sdf.h> makes them.
struct SdfSolid {
  std::shared_ptr<const Sdf> sdf{};
  std::shared_ptr<const SurfaceTree> tree{};  ///< made by the contact detection for itself
};

using Shape = std::variant<Plane, Sphere, Capsule, Cylinder, Box, Ellipsoid, ConvexMesh,
                           HeightField, MeshSurface, SdfSolid>;

}  // namespace stiction
