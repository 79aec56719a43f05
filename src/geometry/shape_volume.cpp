#include <stiction/error.h>
#include <stiction/sdf.h>

#include <cmath>
#include <numbers>

#include "geometry/mesh.h"

namespace stiction {
namespace {

using std::numbers::pi;

VolumeProperties centered(double volume, const Eigen::Vector3d& principal) {
  return {volume, Eigen::Vector3d::Zero(), principal.asDiagonal()};
}

VolumeProperties of(const Plane&) { return {}; }

VolumeProperties of(const HeightField&) { return {}; }

VolumeProperties of(const MeshSurface&) { return {}; }

VolumeProperties of(const Sphere& sphere) {
  const double r = sphere.radius;
  const double m = 4.0 / 3.0 * pi * r * r * r;
  return centered(m, Eigen::Vector3d::Constant(0.4 * m * r * r));
}

VolumeProperties of(const Cylinder& cylinder) {
  const double r = cylinder.radius, h = cylinder.half_length;
  const double m = 2 * pi * r * r * h;
  const double I_x = m * (r * r / 4 + h * h / 3);
  return centered(m, {I_x, I_x, m * r * r / 2});
}

VolumeProperties of(const Capsule& capsule) {
  const double r = capsule.radius, h = capsule.half_length;
  const VolumeProperties tube = of(Cylinder{r, h});
  const VolumeProperties caps = of(Sphere{r});
  // Each half ball's centre of mass is 3/8 r beyond the end of the tube.
  const double shift = caps.volume * (h * h + 0.75 * h * r);
  Eigen::Vector3d principal = (tube.inertia + caps.inertia).diagonal();
  principal.head<2>().array() += shift;
  return centered(tube.volume + caps.volume, principal);
}

VolumeProperties of(const Box& box) {
  const Eigen::Vector3d a = box.half_size.cwiseAbs2();
  const double m = 8 * box.half_size.prod();
  return centered(m, m / 3 * Eigen::Vector3d{a.y() + a.z(), a.x() + a.z(), a.x() + a.y()});
}

VolumeProperties of(const Ellipsoid& ellipsoid) {
  const Eigen::Vector3d a = ellipsoid.radii.cwiseAbs2();
  const double m = 4.0 / 3.0 * pi * ellipsoid.radii.prod();
  return centered(m, m / 5 * Eigen::Vector3d{a.y() + a.z(), a.x() + a.z(), a.x() + a.y()});
}

VolumeProperties of(const ConvexMesh& mesh) {
  if (!mesh.mesh) throw InputError("mesh shape without a mesh: expected triangles");
  return mesh_volume_properties(*mesh.mesh, MeshInertia::kExact);
}

VolumeProperties of(const SdfSolid& solid) {
  if (!solid.sdf) throw InputError("signed distance shape without a signed distance");
  return mesh_volume_properties(solid.sdf->surface, MeshInertia::kExact);
}

}  // namespace

VolumeProperties volume_properties(const Shape& shape) {
  return std::visit([](const auto& s) { return of(s); }, shape);
}

}  // namespace stiction
