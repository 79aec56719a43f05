// Dishes, threads and baked meshes as signed distance solids against one another, on random poses.
// The gap of the deepest contact is compared with a search over the whole surface of one solid for
// the least distance of the other one.
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
constexpr double kSolidSize = 0.1;  // of the solids, m

struct SolidPair {
  std::string name;
  Shape a, b;        // b is the one with the smaller bounding ball
  double tolerance;  // of gaps, m
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
  const double exact = 1e-6 * kSolidSize;
  const double edges = 5e-5;    // 1 % of the pitch: distances beside edges of threads
  const double cells = 1.5e-4;  // 3 % of a cell of the grid
  return {{"bowl_bowl", dish, dish, exact}, {"bowl_bolt", dish, bolt, edges},
          {"bowl_nut", dish, nut, edges},   {"bowl_grid", dish, grid, cells},
          {"bolt_bolt", bolt, bolt, edges}, {"bolt_nut", bolt, nut, edges},
          {"grid_bolt", grid, bolt, cells}, {"nut_nut", nut, nut, edges},
          {"grid_nut", grid, nut, cells},   {"grid_grid", grid, grid, cells}};
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

// From a point on, over the zero of B's distance: random steps, ever smaller.
double search_surface(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                      const Vector3d& start, std::mt19937& rng) {
  Vector3d best = start, n;
  double value = distance_in_world(a, X_WA, best, n);
  for (double step = 4e-3; step > 2e-7; step *= 0.75) {
    for (int k = 0; k < 6; ++k) {
      Vector3d x = best + step * random_direction(rng);
      for (int newton = 0; newton < 4; ++newton) {
        const double off = distance_in_world(b, X_WB, x, n);
        x -= off * n / n.squaredNorm();
        if (std::abs(off) < 1e-12) break;
      }
      if (std::abs(distance_in_world(b, X_WB, x, n)) > 1e-10) continue;
      const double d = distance_in_world(a, X_WA, x, n);
      if (d >= value) continue;
      value = d;
      best = x;
    }
  }
  return value;
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

// Where both distances are exact (dishes), gaps are right to 1e-6 of the size. Threads are exact
// beside straight edges only, and baked grids nowhere: for them it is what their distances are
// worth, and a few poses with a corner next to an edge are worse.
TEST_P(SolidsOnPoses, GapIsTheLeastDistanceOverTheSurface) {
  const SolidPair& pair = GetParam();
  std::mt19937 rng(1);
  int searched = 0, inexact = 0, off_surface = 0, apart = 0;
  for (int k = 0; k < kSolidPoses; ++k) {
    auto [X_WA, X_WB, deep] = poses(k, rng);
    const auto contacts = contacts_of(pair.a, X_WA, pair.b, X_WB, kSolidMargin);
    const Least least = least_vertex(pair.a, X_WA, pair.b, X_WB);
    if (least.gap < 0.8 * kSolidMargin) {
      ASSERT_FALSE(contacts.empty()) << k;
    }
    if (contacts.empty() || deepest(contacts).gap < -1e-4)
      continue;  // how deep is their own affair
    const ContactPoint& c = deepest(contacts);
    const Vector3d end_a = c.p - 0.5 * c.gap * c.n, end_b = c.p + 0.5 * c.gap * c.n;
    double exact = search_surface(pair.a, X_WA, pair.b, X_WB, k % 2 == 0 ? least.p : end_b, rng);
    if (&sdf_of(pair.a) == &sdf_of(pair.b)) {  // either may show its surface
      exact = std::min(exact, search_surface(pair.b, X_WB, pair.a, X_WA, end_a, rng));
    }
    ++searched;
    ASSERT_LT(std::abs(c.gap - exact), 2e-3) << k;
    ASSERT_NEAR(c.n.norm(), 1, 1e-12) << k;
    if (std::abs(c.gap - exact) > pair.tolerance) ++inexact;
    Vector3d n;
    if (std::abs(distance_in_world(pair.a, X_WA, end_a, n)) > pair.tolerance ||
        std::abs(distance_in_world(pair.b, X_WB, end_b, n)) > pair.tolerance) {
      ++off_surface;
    }
    X_WB.p -= c.gap * c.n;
    const auto touch = contacts_of(pair.a, X_WA, pair.b, X_WB, kSolidMargin);
    if (touch.empty() || std::abs(deepest(touch).gap) > pair.tolerance) ++apart;
  }
  EXPECT_GT(searched, 400);
  const int few = pair.name == "bowl_bowl" ? 0 : searched / 10;
  EXPECT_LE(inexact, few);
  EXPECT_LE(off_surface, few);
  EXPECT_LE(apart, few);
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
