// Bad meshes on their way to signed distance solids and surfaces, and damaged files of networks:
// either contacts are finite, or the mesh or the file is refused by its name, in one line.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/sdf.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "geometry/collide.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3i;
namespace fs = std::filesystem;

enum class SolidFate { kSolid, kRefused };

// Grids are kept in a folder of the test's own.
class BadSolid : public testing::Test {
 protected:
  BadSolid() { setenv("XDG_CACHE_HOME", folder_.c_str(), 1); }
  ~BadSolid() override { fs::remove_all(folder_); }

  fs::path folder_ =
      fs::path(testing::TempDir()) / ("solids_" + std::to_string(static_cast<long>(getpid())));
};

void expect_finite(const Shape& shape, double size) {
  const Shape others[] = {Plane{}, Sphere{size}, Box{Vector3d::Constant(size)}};
  for (const Shape& other : others) {
    for (const double offset : {0.0, 0.7, 1.5}) {
      if (std::holds_alternative<Plane>(other) && std::holds_alternative<MeshSurface>(shape)) {
        continue;  // ground against ground
      }
      std::vector<ContactPoint> contacts;
      const Frame X_WB{Eigen::AngleAxisd(offset, Vector3d(0.6, 0, 0.8)).toRotationMatrix(),
                       offset * size * Vector3d(0.5, 0.3, 1)};
      ASSERT_TRUE(collide(other, {}, shape, X_WB, 0.1 * size, contacts));
      for (const ContactPoint& c : contacts) {
        ASSERT_TRUE(c.p.allFinite() && std::isfinite(c.gap));
        ASSERT_NEAR(c.n.norm(), 1, 1e-9);
      }
    }
  }
}

template <class Make>
SolidFate fate_of(const TriangleMesh& mesh, const Make& make) {
  try {
    Shape shape = make();
    prepare_for_collision(shape);
    double size = 0;
    for (const Vector3d& v : mesh.vertices) size = std::max(size, v.cwiseAbs().maxCoeff());
    expect_finite(shape, size);
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(mesh.name), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return SolidFate::kRefused;
  }
  return SolidFate::kSolid;
}

SolidFate grid_fate(const TriangleMesh& mesh) {
  return fate_of(mesh, [&] { return Shape(SdfSolid{make_grid("solid_under_test", mesh, 8)}); });
}
SolidFate surface_fate(const TriangleMesh& mesh) {
  return fate_of(mesh,
                 [&] { return Shape(MeshSurface{std::make_shared<const TriangleMesh>(mesh)}); });
}

TriangleMesh closed_mesh() {
  return {"solid_under_test",
          {Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1)},
          {Vector3i(0, 2, 1), Vector3i(0, 1, 3), Vector3i(0, 3, 2), Vector3i(1, 2, 3)}};
}

TEST_F(BadSolid, OpenAndInsideOut) {
  EXPECT_EQ(grid_fate(closed_mesh()), SolidFate::kSolid);
  TriangleMesh open = closed_mesh();
  open.triangles.pop_back();
  EXPECT_EQ(grid_fate(open), SolidFate::kRefused);
  EXPECT_EQ(surface_fate(open), SolidFate::kSolid);  // a surface may be open
  TriangleMesh inside_out = closed_mesh();
  for (Vector3i& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(grid_fate(inside_out), SolidFate::kRefused);
}

TEST_F(BadSolid, FlatPointsAndNothing) {
  TriangleMesh flat = closed_mesh();
  for (Vector3d& v : flat.vertices) v[2] = 0;
  EXPECT_EQ(grid_fate(flat), SolidFate::kRefused);
  for (TriangleMesh mesh : {TriangleMesh{"solid_under_test", {Vector3d(1, 2, 3)}, {}},
                            TriangleMesh{"solid_under_test", {Vector3d(1, 2, 3)}, {{0, 0, 0}}},
                            TriangleMesh{"solid_under_test", {}, {}}}) {
    EXPECT_EQ(grid_fate(mesh), SolidFate::kRefused);
    EXPECT_EQ(surface_fate(mesh), SolidFate::kRefused);
  }
}

TEST_F(BadSolid, TrianglesWithoutAreaAreLeftOut) {
  TriangleMesh mesh = closed_mesh();
  mesh.triangles.push_back(Vector3i(0, 0, 1));
  EXPECT_EQ(surface_fate(mesh), SolidFate::kSolid);
  grid_fate(mesh);  // finite, or refused
}

TEST_F(BadSolid, NumbersThatAreNoneAndHugeOnes) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 1e160, 1e300}) {
    TriangleMesh mesh = closed_mesh();
    mesh.vertices[2][1] = bad;
    EXPECT_EQ(grid_fate(mesh), SolidFate::kRefused) << bad;
    EXPECT_EQ(surface_fate(mesh), SolidFate::kRefused) << bad;
  }
  TriangleMesh dangling = closed_mesh();
  dangling.triangles.push_back(Vector3i(0, 1, 99));
  EXPECT_EQ(grid_fate(dangling), SolidFate::kRefused);
  EXPECT_EQ(surface_fate(dangling), SolidFate::kRefused);
}

TEST_F(BadSolid, RandomOnes) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  int surfaces = 0;
  for (int k = 0; k < 100; ++k) {
    TriangleMesh mesh = closed_mesh();
    if (k % 2) {  // a closed mesh with one thing wrong
      Vector3d& v = mesh.vertices[rng() % 4];
      v[static_cast<int>(rng() % 3)] = std::pow(10, 12 * unit(rng)) * unit(rng);
      if (k % 4 == 1) mesh.triangles[rng() % 4][static_cast<int>(rng() % 3)] = rng() % 4;
    } else {
      mesh.vertices.assign(1 + k % 20, Vector3d::Zero());
      for (Vector3d& v : mesh.vertices) v = Vector3d(unit(rng), unit(rng), 1e-9 * unit(rng));
      const auto any = [&] { return static_cast<int>(rng() % mesh.vertices.size()); };
      for (Vector3i& t : mesh.triangles) t = {any(), any(), any()};
    }
    SCOPED_TRACE(k);
    grid_fate(mesh);
    surfaces += surface_fate(mesh) == SolidFate::kSolid;
  }
  EXPECT_GT(surfaces, 20);
}

TEST_F(BadSolid, DamagedFilesOfNetworks) {
  fs::create_directories(folder_);
  const std::string path = folder_ / "solid_under_test.nsdf";
  const std::string good = network_text(*train_network(*make_primitive("box", Box{{1, 1, 1}}, 1),
                                                       {.steps = 1, .width = 8, .batch = 64}));
  std::mt19937 rng(3);
  int refused = 0;
  for (int k = 0; k < 200; ++k) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) {
      const size_t at = rng() % text.size();
      if (rng() % 4 == 0) {
        text.resize(at + 1);
      } else {
        text[at] = "0123456789-.e \n\x7f"[rng() % 16];
      }
    }
    std::ofstream(path) << text;
    const TriangleMesh named{"solid_under_test", {Vector3d(1, 1, 1)}, {}};
    refused += fate_of(named, [&] {
                 return Shape(SdfSolid{make_neural("solid_under_test", read_network(path))});
               }) == SolidFate::kRefused;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace stiction
