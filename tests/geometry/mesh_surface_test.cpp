// Static triangle meshes, and solids baked from closed ones.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/sdf.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "geometry/convex_samples.h"
#include "geometry/sdf_samples.h"
#include "message_of.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// A patch of ground: z = height(x, y) on a grid of cells of 0.1 m.
Shape ground(const std::function<double(double, double)>& height) {
  TriangleMesh mesh{.name = "ground"};
  constexpr int kCells = 20;
  for (int j = 0; j <= kCells; ++j) {
    for (int i = 0; i <= kCells; ++i) {
      const double x = 0.1 * i - 1, y = 0.1 * j - 1;
      mesh.vertices.emplace_back(x, y, height(x, y));
    }
  }
  for (int j = 0; j < kCells; ++j) {
    for (int i = 0; i < kCells; ++i) {
      const int a = j * (kCells + 1) + i, b = a + 1, c = b + kCells + 1, d = c - 1;
      mesh.triangles.emplace_back(a, b, c);
      mesh.triangles.emplace_back(a, c, d);
    }
  }
  Shape shape = MeshSurface{std::make_shared<const TriangleMesh>(mesh)};
  prepare_for_collision(shape);
  return shape;
}

std::vector<ContactPoint> surface_contacts(const Shape& shape, const Frame& X,
                                           const Shape& surface) {
  return contacts_of(surface, Frame{}, shape, X, 0.02);
}

// On flat triangles every shape must touch as it does a plane: normals straight up wherever it is,
// and the gap of its lowest point.
TEST(MeshSurface, FlatTrianglesActAsAPlane) {
  const Shape flat = ground([](double, double) { return 0.0; });
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  for (const NamedShape& named : convex_shapes()) {
    for (int k = 0; k < 1000; ++k) {
      const double gap = k % 2 ? 0.005 : -0.005;
      Frame X{random_rotation(rng), {uniform(rng), uniform(rng), 0}};
      if (k % 5 == 0) X.R.setIdentity();
      X.p.z() = gap + std::visit(Reach{-X.R.row(2).transpose()}, named.shape);
      const auto contacts = surface_contacts(named.shape, X, flat);
      ASSERT_FALSE(contacts.empty()) << named.name << ' ' << k;
      EXPECT_NEAR(deepest(contacts).gap, gap, 1e-6) << named.name << ' ' << k;
      for (const ContactPoint& contact : contacts) {
        EXPECT_NEAR(contact.n.z(), 1, 1e-9) << named.name << ' ' << k;
      }
      EXPECT_LE(contacts.size(), 8u);
    }
  }
}

// A box on the ground keeps its four corners, however the triangles lie below it.
TEST(MeshSurface, ABoxStandsOnItsCorners) {
  const Shape flat = ground([](double, double) { return 0.0; });
  const auto contacts = surface_contacts(Box{{0.25, 0.25, 0.1}},
                                         {Eigen::Matrix3d::Identity(), {0.03, 0.02, 0.1}}, flat);
  Vector3d low = contacts.at(0).p, high = low;
  for (const ContactPoint& contact : contacts) {
    low = low.cwiseMin(contact.p);
    high = high.cwiseMax(contact.p);
  }
  EXPECT_LT((high - low - Vector3d(0.5, 0.5, 0)).norm(), 1e-9);
}

// In a valley a ball touches both sides; on a ridge it touches the edge with any normal between.
TEST(MeshSurface, ValleysAndRidges) {
  const Shape valley = ground([](double x, double) { return std::abs(x); });
  const double r = 0.1;
  auto contacts = surface_contacts(
      Sphere{r}, {Eigen::Matrix3d::Identity(), {0, 0.03, r * std::sqrt(2)}}, valley);
  ASSERT_GE(contacts.size(), 2u);
  double left = 1, right = -1;
  for (const ContactPoint& contact : contacts) {
    EXPECT_NEAR(contact.gap, 0, 1e-9);
    EXPECT_NEAR(std::abs(contact.n.x()), std::sqrt(0.5), 1e-9);
    left = std::min(left, contact.n.x());
    right = std::max(right, contact.n.x());
  }
  EXPECT_LT(left, 0);
  EXPECT_GT(right, 0);
  const Shape ridge = ground([](double x, double) { return -std::abs(x); });
  const Vector3d n = Vector3d(0.2, 0, 1).normalized();
  contacts = surface_contacts(Sphere{r}, {Eigen::Matrix3d::Identity(), r * n}, ridge);
  ASSERT_FALSE(contacts.empty());
  EXPECT_LT((deepest(contacts).n - n).norm(), 1e-9);
}

TEST(MeshSurface, SolidsOfSignedDistanceTouchItToo) {
  const Shape flat = ground([](double, double) { return 0.0; });
  Shape bowl = SdfSolid{make_dish("bowl", bowl_shape(0.3, 0.6, 0.5, 0.04))};
  prepare_for_collision(bowl);
  const auto contacts = surface_contacts(bowl, {Eigen::Matrix3d::Identity(), {0, 0, 0.001}}, flat);
  ASSERT_FALSE(contacts.empty());
  EXPECT_NEAR(deepest(contacts).n.z(), 1, 1e-6);
  EXPECT_NEAR(deepest(contacts).gap, 0.001, 1e-6);
}

struct Cache : testing::Test {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("stiction_cache_" + std::to_string(getpid()));
  Cache() { setenv("XDG_CACHE_HOME", folder.c_str(), 1); }
  ~Cache() override { std::filesystem::remove_all(folder); }
};

// A sphere as triangles, baked: the error is that of the triangles and of the grid together.
TEST_F(Cache, GridOfASphere) {
  TriangleMesh mesh = make_primitive("ball", Sphere{0.1}, 0.01)->surface;
  const SdfPointer grid = make_grid("ball", mesh, 24);
  const GradientCheck check = check_gradient(*grid, 0.01, 1e-6, 200);
  EXPECT_LT(check.error, 1e-5);
  EXPECT_GT(check.used, 190);
  std::mt19937 rng(1);
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    const Vector3d p = (0.1 + 0.01 * std::cos(k)) * random_direction(rng);
    const double exact = std::copysign(distance_to_mesh(mesh, p), p.norm() - 0.0999);
    worst = std::max(worst, std::abs(distance_at(*grid, p) - exact));
  }
  EXPECT_LT(worst, 2e-4);  // spacing 8 mm: facets of 10 mm have kinks of that size
}

TEST_F(Cache, IsFoundAgainAndRepairsItself) {
  const TriangleMesh mesh = make_primitive("box", Box{{0.1, 0.1, 0.05}}, 0.05)->surface;
  const SdfPointer first = make_grid("box", mesh, 16);
  const auto file = *std::filesystem::recursive_directory_iterator(folder / "stiction" / "sdf");
  const auto size = std::filesystem::file_size(file);
  const SdfPointer second = make_grid("box", mesh, 16);
  std::filesystem::resize_file(file, size / 2);
  const SdfPointer third = make_grid("box", mesh, 16);
  EXPECT_EQ(std::filesystem::file_size(file), size);
  for (const Vector3d& p : {Vector3d(0.03, 0.02, 0.07), Vector3d(0.09, 0, 0.01)}) {
    EXPECT_EQ(distance_at(*first, p), distance_at(*second, p));
    EXPECT_EQ(distance_at(*first, p), distance_at(*third, p));
  }
}

// Every bad mesh is refused with its name and what is wrong.
TEST_F(Cache, BadMeshes) {
  const TriangleMesh good = make_primitive("box", Box{{0.1, 0.1, 0.05}}, 0.05)->surface;
  struct Case {
    const char* message;
    std::function<void(TriangleMesh&)> spoil;
  };
  const std::vector<Case> cases = {
      {"not closed, 3 edges", [](TriangleMesh& m) { m.triangles.pop_back(); }},
      {"inside out",
       [](TriangleMesh& m) {
         for (auto& t : m.triangles) std::swap(t[0], t[1]);
       }},
      {"no triangles",
       [](TriangleMesh& m) {
         m = {.vertices = {{0, 0, 0}}};
       }},
      {"no area",
       [](TriangleMesh& m) {
         for (auto& v : m.vertices) v = Vector3d::Ones();
       }},
      {"not finite", [](TriangleMesh& m) { m.vertices[3].x() = std::nan(""); }},
      {"refers to vertex 9999", [](TriangleMesh& m) { m.triangles[0][1] = 9999; }},
      {"2e+199 m wide, expected at most 1e9 m", [](TriangleMesh& m) {
         for (auto& v : m.vertices) v *= 1e200;
       }}};
  for (const Case& bad : cases) {
    TriangleMesh mesh = good;
    bad.spoil(mesh);
    mesh.name = "spoilt";
    const std::string text = message_of([&] { make_grid("solid", mesh, 16); });
    EXPECT_NE(text.find("mesh 'spoilt'"), std::string::npos) << text;
    EXPECT_NE(text.find(bad.message), std::string::npos) << text;
  }
  // A triangle without area among good ones is harmless.
  TriangleMesh sliver = good;
  const Eigen::Vector3i t = sliver.triangles.back();
  sliver.triangles.back() = {t[0], t[1], static_cast<int>(sliver.vertices.size())};
  sliver.triangles.emplace_back(t[1], t[2], static_cast<int>(sliver.vertices.size()));
  sliver.triangles.emplace_back(t[2], t[0], static_cast<int>(sliver.vertices.size()));
  sliver.vertices.push_back((sliver.vertices[t[0]] + sliver.vertices[t[1]]) / 2);
  EXPECT_NO_THROW(make_grid("solid", sliver, 16));
}

}  // namespace
}  // namespace stiction
