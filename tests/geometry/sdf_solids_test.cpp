// Dishes, threads and baked meshes as signed distance solids against one another, on random poses.
// The gap of the deepest contact is compared with a search over both surfaces for nearer points.
#include <gtest/gtest.h>
#include <stiction/sdf.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <numbers>

#include "geometry/convex_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kSolidPoses = 1000;
constexpr double kSolidMargin = 0.004;
constexpr double kSolidTolerance = 1e-7;  // 1e-6 of the solids' size, m

struct SolidPair {
  std::string name;
  Shape a, b;      // b is the one with the smaller bounding ball
  int unseen = 0;  // poses in which another place may be nearer: a ridge in front of a larger face
};
void PrintTo(const SolidPair& pair, std::ostream* out) { *out << pair.name; }

// A dumbbell, as a mesh.
TriangleMesh dumbbell() {
  const Pose left{Eigen::Vector3d(-0.03, 0, 0), Eigen::Quaterniond::Identity()};
  const Pose right{Eigen::Vector3d(0.03, 0, 0), Eigen::Quaterniond::Identity()};
  const SdfPointer ball = make_primitive("ball", Sphere{0.02}, 0.01);
  const SdfPointer ends =
      make_union("ends", make_moved("left", ball, left), make_moved("right", ball, right), 0.008);
  return make_union("dumbbell", ends, make_primitive("bar", Box{{0.03, 0.01, 0.01}}, 0.01), 0.008)
      ->surface;
}

std::vector<SolidPair> solid_pairs() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("stiction_solids_" + std::to_string(getpid()));
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const auto solid = [](const SdfPointer& sdf) {
    Shape shape = SdfSolid{sdf};
    prepare_for_collision(shape);
    return shape;
  };
  Dish bowl = bowl_shape(0.03, 0.06, 0.05, 0.008);
  bowl.sectors = 24;
  bowl.edge = 0.015;
  const Shape dish = solid(make_dish("bowl", bowl));
  const Shape bolt = solid(make_bolt("bolt", {.length = 0.02, .head_height = 0.02, .sectors = 12}));
  const Shape nut = solid(make_nut("nut", {.height = 0.02, .sectors = 12}));
  const Shape grid = solid(make_grid("dumbbell", dumbbell(), 20));
  std::filesystem::remove_all(folder);
  return {{"bowl_bowl", dish, dish}, {"bowl_bolt", dish, bolt},    {"bowl_nut", dish, nut},
          {"bowl_grid", dish, grid}, {"bolt_bolt", bolt, bolt, 3}, {"bolt_nut", bolt, nut, 5},
          {"grid_bolt", grid, bolt}, {"nut_nut", nut, nut, 1},     {"grid_nut", grid, nut},
          {"grid_grid", grid, grid}};
}

const Sdf& sdf_of(const Shape& shape) { return *std::get<SdfSolid>(shape).sdf; }

double distance_in_world(const Shape& shape, const Frame& X_WS, const Vector3d& p_W,
                         Vector3d& gradient_W) {
  Vector3d gradient;
  const double d = sdf_of(shape).distance(X_WS.R.transpose() * (p_W - X_WS.p), gradient);
  gradient_W = X_WS.R * gradient;
  return d;
}

// The least distance of A over the vertices of B, where it is, and its gradient.
struct Least {
  double gap = std::numeric_limits<double>::infinity();
  Vector3d p, n;
};
Least least_vertex(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB) {
  Least least;
  Vector3d n;
  for (const Vector3d& v : sdf_of(b).surface.vertices) {
    const Vector3d p = X_WB.R * v + X_WB.p;
    const double d = distance_in_world(a, X_WA, p, n);
    if (d < least.gap) least = {d, p, n};
  }
  return least;
}

// Newton's method to the zero of the distance, which is right there whatever it is elsewhere.
bool move_onto(const Shape& shape, const Frame& X_WS, Vector3d& x) {
  Vector3d n;
  for (int k = 0; k < 12; ++k) {
    const double off = distance_in_world(shape, X_WS, x, n);
    if (std::abs(off) < 1e-13) return true;
    x -= off / n.squaredNorm() * n;
  }
  return std::abs(distance_in_world(shape, X_WS, x, n)) < 1e-10;
}

// From two points on, over both surfaces, for two that are nearer: random steps, ever smaller, of
// one, the other, both together, and of one with what seems the nearest to it.
double search_surfaces(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                       Vector3d x, Vector3d y, std::mt19937& rng) {
  if (!move_onto(a, X_WA, x) || !move_onto(b, X_WB, y)) {
    return std::numeric_limits<double>::infinity();
  }
  double best = (x - y).norm();
  Vector3d n;
  for (double step = 4e-3; step > 1e-8; step *= 0.75) {
    for (int k = 0; k < 10; ++k) {
      const Vector3d d = step * random_direction(rng);
      Vector3d p = x, q = y;
      if (k % 5 != 1) p += d;
      if (k % 5 < 2) q += d;
      if (!move_onto(a, X_WA, p) || !move_onto(b, X_WB, q)) continue;
      if (k % 5 == 1) p = q - distance_in_world(a, X_WA, q, n) * n;
      if (k % 5 == 2) q = p - distance_in_world(b, X_WB, p, n) * n;
      if (!move_onto(a, X_WA, p) || !move_onto(b, X_WB, q) || (p - q).norm() >= best) continue;
      best = (p - q).norm();
      x = p;
      y = q;
    }
  }
  return best;
}

class SolidsOnPoses : public testing::TestWithParam<SolidPair> {
 protected:
  struct Poses {
    Frame X_WA, X_WB;
    bool deep;
  };
  // Near, touching, parallel and far, then deep within each other, half of those concentric.
  static Poses poses(int k, std::mt19937& rng) {
    const SolidPair& pair = GetParam();
    Poses result{
        {random_rotation(rng), random_vector(rng)}, {random_rotation(rng), {}}, k % 6 == 5};
    auto& [X_WA, X_WB, deep] = result;
    const Vector3d direction = random_direction(rng);
    if (k % 6 == 3 || k % 24 == 5) X_WB.R = X_WA.R * quarter_turns(k / 6);
    if (deep) {
      X_WB.p = X_WA.p + (k % 12 == 5 ? 0 : 0.02) * direction;
      return result;
    }
    X_WB.p = X_WA.p + 0.2 * direction;
    const double gaps[] = {0, 2e-4, 2e-3, 5e-4, 0.03};
    for (int step = 0; step < 2; ++step) {
      const double gap = std::min(least_vertex(pair.a, X_WA, pair.b, X_WB).gap,
                                  least_vertex(pair.b, X_WB, pair.a, X_WA).gap);
      X_WB.p -= (gap - gaps[k % 6]) * direction;
    }
    return result;
  }
  static Eigen::Matrix3d quarter_turns(int k) {
    return Eigen::AngleAxisd(k % 4 * std::numbers::pi / 2, Vector3d::Unit(k / 4 % 3))
        .toRotationMatrix();
  }
};

// The ends of the deepest contact are on the surfaces, so that these are no further apart; and
// nothing nearer is found. Moved by the gap, the solids touch.
TEST_P(SolidsOnPoses, GapIsTheLeastDistanceBetweenTheSurfaces) {
  const SolidPair& pair = GetParam();
  std::mt19937 rng(1);
  int searched = 0, further = 0, off_surface = 0, apart = 0;
  for (int k = 0; k < kSolidPoses; ++k) {
    auto [X_WA, X_WB, deep] = poses(k, rng);
    const auto contacts = contacts_of(pair.a, X_WA, pair.b, X_WB, kSolidMargin);
    const Least least = least_vertex(pair.a, X_WA, pair.b, X_WB);
    if (least.gap < 0.8 * kSolidMargin) {
      ASSERT_FALSE(contacts.empty()) << k;
    }
    if (deep || contacts.empty() || deepest(contacts).gap < -1e-4)
      continue;  // how deep is their own affair
    ++searched;
    const ContactPoint& c = deepest(contacts);
    const Vector3d end_a = c.p - 0.5 * c.gap * c.n, end_b = c.p + 0.5 * c.gap * c.n;
    Vector3d n;
    ASSERT_NEAR(c.n.norm(), 1, 1e-12) << k;
    if (std::abs(distance_in_world(pair.a, X_WA, end_a, n)) > kSolidTolerance ||
        std::abs(distance_in_world(pair.b, X_WB, end_b, n)) > kSolidTolerance) {
      ++off_surface;
    }
    if (c.gap > 0) {
      const Vector3d from = least.p - least.gap * least.n;
      const double nearest = k % 2 == 0
                                 ? search_surfaces(pair.a, X_WA, pair.b, X_WB, from, least.p, rng)
                                 : search_surfaces(pair.a, X_WA, pair.b, X_WB, end_a, end_b, rng);
      if (nearest < c.gap - kSolidTolerance) ++further;
    }
    X_WB.p -= c.gap * c.n;
    const auto touch = contacts_of(pair.a, X_WA, pair.b, X_WB, kSolidMargin);
    if (touch.empty() || std::abs(deepest(touch).gap) > kSolidTolerance) ++apart;
  }
  EXPECT_GT(searched, 400);
  EXPECT_EQ(off_surface, 0);
  EXPECT_LE(further, pair.unseen);
  EXPECT_LE(apart, pair.unseen);
}

TEST_P(SolidsOnPoses, SwapAndRigidMotionChangeNothing) {
  const SolidPair& pair = GetParam();
  std::mt19937 rng(2);
  int changed = 0, found = 0;
  for (int k = 0; k < kSolidPoses; ++k) {
    const auto [X_WA, X_WB, deep] = poses(k, rng);
    const auto here = contacts_of(pair.a, X_WA, pair.b, X_WB, kSolidMargin);
    const auto swapped = contacts_of(pair.b, X_WB, pair.a, X_WA, kSolidMargin);
    ASSERT_EQ(here.size(), swapped.size()) << k;
    if (here.empty()) continue;
    ++found;
    ASSERT_NEAR(deepest(here).gap, deepest(swapped).gap, 1e-12) << k;
    const Frame X_MW{random_rotation(rng), random_vector(rng)};
    const auto there =
        contacts_of(pair.a, moved(X_MW, X_WA), pair.b, moved(X_MW, X_WB), kSolidMargin);
    ASSERT_FALSE(there.empty()) << k;
    if (std::abs(deepest(here).gap - deepest(there).gap) > 1e-10) ++changed;
    // A vertex of one within the other: they overlap.
    if (deep && least_vertex(pair.a, X_WA, pair.b, X_WB).gap < -1e-4) {
      ASSERT_LT(deepest(here).gap, 0) << k;
    }
  }
  EXPECT_GT(found, 600);
  EXPECT_LE(changed, 1);
}

INSTANTIATE_TEST_SUITE_P(Every, SolidsOnPoses, testing::ValuesIn(solid_pairs()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stiction
