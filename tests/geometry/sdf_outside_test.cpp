// The distance outside of solids to the last digit: its foot is on the surface, and no point of the
// surface that a random search finds is nearer.
#include <gtest/gtest.h>
#include <stiction/sdf.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "geometry/convex_samples.h"
#include "geometry/sdf_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Newton's method to the zero of the distance, which is right there whatever it is elsewhere.
bool move_onto(const Sdf& sdf, Vector3d& y) {
  Vector3d n;
  for (int k = 0; k < 12; ++k) {
    const double off = sdf.distance(y, n);
    if (std::abs(off) < 1e-14) return true;
    y -= off / n.squaredNorm() * n;
  }
  return std::abs(sdf.distance(y, n)) < 1e-11;
}

// Random steps from `start`, ever smaller, over the surface towards p.
double nearest_by_search(const Sdf& sdf, const Vector3d& p, Vector3d start, std::mt19937& rng) {
  if (!move_onto(sdf, start)) return std::numeric_limits<double>::infinity();
  double best = (start - p).norm();
  for (double step = 0.3 * sdf.detail; step > 1e-9; step *= 0.7) {
    for (int k = 0; k < 10; ++k) {
      Vector3d y = start + step * random_direction(rng);
      if (!move_onto(sdf, y) || (y - p).norm() >= best) continue;
      start = y;
      best = (y - p).norm();
    }
  }
  return best;
}

Vector3d nearest_vertex(const Sdf& sdf, const Vector3d& p) {
  const auto& all = sdf.surface.vertices;
  return *std::min_element(all.begin(), all.end(), [&](const Vector3d& x, const Vector3d& y) {
    return (x - p).squaredNorm() < (y - p).squaredNorm();
  });
}

// How many of 400 points off the surface by about `spread` have something nearer by 1e-8 m.
int count_nearer(const Sdf& sdf, double spread) {
  std::mt19937 rng(5);
  int nearer = 0;
  for (int tried = 0; tried < 400;) {
    const Vector3d p =
        sdf.surface.vertices[rng() % sdf.surface.vertices.size()] + spread * random_vector(rng);
    Vector3d n;
    if (sdf.distance(p, n) < 1e-5) continue;
    ++tried;
    const double d = sdf.outside(p, n);
    EXPECT_NEAR(n.norm(), 1, 1e-9) << sdf.name;
    const Vector3d foot = p - d * n;
    Vector3d ignored;
    EXPECT_NEAR(sdf.distance(foot, ignored), 0, 1e-9) << sdf.name << " " << p.transpose();
    const double search = std::min(nearest_by_search(sdf, p, foot, rng),
                                   nearest_by_search(sdf, p, nearest_vertex(sdf, p), rng));
    if (search < d - 1e-8) ++nearer;
  }
  return nearer;
}

TEST(SdfOutside, NothingIsNearerThanTheFootOnAThread) {
  const SdfPointer bolt = make_bolt("bolt", {.length = 0.02, .head_height = 0.01, .sectors = 96});
  const SdfPointer nut = make_nut("nut", {.height = 0.02, .sectors = 96});
  for (const SdfPointer& sdf : {bolt, nut}) {
    EXPECT_EQ(count_nearer(*sdf, 3e-4), 0) << sdf->name;
    EXPECT_EQ(count_nearer(*sdf, 1e-3), 0) << sdf->name;
    EXPECT_EQ(count_nearer(*sdf, 3e-3), 0) << sdf->name;
  }
}

TEST(SdfOutside, NothingIsNearerThanTheFootOnAGrid) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("stiction_outside_" + std::to_string(getpid()));
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const SdfPointer bowl = make_grid("bowl", make_dish("bowl", bowl_shape())->surface, 40);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(count_nearer(*bowl, 0.1 * bowl->detail), 0);
  EXPECT_EQ(count_nearer(*bowl, 0.3 * bowl->detail), 0);
}

// What is made of solids keeps to what they know.
TEST(SdfOutside, MovedGrownAndUnitedItIsTheSame) {
  const SdfPointer bolt = make_bolt("bolt", {.length = 0.02, .head_height = 0.01, .sectors = 12});
  const SdfPointer ball = make_primitive("ball", Sphere{0.02}, 0.01);
  const Pose pose{{0.1, 0, 0.2}, Eigen::Quaterniond(Eigen::AngleAxisd(1, Vector3d::UnitX()))};
  const SdfPointer turned = make_moved("turned", bolt, pose);
  const SdfPointer grown = make_offset("grown", bolt, 1e-4);
  const SdfPointer both = make_union("both", bolt, ball, 0.008);
  EXPECT_FALSE(make_offset("shrunk", bolt, -1e-4)->outside);
  std::mt19937 rng(6);
  for (int k = 0; k < 100; ++k) {
    const Vector3d p =
        bolt->surface.vertices[rng() % bolt->surface.vertices.size()] + 1e-3 * random_vector(rng);
    Vector3d n, ignored;
    if (bolt->distance(p, n) < 2e-4) continue;
    const double d = bolt->outside(p, n);
    EXPECT_NEAR(turned->outside(pose.q * p + pose.p, ignored), d, 1e-12);
    EXPECT_NEAR(grown->outside(p, ignored), d - 1e-4, 1e-12);
    EXPECT_NEAR(both->outside(p, ignored), std::min(d, ball->distance(p, ignored)), 1e-12);
  }
}

}  // namespace
}  // namespace stiction
