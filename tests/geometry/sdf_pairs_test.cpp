// Spheres, capsules, cylinders and boxes as signed distance solids against every shape, on random
// poses. The gap is the one between the shapes themselves, which other code finds in another way.
#include <gtest/gtest.h>
#include <stiction/sdf.h>

#include <numbers>

#include "geometry/convex_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kSdfPoses = 1000;
constexpr double kSdfMargin = 0.05;
constexpr double kEdge = 0.05;  // of the solids' faces; the solids are of size 1

struct Partner {
  std::string name;
  Shape plain;
  Shape used;  // the same, as a solid perhaps
};

std::vector<Partner> primitive_solids() {
  std::vector<Partner> result;
  const auto add = [&](const std::string& name, const Shape& shape) {
    Shape solid = SdfSolid{make_primitive(name, shape, kEdge)};
    prepare_for_collision(solid);
    result.push_back({"sdf_" + name, shape, solid});
  };
  add("sphere", Sphere{0.4});
  add("capsule", Capsule{0.2, 0.5});
  add("cylinder", Cylinder{0.35, 0.4});
  add("box", Box{Vector3d(0.3, 0.5, 0.4)});
  return result;
}

struct SdfPair {
  Partner a;
  Partner b;
};
void PrintTo(const SdfPair& pair, std::ostream* out) { *out << pair.a.name << pair.b.name; }

std::vector<SdfPair> sdf_pairs() {
  std::vector<Partner> others = {{"plane", Plane{}, Plane{}}};
  for (const NamedShape& named : convex_shapes()) {
    others.push_back({named.name, named.shape, named.shape});
  }
  const std::vector<Partner> all = primitive_solids();
  std::vector<SdfPair> pairs;
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Partner& other : others) pairs.push_back({all[i], other});
    for (size_t k = i; k < all.size(); ++k) pairs.push_back({all[i], all[k]});
  }
  return pairs;
}

class SdfPairOnPoses : public testing::TestWithParam<SdfPair> {
 protected:
  struct Poses {
    Frame X_WA, X_WB;
    ContactPoint exact;  // of the plain shapes
  };
  // A millimetre apart, further, or overlapping by a tenth of a millimetre.
  Poses poses(int k, std::mt19937& rng) const {
    return poses_apart_by(k % 3 == 0 ? 1e-3 : k % 3 == 1 ? 0.02 : -1e-4, rng);
  }
  Poses poses_apart_by(double gap, std::mt19937& rng) const {
    const SdfPair& pair = GetParam();
    Poses result{{random_rotation(rng), random_vector(rng)}, {}, {}};
    result.X_WB = {random_rotation(rng), result.X_WA.p + 1.5 * random_direction(rng)};
    const auto exact = [&] {
      return deepest(contacts_of(pair.a.plain, result.X_WA, pair.b.plain, result.X_WB, 10));
    };
    const ContactPoint c = exact();
    result.X_WB.p += (gap - c.gap) * c.n;
    result.exact = exact();
    return result;
  }
};

TEST_P(SdfPairOnPoses, ApartByTheGapOfTheShapes) {
  const SdfPair& pair = GetParam();
  std::mt19937 rng(1);
  for (int k = 0; k < kSdfPoses; ++k) {
    auto [X_WA, X_WB, exact] = poses(k % 2, rng);
    const auto contacts = contacts_of(pair.a.used, X_WA, pair.b.used, X_WB, kSdfMargin);
    ASSERT_FALSE(contacts.empty()) << k;
    const ContactPoint& c = deepest(contacts);
    ASSERT_NEAR(c.gap, exact.gap, 1e-6) << k;
    ASSERT_NEAR(c.n.norm(), 1, 1e-12) << k;
    // Its ends are on the shapes.
    ASSERT_NEAR(outside(pair.a.plain, X_WA, c.p - 0.5 * c.gap * c.n), 0, 1e-6) << k;
    ASSERT_NEAR(outside(pair.b.plain, X_WB, c.p + 0.5 * c.gap * c.n), 0, 1e-6) << k;
    X_WB.p -= c.gap * c.n;
    const auto touch = contacts_of(pair.a.used, X_WA, pair.b.used, X_WB, kSdfMargin);
    ASSERT_FALSE(touch.empty()) << k;
    ASSERT_NEAR(deepest(touch).gap, 0, 1e-6) << k;
  }
}

// Where corners and edges overlap there are many ways out, of which a few longer ones are taken;
// the deeper, the more.
TEST_P(SdfPairOnPoses, OverlapByTheDepthOfTheShapes) {
  const SdfPair& pair = GetParam();
  struct Overlap {
    double depth;
    int poses, few;
  };
  for (const auto& [depth, poses, few] : {Overlap{1e-4, 300, 0}, {1e-3, 100, 4}, {1e-2, 100, 12}}) {
    std::mt19937 rng(3);
    int longer = 0, apart = 0;
    for (int k = 0; k < poses; ++k) {
      auto [X_WA, X_WB, exact] = poses_apart_by(-depth, rng);
      const auto contacts = contacts_of(pair.a.used, X_WA, pair.b.used, X_WB, kSdfMargin);
      ASSERT_FALSE(contacts.empty()) << k;
      const ContactPoint& c = deepest(contacts);
      ASSERT_NEAR(c.gap, exact.gap, depth) << k;
      if (std::abs(c.gap - exact.gap) > 1e-6) ++longer;
      X_WB.p -= c.gap * c.n;
      const auto touch = contacts_of(pair.a.used, X_WA, pair.b.used, X_WB, kSdfMargin);
      ASSERT_FALSE(touch.empty()) << k;
      if (std::abs(deepest(touch).gap) > 1e-6) ++apart;
    }
    EXPECT_LE(longer, few) << depth;
    EXPECT_LE(apart, few) << depth;
  }
}

TEST_P(SdfPairOnPoses, SwapAndRigidMotionChangeNothingElse) {
  const SdfPair& pair = GetParam();
  std::mt19937 rng(2);
  for (int k = 0; k < kSdfPoses; ++k) {
    const auto [X_WA, X_WB, exact] = poses(k, rng);
    const auto here = contacts_of(pair.a.used, X_WA, pair.b.used, X_WB, kSdfMargin);
    const auto swapped = contacts_of(pair.b.used, X_WB, pair.a.used, X_WA, kSdfMargin);
    ASSERT_FALSE(here.empty()) << k;
    ASSERT_NEAR(deepest(here).gap, deepest(swapped).gap, 1e-12) << k;
    ASSERT_LT((deepest(here).n + deepest(swapped).n).norm(), 1e-10) << k;
    const Frame X_MW{random_rotation(rng), random_vector(rng)};
    const auto there =
        contacts_of(pair.a.used, moved(X_MW, X_WA), pair.b.used, moved(X_MW, X_WB), kSdfMargin);
    ASSERT_FALSE(there.empty()) << k;
    ASSERT_NEAR(deepest(here).gap, deepest(there).gap, 1e-10) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SdfPairOnPoses, testing::ValuesIn(sdf_pairs()),
                         [](const auto& tested) {
                           return tested.param.a.name + "_" + tested.param.b.name;
                         });

}  // namespace
}  // namespace stiction
