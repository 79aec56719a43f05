#include <gtest/gtest.h>
#include <stiction/error.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/mesh.h"
#include "geometry/mesh_samples.h"
#include "message_of.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::array kSolidMethods{MeshInertia::kLegacy, MeshInertia::kExact, MeshInertia::kConvex};

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const int base = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Eigen::Vector3i& t : other.triangles) mesh.triangles.push_back(t.array() + base);
}

Matrix3d box_inertia(double mass, const Vector3d& half) {
  const Vector3d s = half.cwiseAbs2();
  return mass / 3 * Vector3d(s.y() + s.z(), s.z() + s.x(), s.x() + s.y()).asDiagonal();
}

std::string error_of(const TriangleMesh& mesh, MeshInertia method) {
  return message_of([&] { mesh_volume_properties(mesh, method); });
}

TEST(MeshVolume, BoxAwayFromTheOriginMatchesTheClosedForm) {
  const Vector3d half(0.1, 0.25, 0.4), center(3, -2, 1);
  const double volume = 8 * half.prod();
  for (MeshInertia method : kSolidMethods) {
    const VolumeProperties box = mesh_volume_properties(box_mesh(half, center), method);
    EXPECT_NEAR(box.volume, volume, 1e-14);
    EXPECT_TRUE(box.center.isApprox(center, 1e-14));
    EXPECT_TRUE(box.inertia.isApprox(box_inertia(volume, half), 1e-12)) << box.inertia;
  }
}

TEST(MeshVolume, TetrahedronMatchesTheClosedForm) {
  // The corner of the unit cube: second moments about the origin are x^2: 1/60, xy: 1/120.
  TriangleMesh mesh;
  mesh.vertices = {Vector3d::Zero(), Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const Matrix3d second =
      Matrix3d::Constant(1.0 / 120) + Matrix3d::Identity() / 120 - Matrix3d::Constant(1.0 / 6 / 16);
  const Matrix3d expected = second.trace() * Matrix3d::Identity() - second;
  for (MeshInertia method : kSolidMethods) {
    const VolumeProperties p = mesh_volume_properties(mesh, method);
    EXPECT_NEAR(p.volume, 1.0 / 6, 1e-15);
    EXPECT_TRUE(p.center.isApprox(Vector3d::Constant(0.25), 1e-14));
    EXPECT_TRUE(p.inertia.isApprox(expected, 1e-13)) << p.inertia;
  }
}

TEST(MeshVolume, RefinedSphereConvergesToTheSphereWithSecondOrder) {
  const double volume = 4.0 / 3 * std::numbers::pi;
  double error_before = 0;
  for (int level : {3, 4}) {
    const VolumeProperties p = mesh_volume_properties(sphere_mesh(level), MeshInertia::kExact);
    const double error = 1 - p.volume / volume;
    EXPECT_GT(error, 0);  // inscribed
    EXPECT_LT(p.center.norm(), 1e-14);
    EXPECT_NEAR(p.inertia(0, 0) / p.volume, 0.4, 2 * error);
    if (level == 4) {
      EXPECT_NEAR(error_before / error, 4, 0.1);
    }
    error_before = error;
  }
}

TEST(MeshVolume, ShellOfASphereMatchesTheClosedForm) {
  const VolumeProperties p = mesh_volume_properties(sphere_mesh(5), MeshInertia::kShell);
  EXPECT_NEAR(p.volume, 4 * std::numbers::pi, 0.01);
  EXPECT_LT(p.center.norm(), 1e-13);
  EXPECT_TRUE(p.inertia.isApprox(8.0 / 3 * std::numbers::pi * Matrix3d::Identity(), 2e-3));
}

TEST(MeshVolume, ShellOfABoxMatchesTheClosedForm) {
  // Faces of a cube of half size 1 at offset 2: area 24, 4/3 + 4/3 + 2 * 4 per pair of faces.
  const VolumeProperties p = mesh_volume_properties(
      box_mesh(Vector3d::Ones(), Vector3d::Constant(2)), MeshInertia::kShell);
  EXPECT_NEAR(p.volume, 24, 1e-13);
  EXPECT_TRUE(p.center.isApprox(Vector3d::Constant(2), 1e-14));
  // About x: the two faces normal to x give 4 (1/3 + 1/3) each, the other four 4 (1 + 1/3) each.
  EXPECT_TRUE(p.inertia.isApprox((16.0 / 3 + 64.0 / 3) * Matrix3d::Identity(), 1e-13));
}

TEST(MeshVolume, MethodsDifferOnAHollowBoxAsDocumented) {
  const Vector3d outer = Vector3d::Constant(1), inner = Vector3d::Constant(0.5);
  TriangleMesh hollow = box_mesh(outer, Vector3d::Zero());
  append(hollow, inside_out(box_mesh(inner, Vector3d::Zero())));
  EXPECT_NEAR(mesh_volume_properties(hollow, MeshInertia::kExact).volume, 8 - 1, 1e-13);
  EXPECT_NEAR(mesh_volume_properties(hollow, MeshInertia::kLegacy).volume, 8 + 1, 1e-13);
  const VolumeProperties hull = mesh_volume_properties(hollow, MeshInertia::kConvex);
  EXPECT_NEAR(hull.volume, 8, 1e-13);
  EXPECT_TRUE(hull.inertia.isApprox(box_inertia(8, outer), 1e-12));
}

TEST(MeshVolume, LegacyIgnoresOrientation) {
  const Vector3d half(0.1, 0.2, 0.3);
  const TriangleMesh mesh = inside_out(box_mesh(half, Vector3d::Zero()));
  const VolumeProperties p = mesh_volume_properties(mesh, MeshInertia::kLegacy);
  EXPECT_NEAR(p.volume, 8 * half.prod(), 1e-15);
  EXPECT_NE(error_of(mesh, MeshInertia::kExact).find("inside out"), std::string::npos);
}

TEST(MeshVolume, BadMeshesAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TriangleMesh box = box_mesh(Vector3d::Ones(), Vector3d::Zero());
  TriangleMesh flat = box_mesh({1, 1, 0}, Vector3d::Zero());
  TriangleMesh point = box_mesh({0, 0, 0}, {5, 5, 5});
  TriangleMesh not_finite = box;
  not_finite.vertices[3].y() = nan;
  TriangleMesh wrong_index = box;
  wrong_index.triangles[2][1] = 8;
  TriangleMesh empty;
  empty.name = "box";
  const TriangleMesh huge = box_mesh(Vector3d::Constant(1e120), Vector3d::Zero());
  for (MeshInertia method : kSolidMethods) {
    for (const TriangleMesh& mesh : {flat, point, not_finite, wrong_index, empty, huge}) {
      EXPECT_TRUE(error_of(mesh, method).starts_with("mesh 'box': ")) << error_of(mesh, method);
    }
  }
}

}  // namespace
}  // namespace stiction
