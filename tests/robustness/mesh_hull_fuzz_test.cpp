// Bad meshes on their way to contacts: a mesh either becomes a hull whose contacts are finite, or
// is refused with its name. Collision takes hulls, which repair what a surface may have wrong:
// open, inside-out and doubled triangles, slivers and stray points change nothing but the hull's
// corners.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "geometry/collide.h"
#include "io/mesh_file.h"
#include "robustness/mutate.h"
#include "robustness/sample_files.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3i;

enum class Fate { kHull, kRefused };

// Against every kind of shape, near its own size and place.
void expect_finite_contacts(const Shape& hull, double size) {
  const Shape others[] = {Plane{},
                          Sphere{size},
                          Capsule{0.3 * size, size},
                          Cylinder{size, size},
                          Box{Vector3d::Constant(size)},
                          hull};
  for (const Shape& other : others) {
    for (const double offset : {0.0, 0.7, 1.5}) {
      const Frame X_WB{Eigen::AngleAxisd(offset, Vector3d(0.6, 0, 0.8)).toRotationMatrix(),
                       offset * size * Vector3d(0.5, 0.3, 1)};
      std::vector<ContactPoint> contacts;
      ASSERT_TRUE(collide(other, {}, hull, X_WB, 0.1 * size, contacts));
      for (const ContactPoint& c : contacts) {
        ASSERT_TRUE(c.p.allFinite() && std::isfinite(c.gap));
        ASSERT_NEAR(c.n.norm(), 1, 1e-9);
      }
    }
  }
}

Fate fate(const TriangleMesh& mesh) {
  Shape shape = ConvexMesh{std::make_shared<const TriangleMesh>(mesh)};
  try {
    prepare_for_collision(shape);
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(mesh.name), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return Fate::kRefused;
  }
  double size = 0;
  for (const Vector3d& v : mesh.vertices) size = std::max(size, v.cwiseAbs().maxCoeff());
  expect_finite_contacts(shape, size);
  return Fate::kHull;
}

TriangleMesh tetrahedron() {
  return {"mesh_under_test",
          {Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1)},
          {Vector3i(0, 2, 1), Vector3i(0, 1, 3), Vector3i(0, 3, 2), Vector3i(1, 2, 3)}};
}

TriangleMesh scaled(TriangleMesh mesh, double factor) {
  for (Vector3d& v : mesh.vertices) v *= factor;
  return mesh;
}

TEST(BadMesh, SurfacesThatAreWrongHaveARightHull) {
  TriangleMesh open = tetrahedron();
  open.triangles.pop_back();
  EXPECT_EQ(fate(open), Fate::kHull);
  TriangleMesh inside_out = tetrahedron();
  for (Vector3i& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(fate(inside_out), Fate::kHull);
  TriangleMesh doubled = tetrahedron();
  doubled.triangles.insert(doubled.triangles.end(), {Vector3i(0, 0, 1), Vector3i(2, 2, 2)});
  doubled.vertices.push_back(Vector3d(0.1, 0.1, 0.1));
  doubled.vertices.push_back(doubled.vertices[1]);
  EXPECT_EQ(fate(doubled), Fate::kHull);
}

TEST(BadMesh, FlatOnesAndPointsAreRefusedByName) {
  TriangleMesh point{"mesh_under_test", {Vector3d(1, 2, 3)}, {}};
  EXPECT_EQ(fate(point), Fate::kRefused);
  point.vertices.assign(50, Vector3d(1, 2, 3));
  EXPECT_EQ(fate(point), Fate::kRefused);
  TriangleMesh flat = tetrahedron();
  for (Vector3d& v : flat.vertices) v[2] = 0;
  EXPECT_EQ(fate(flat), Fate::kRefused);
  TriangleMesh line = flat;
  for (Vector3d& v : line.vertices) v[1] = v[0];
  EXPECT_EQ(fate(line), Fate::kRefused);
  EXPECT_EQ(fate({"mesh_under_test", {}, {}}), Fate::kRefused);
}

TEST(BadMesh, NumbersThatAreNoneAreRefusedByName) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TriangleMesh mesh = tetrahedron();
    mesh.vertices[2][1] = bad;
    EXPECT_EQ(fate(mesh), Fate::kRefused);
  }
  TriangleMesh dangling = tetrahedron();
  dangling.triangles.push_back(Vector3i(0, 1, 99));
  EXPECT_EQ(fate(dangling), Fate::kRefused);
}

// Any scale works until its squares overflow or vanish; then it is refused, not wrong.
TEST(BadMesh, HugeAndTinyOnes) {
  for (const double scale : {1e-9, 1e-3, 1e3, 1e9}) {
    EXPECT_EQ(fate(scaled(tetrahedron(), scale)), Fate::kHull) << scale;
  }
  for (const double scale : {1e-200, 1e100, 1e160, 1e300}) {
    EXPECT_EQ(fate(scaled(tetrahedron(), scale)), Fate::kRefused) << scale;
  }
}

TEST(BadMesh, RandomDegenerateOnes) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  int hulls = 0;
  for (int k = 0; k < 200; ++k) {
    TriangleMesh mesh{"mesh_under_test", {}, {}};
    const int count = 1 + k % 30;
    const Vector3d squash(1, std::pow(10, 2 * unit(rng) - 2), std::pow(10, 8 * unit(rng) - 8));
    for (int v = 0; v < count; ++v) {
      const bool repeat = !mesh.vertices.empty() && unit(rng) > 0.7;
      const Vector3d p(unit(rng), unit(rng), unit(rng));
      mesh.vertices.push_back(repeat ? mesh.vertices.back() : squash.cwiseProduct(p));
    }
    std::uniform_int_distribution<int> any(0, count - 1);
    for (int t = 0; t < count; ++t) mesh.triangles.emplace_back(any(rng), any(rng), any(rng));
    SCOPED_TRACE(k);
    hulls += fate(mesh) == Fate::kHull;
  }
  EXPECT_GT(hulls, 20);
}

TEST(BadMesh, DamagedFiles) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("hulls_" + std::to_string(getpid()));
  fs::create_directories(folder);
  int hulls = 0;
  for (const auto& [name, bytes] : {std::pair<const char*, std::string>{"damaged.obj", kSampleObj},
                                    {"damaged.stl", kSampleStl},
                                    {"damaged.dae", kSampleDae}}) {
    for (std::uint32_t seed = 1000; seed < 1060; ++seed) {
      SCOPED_TRACE(name + std::string(", seed ") + std::to_string(seed));
      std::ofstream(folder / name, std::ios::binary) << Mutator(seed).mutate(bytes);
      try {
        TriangleMesh mesh = load_mesh_file((folder / name).string());
        mesh.name = name;
        hulls += fate(mesh) == Fate::kHull;
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(hulls, 20);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace stiction
