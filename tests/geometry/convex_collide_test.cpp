// Any two convex shapes on random poses. The gap of a contact is checked from both sides: the
// shapes are separated by it along the normal, so it is not too large; when they are apart, its
// end points belong to the shapes, so it is not too small; when they overlap, no other direction
// separates them better.
#include <gtest/gtest.h>

#include "geometry/convex_samples.h"
#include "geometry/pairs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kPoses = 1000;

// Deep in one another, smooth shapes or meshes with hundreds of faces have many directions that
// are about as good; the search is bounded there, and its result a little off.
double tolerance(double gap) { return gap < -0.3 ? 0.02 * -gap : 1e-6; }

struct PairCase {
  NamedShape a;
  NamedShape b;
};

// Box against box has its own test; here it takes the general way as the others do.
std::vector<PairCase> all_pairs() {
  std::vector<PairCase> cases;
  const std::vector<NamedShape> shapes = convex_shapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = i; j < shapes.size(); ++j) cases.push_back({shapes[i], shapes[j]});
  }
  return cases;
}

Contacts contacts_of(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                     double margin = 10) {
  Contacts contacts;
  if (std::holds_alternative<Box>(a) && std::holds_alternative<Box>(b)) {
    convex_convex(a, X_WA, b, X_WB, margin, contacts);
  } else {
    EXPECT_TRUE(collide(a, X_WA, b, X_WB, margin, contacts));
  }
  return contacts;
}

// Apart, overlapping, nearly concentric and aligned ones.
void random_pose(int k, std::mt19937& rng, Frame& X_WA, Frame& X_WB) {
  X_WA = {random_rotation(rng), random_vector(rng)};
  const double distance = std::uniform_real_distribution<double>(0, 2)(rng);
  X_WB.R = k % 7 == 0 ? X_WA.R : random_rotation(rng);
  X_WB.p = X_WA.p + (k % 10 == 0 ? 1e-3 : 1) * distance * random_direction(rng);
}

double best_separation_near(const PairCase& pair, const Frame& X_WA, const Frame& X_WB,
                            const Vector3d& n, std::mt19937& rng) {
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 40; ++k) {
    const Vector3d m = (n + std::pow(10.0, -(k % 5)) * random_vector(rng)).normalized();
    best = std::max(best, separation_of(pair.a.shape, X_WA, pair.b.shape, X_WB, m));
  }
  return best;
}

class ConvexPair : public testing::TestWithParam<PairCase> {};

TEST_P(ConvexPair, GapIsRightFromBothSides) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(1);
  int apart = 0;
  for (int k = 0; k < kPoses; ++k) {
    Frame X_WA, X_WB;
    random_pose(k, rng, X_WA, X_WB);
    const Contacts contacts = contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB);
    ASSERT_FALSE(contacts.empty()) << k;
    ASSERT_LE(contacts.size(), 8u) << k;
    const ContactPoint& c = deepest(contacts);
    ASSERT_NEAR(c.n.norm(), 1, 1e-12) << k;
    ASSERT_NEAR(c.gap, separation_of(pair.a.shape, X_WA, pair.b.shape, X_WB, c.n), 1e-8) << k;
    if (c.gap > 0) {
      ++apart;
      ASSERT_LT(outside(pair.a.shape, X_WA, c.p - 0.5 * c.gap * c.n), 1e-6) << k;
      ASSERT_LT(outside(pair.b.shape, X_WB, c.p + 0.5 * c.gap * c.n), 1e-6) << k;
    } else {
      const double best = best_separation_near(pair, X_WA, X_WB, c.n, rng);
      ASSERT_LT(best, c.gap + tolerance(c.gap)) << k;
    }
  }
  EXPECT_GT(apart, 0);
  EXPECT_LT(apart, kPoses);
}

TEST_P(ConvexPair, MovingApartByTheGapGivesTouch) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(2);
  for (int k = 0; k < kPoses; ++k) {
    Frame X_WA, X_WB;
    random_pose(k, rng, X_WA, X_WB);
    const ContactPoint c = deepest(contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB));
    X_WB.p -= c.gap * c.n;
    const ContactPoint touch = deepest(contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB));
    ASSERT_NEAR(touch.gap, 0, tolerance(c.gap)) << k << " gap " << c.gap;
  }
}

TEST_P(ConvexPair, SwapReversesTheNormal) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(3);
  for (int k = 0; k < kPoses; ++k) {
    Frame X_WA, X_WB;
    random_pose(k, rng, X_WA, X_WB);
    const Contacts there = contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB);
    const Contacts back = contacts_of(pair.b.shape, X_WB, pair.a.shape, X_WA);
    const ContactPoint& c = deepest(there);
    const ContactPoint& d = deepest(back);
    ASSERT_NEAR(c.gap, d.gap, tolerance(c.gap)) << k;
    if (c.gap > 1e-3) {
      ASSERT_LT((c.n + d.n).norm(), 1e-6) << k;
    }
  }
}

TEST_P(ConvexPair, RigidMotionMovesTheContacts) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(4);
  for (int k = 0; k < kPoses; ++k) {
    Frame X_WA, X_WB;
    random_pose(k, rng, X_WA, X_WB);
    const Frame X_MW{random_rotation(rng), random_vector(rng)};
    const Contacts here = contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB);
    const Contacts there =
        contacts_of(pair.a.shape, moved(X_MW, X_WA), pair.b.shape, moved(X_MW, X_WB));
    const ContactPoint& c = deepest(here);
    const ContactPoint& d = deepest(there);
    if (c.gap < -0.3) continue;  // several directions may be as good
    ASSERT_NEAR(c.gap, d.gap, 1e-9) << k;
    if (c.gap > 1e-3) {
      ASSERT_LT((X_MW.R * c.n - d.n).norm(), 1e-9) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ConvexPair, testing::ValuesIn(all_pairs()), [](const auto& tested) {
  return tested.param.a.name + "_" + tested.param.b.name;
});

}  // namespace
}  // namespace stiction
