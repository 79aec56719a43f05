// Flat and line contacts of convex shapes: how many points, where, and that they stay.
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "geometry/convex_samples.h"
#include "geometry/pairs.h"

namespace stiction {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kMargin = 0.01;

Contacts manifold_of(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB) {
  Contacts contacts;
  EXPECT_TRUE(collide(a, X_WA, b, X_WB, kMargin, contacts));
  return contacts;
}

// Of the contacts' convex hull seen along z, by the angles around their mean.
double support_area(Contacts contacts) {
  Vector3d center = Vector3d::Zero();
  for (const ContactPoint& c : contacts) center += c.p / static_cast<double>(contacts.size());
  const auto angle = [&](const ContactPoint& c) {
    return std::atan2(c.p[1] - center[1], c.p[0] - center[0]);
  };
  std::sort(contacts.begin(), contacts.end(),
            [&](const auto& c, const auto& d) { return angle(c) < angle(d); });
  double area = 0;
  for (size_t k = 0; k < contacts.size(); ++k) {
    const Vector3d p = contacts[k].p - center;
    const Vector3d q = contacts[(k + 1) % contacts.size()].p - center;
    area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
  }
  return area;
}

struct Stack {
  std::string name;
  Shape below;
  double height_below;
  Shape above;
  double height_above;
  double yaw;
  double area;  // of the common face
};

// An upright prism with the regular polygon of `sides` corners and circumradius 0.3.
TriangleMesh prism(int sides) {
  TriangleMesh mesh;
  mesh.name = "prism";
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    for (const double z : {-0.2, 0.2}) {
      mesh.vertices.emplace_back(0.3 * std::cos(angle), 0.3 * std::sin(angle), z);
    }
  }
  return mesh;
}

double polygon_area(int sides) {
  return 0.5 * sides * 0.09 * std::sin(2 * std::numbers::pi / sides);
}

Shape level_field() {
  HeightGrid grid;
  grid.rows = grid.cols = 8;
  grid.heights.assign(64, 0);
  grid.half_extent = {1, 1};
  grid.base = 0.1;
  return HeightField{std::make_shared<const HeightGrid>(grid)};
}

Shape level_surface() {
  TriangleMesh mesh{.name = "level"};
  for (int k = 0; k < 64; ++k) mesh.vertices.emplace_back(k % 8 / 3.5 - 1, k / 8 / 3.5 - 1, 0);
  for (int k = 0; k < 55; ++k) {
    if (k % 8 == 7) continue;
    mesh.triangles.emplace_back(k, k + 1, k + 9);
    mesh.triangles.emplace_back(k, k + 9, k + 8);
  }
  Shape shape = MeshSurface{std::make_shared<const TriangleMesh>(mesh)};
  prepare_for_collision(shape);
  return shape;
}

std::vector<Stack> stacks() {
  const Shape slab = Box{Vector3d(1, 1, 0.1)};
  const Shape brick = convex_mesh(box_mesh({0.3, 0.2, 0.1}, Vector3d::Zero()));
  const Shape disc = Cylinder{0.3, 0.2};
  const Shape big_disc = Cylinder{1, 0.1};
  const double octagon = polygon_area(8);
  return {{"brick_on_box", slab, 0.1, brick, 0.1, 0.3, 0.24},
          {"brick_on_brick_crossed", brick, 0.1, brick, 0.1, std::numbers::pi / 2, 0.16},
          {"brick_on_brick_even", brick, 0.1, brick, 0.1, 0, 0.24},
          {"brick_on_cylinder", big_disc, 0.1, brick, 0.1, 0.3, 0.24},
          {"cylinder_on_box", slab, 0.1, disc, 0.2, 0.3, octagon},
          {"cylinder_on_cylinder", big_disc, 0.1, disc, 0.2, 0.3, octagon},
          {"cylinder_on_equal", disc, 0.2, disc, 0.2, 0, octagon},
          {"box_on_small_cylinder", disc, 0.2, slab, 0.1, 0.3, octagon},
          {"brick_on_prism", convex_mesh(prism(6)), 0.2, slab, 0.1, 0.3, polygon_area(6)},
          {"box_on_box", slab, 0.1, Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, 0.3, 0.24},
          {"box_on_small_box", Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, slab, 0.1, 0, 0.24},
          {"box_on_small_box_turned", Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, slab, 0.1, 0.3, 0.24},
          {"box_on_box_crossed", Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, Box{Vector3d(0.2, 0.3, 0.1)},
           0.1, 0, 0.16},
          {"box_on_equal_box", slab, 0.1, slab, 0.1, 0, 4},
          {"box_on_plane", Plane{}, 0, Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, 0.3, 0.24},
          {"cylinder_on_plane", Plane{}, 0, disc, 0.2, 0.3, octagon},
          {"round_prism_on_plane", Plane{}, 0, convex_mesh(prism(64)), 0.2, 0, octagon},
          {"round_prism_on_box", slab, 0.1, convex_mesh(prism(64)), 0.2, 0, octagon},
          {"box_on_height_field", level_field(), 0, Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, 0.3, 0.24},
          {"brick_on_height_field", level_field(), 0, brick, 0.1, 0.3, 0.24},
          {"box_on_surface", level_surface(), 0, Box{Vector3d(0.3, 0.2, 0.1)}, 0.1, 0.3, 0.24},
          {"brick_on_surface", level_surface(), 0, brick, 0.1, 0.3, 0.24},
          {"cylinder_on_surface", level_surface(), 0, disc, 0.2, 0.3, octagon},
          {"cylinder_on_height_field", level_field(), 0, disc, 0.2, 0.3, octagon}};
}

class FlatContact : public testing::TestWithParam<Stack> {
 protected:
  Contacts contacts(double gap, const Vector3d& tilt = Vector3d::Zero()) const {
    const Stack& stack = GetParam();
    Frame X_WB;
    X_WB.R = AngleAxisd(stack.yaw, Vector3d::UnitZ()).toRotationMatrix();
    if (tilt.norm() > 0) X_WB.R = AngleAxisd(tilt.norm(), tilt.normalized()) * X_WB.R;
    X_WB.p[2] = stack.height_below + stack.height_above + gap;
    return manifold_of(stack.below, {}, stack.above, X_WB);
  }
};

TEST_P(FlatContact, CoversTheCommonFace) {
  for (const double gap : {1e-3, 1e-9, 0.0, -1e-9, -1e-3}) {
    const Contacts found = contacts(gap);
    ASSERT_GE(found.size(), 4u) << gap;
    ASSERT_LE(found.size(), 8u) << gap;
    std::set<std::uint32_t> features;
    for (const ContactPoint& c : found) {
      EXPECT_NEAR(c.gap, gap, 1e-12);
      EXPECT_LT((c.n - Vector3d::UnitZ()).norm(), 1e-12);
      EXPECT_NEAR(c.p[2], GetParam().height_below + 0.5 * gap, 1e-12);
      features.insert(c.feature);
    }
    EXPECT_EQ(features.size(), found.size()) << gap;
    EXPECT_NEAR(support_area(found), GetParam().area, 1e-7) << gap;
  }
}

TEST_P(FlatContact, StaysUnderPerturbation) {
  const Contacts rest = contacts(0);
  std::set<std::uint32_t> names;
  for (const ContactPoint& c : rest) names.insert(c.feature);
  std::mt19937 rng(5);
  for (int k = 0; k < 200; ++k) {
    const double gap = 1e-9 * random_vector(rng)[0];
    const Contacts found = contacts(gap, 1e-9 * random_vector(rng));
    EXPECT_NEAR(support_area(found), support_area(rest), 1e-6) << k;
    std::set<std::uint32_t> now;
    for (const ContactPoint& c : found) now.insert(c.feature);
    ASSERT_EQ(now, names) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Stacks, FlatContact, testing::ValuesIn(stacks()),
                         [](const auto& tested) { return tested.param.name; });

// Fewer points keep as much of the area as they can: of an octagon, a square, then the triangle
// over 3, 3 and 2 of its sides.
TEST(KeepWidest, KeepsTheArea) {
  const Frame X_WB{Matrix3d::Identity(), Vector3d(0, 0, 0.2)};
  const Contacts all = manifold_of(Plane{}, {}, convex_mesh(prism(64)), X_WB);
  const double octagon = polygon_area(8);
  for (const auto& [most, area] :
       {std::pair{8, octagon}, std::pair{4, polygon_area(4)},
        std::pair{3, 0.045 * (1 + std::numbers::sqrt2)}, std::pair{2, 0.0}}) {
    Contacts kept = all;
    keep_widest(kept, 0, kMargin, most);
    EXPECT_EQ(kept.size(), static_cast<size_t>(most));
    EXPECT_NEAR(support_area(kept), area, 1e-9) << most;
  }
}

TEST(KeepWidest, PrefersTheDeepest) {
  Contacts contacts;
  for (int k = 0; k < 20; ++k) {
    contacts.push_back({Vector3d(0.1 * k, 0.01 * k * k, 0), Vector3d::UnitZ(), k == 7 ? -0.1 : 0.0,
                        static_cast<std::uint32_t>(k)});
  }
  keep_widest(contacts, 0, kMargin, 4);
  ASSERT_EQ(contacts.size(), 4u);
  EXPECT_EQ(deepest(contacts).feature, 7u);
}

TEST(LineContact, CapsuleOnBoxHasTwoPoints) {
  Frame X_WC;
  X_WC.R = AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
  X_WC.p = Vector3d(0.2, 0, 0.5 + 0.1 - 1e-3);
  const Contacts found = manifold_of(Capsule{0.1, 0.4}, X_WC, Box{Vector3d(0.5, 0.5, 0.5)}, {});
  ASSERT_EQ(found.size(), 2u);
  // The segment spans x from -0.2 to 0.6 and the face ends at 0.5.
  EXPECT_NEAR(std::min(found[0].p[0], found[1].p[0]), -0.2, 1e-6);
  EXPECT_NEAR(std::max(found[0].p[0], found[1].p[0]), 0.5, 1e-6);
  for (const ContactPoint& c : found) {
    EXPECT_NEAR(c.gap, -1e-3, 1e-12);
    EXPECT_LT((c.n + Vector3d::UnitZ()).norm(), 1e-12);
  }
}

TEST(LineContact, ParallelCylindersTouchAlongTheirOverlap) {
  const Frame X_WB{Matrix3d::Identity(), Vector3d(0.5, 0, 0.3)};
  const Contacts found = manifold_of(Cylinder{0.3, 0.4}, {}, Cylinder{0.2, 0.4}, X_WB);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(std::min(found[0].p[2], found[1].p[2]), -0.1, 1e-6);
  EXPECT_NEAR(std::max(found[0].p[2], found[1].p[2]), 0.4, 1e-6);
  for (const ContactPoint& c : found) {
    EXPECT_NEAR(c.gap, 0, 1e-9);
    EXPECT_LT((c.n - Vector3d::UnitX()).norm(), 1e-9);
  }
}

TEST(LineContact, CrossedCylindersTouchInAPoint) {
  Frame X_WB;
  X_WB.R = AngleAxisd(std::numbers::pi / 2, Vector3d::UnitX()).toRotationMatrix();
  X_WB.p = Vector3d(0.5 - 1e-4, 0, 0);
  const Contacts found = manifold_of(Cylinder{0.3, 0.4}, {}, Cylinder{0.2, 0.4}, X_WB);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, -1e-4, 1e-10);
  EXPECT_LT((found[0].p - Vector3d(0.3 - 0.5e-4, 0, 0)).norm(), 1e-9);
}

TEST(PlaneConvexMesh, RestsOnItsLowestFace) {
  const Shape shape = convex_mesh(box_mesh({0.3, 0.2, 0.1}, {0.05, 0, 0}));
  const Frame X_WB{Matrix3d::Identity(), Vector3d(0, 0, 0.1 - 1e-3)};
  const Contacts found = manifold_of(Plane{}, {}, shape, X_WB);
  ASSERT_EQ(found.size(), 4u);
  for (const ContactPoint& c : found) EXPECT_NEAR(c.gap, -1e-3, 1e-15);
  EXPECT_NEAR(support_area(found), 0.24, 1e-12);
}

TEST(PlaneConvexMesh, KeepsTheAreaOfARoundFaceWithEightPoints) {
  const Frame X_WB{Matrix3d::Identity(), Vector3d(0, 0, 0.2)};
  const Contacts found = manifold_of(Plane{}, {}, convex_mesh(prism(64)), X_WB);
  ASSERT_EQ(found.size(), 8u);
  EXPECT_GT(support_area(found), 0.85 * polygon_area(64));
}

TEST(ConvexMesh, IsRefusedUntilPrepared) {
  const auto mesh = std::make_shared<const TriangleMesh>(box_mesh({1, 1, 1}, Vector3d::Zero()));
  Shape shape = ConvexMesh{mesh};
  Contacts contacts;
  EXPECT_FALSE(collide(Plane{}, {}, shape, {}, kMargin, contacts));
  EXPECT_FALSE(collide(shape, {}, Sphere{1}, {}, kMargin, contacts));
  EXPECT_TRUE(contacts.empty());
  prepare_for_collision(shape);
  EXPECT_TRUE(collide(shape, {}, Sphere{1}, {}, kMargin, contacts));
  EXPECT_EQ(contacts.size(), 1u);
}

// The general way against the closed forms.
TEST(ConvexConvex, AgreesWithClosedForms) {
  const std::vector<NamedShape> shapes = convex_shapes();
  std::mt19937 rng(6);
  for (int k = 0; k < 4000; ++k) {
    const Shape& a = shapes[k % 2].shape;                  // sphere, capsule
    const Shape& b = shapes[1 + k % 2 + k / 2 % 2].shape;  // capsule, cylinder
    const bool closed = !(k % 2 == 1 && b.index() == 3);
    if (!closed) continue;
    const Frame X_WA{random_rotation(rng), random_vector(rng)};
    const Frame X_WB{random_rotation(rng), X_WA.p + 0.6 * random_vector(rng)};
    Contacts exact, general;
    collide(a, X_WA, b, X_WB, 10, exact);
    convex_convex(a, X_WA, b, X_WB, 10, general);
    ASSERT_NEAR(deepest(general).gap, deepest(exact).gap, 1e-9) << k;
  }
}

}  // namespace
}  // namespace stiction
