// Normals found without a search, against EPA: a proof must never let a worse normal pass.
#include "geometry/likely_normal.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "geometry/convex_samples.h"
#include "geometry/epa.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kOverlaps = 2000;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Cylinder on cylinder, flat to long, moved along a random direction until they overlap by `depth`.
CorePair overlapping(std::mt19937& rng, double depth) {
  std::uniform_real_distribution<double> size(0.1, 0.6);
  std::normal_distribution<double> normal;
  const auto rotation = [&] {
    return Eigen::Quaterniond(normal(rng), normal(rng), normal(rng), normal(rng))
        .normalized()
        .toRotationMatrix();
  };
  const ConvexCore a = convex_core(Cylinder{size(rng), size(rng)});
  const ConvexCore b = convex_core(Cylinder{size(rng), size(rng)});
  const Frame X_WB = {rotation(), 2 * Vector3d(normal(rng), normal(rng), normal(rng)).normalized()};
  CorePair pair = make_pair_of_cores(a, {}, b, X_WB);
  Separation separation;
  separate(pair, kUnlimited, Vector3d::Zero(), separation);
  pair.p_AB -= (separation.value + depth) * separation.n;
  return pair;
}

TEST(LikelyNormal, IsAsGoodAsEpaFinds) {
  std::mt19937 rng(1);
  for (const double depth : {1e-7, 1e-5, 1e-3, 1e-1}) {
    int found = 0;
    for (int k = 0; k < kOverlaps; ++k) {
      CorePair pair = overlapping(rng, depth);
      Separation likely;
      if (!separate_likely(pair, kUnlimited, likely)) continue;
      ++found;
      // EPA ends, on smooth cores, within a share of the size.
      EXPECT_GE(likely.value, separation_along(pair, epa(pair).n) - 1e-11) << depth << " " << k;
      EXPECT_LE((likely.a - likely.b + likely.value * likely.n).norm(), 1e-10) << depth << " " << k;
    }
    EXPECT_GT(found, kOverlaps / 10) << depth;  // most touch with their rims, which is left to EPA
  }
}

}  // namespace
}  // namespace stiction
