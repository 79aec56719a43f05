// Thin shells: geoms with shellinertia="true" carry their mass on the surface.
#include <cmath>
#include <numbers>

#include "io/mjcf/inertia.h"
#include "model/inertia.h"

namespace stiction::mjcf {
namespace {

using std::numbers::pi;

/// Adds up parts, each with its area, height of centre above the middle, and moments about that.
class Shell {
 public:
  void add(double area, const Eigen::Vector3d& center, const Eigen::Vector3d& moments) {
    add_mass(sum_, area, center, moments.asDiagonal());
  }
  VolumeProperties properties() const { return {sum_.mass, sum_.com, sum_.inertia}; }

 private:
  Body sum_;
};

/// Rectangle with half sides a along axis i and b along axis j, d off the centre along axis k.
void add_face_pair(Shell& shell, int i, int j, int k, double a, double b, double d) {
  const double area = 4 * a * b;
  Eigen::Vector3d moments, center = Eigen::Vector3d::Zero();
  moments[i] = area * b * b / 3;
  moments[j] = area * a * a / 3;
  moments[k] = moments[i] + moments[j];
  for (const double side : {-d, d}) {
    center[k] = side;
    shell.add(area, center, moments);
  }
}

void add_tube(Shell& shell, double r, double h) {
  const double area = 4 * pi * r * h;
  const double I_x = area * (r * r / 2 + h * h / 3);
  shell.add(area, Eigen::Vector3d::Zero(), {I_x, I_x, area * r * r});
}

VolumeProperties of(const Sphere& sphere) {
  const double r = sphere.radius, area = 4 * pi * r * r;
  Shell shell;
  shell.add(area, Eigen::Vector3d::Zero(), Eigen::Vector3d::Constant(2.0 / 3 * area * r * r));
  return shell.properties();
}

VolumeProperties of(const Cylinder& cylinder) {
  const double r = cylinder.radius, h = cylinder.half_length, disc = pi * r * r;
  Shell shell;
  add_tube(shell, r, h);
  for (const double z : {-h, h}) {
    shell.add(disc, {0, 0, z}, disc * r * r * Eigen::Vector3d(0.25, 0.25, 0.5));
  }
  return shell.properties();
}

VolumeProperties of(const Capsule& capsule) {
  const double r = capsule.radius, h = capsule.half_length, half_sphere = 2 * pi * r * r;
  Shell shell;
  add_tube(shell, r, h);
  // A half sphere's centre is r/2 above its rim: 2/3 r^2 - r^2/4 = 5/12 r^2 about it.
  for (const double side : {-1.0, 1.0}) {
    shell.add(half_sphere, {0, 0, side * (h + r / 2)},
              half_sphere * r * r * Eigen::Vector3d(5.0 / 12, 5.0 / 12, 2.0 / 3));
  }
  return shell.properties();
}

VolumeProperties of(const Box& box) {
  const Eigen::Vector3d& s = box.half_size;
  Shell shell;
  add_face_pair(shell, 0, 1, 2, s[0], s[1], s[2]);
  add_face_pair(shell, 1, 2, 0, s[1], s[2], s[0]);
  add_face_pair(shell, 2, 0, 1, s[2], s[0], s[1]);
  return shell.properties();
}

/// Area by Thomsen's formula. The mass is that between the ellipsoid and one with all radii a
/// little larger, as in MuJoCo: not quite even per area.
VolumeProperties of(const Ellipsoid& ellipsoid) {
  const double a = ellipsoid.radii[0], b = ellipsoid.radii[1], c = ellipsoid.radii[2];
  const double p = 1.6075;
  const double area =
      4 * pi * std::pow((std::pow(a * b, p) + std::pow(b * c, p) + std::pow(c * a, p)) / 3, 1 / p);
  // d/de of the solid's moment V (b^2 + c^2) / 5 over dV/de, radii growing by e.
  const double growth = a * b * c / (a * b + b * c + c * a);  // V / (dV/de)
  const auto moment = [&](double y, double z) {
    return area * ((y * y + z * z) + growth * 2 * (y + z)) / 5;
  };
  Shell shell;
  shell.add(area, Eigen::Vector3d::Zero(), {moment(b, c), moment(a, c), moment(a, b)});
  return shell.properties();
}

VolumeProperties of(const Plane&) { return {}; }
VolumeProperties of(const ConvexMesh&) { return {}; }   // a matter of the mesh asset
VolumeProperties of(const HeightField&) { return {}; }  // taken for a box
VolumeProperties of(const MeshSurface&) { return {}; }  // not made by MJCF's own elements
VolumeProperties of(const SdfSolid&) { return {}; }

}  // namespace

VolumeProperties surface_properties(const Shape& shape) {
  return std::visit([](const auto& s) { return of(s); }, shape);
}

}  // namespace stiction::mjcf
