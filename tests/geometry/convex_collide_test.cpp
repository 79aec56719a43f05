// Every pair of a plane and convex shapes on random and degenerate poses. The gap of a contact is
// checked from both sides: the shapes are separated by it along the normal, so it is not too large;
// when they are apart, its end points belong to the shapes, so it is not too small; when they
// overlap, a search over all directions finds none that separates them better.
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "geometry/convex_samples.h"
#include "geometry/pairs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kPoses = 1000;
constexpr double kTolerance = 1e-6;  // the shapes are of size 1
constexpr double kFar = 200;         // a margin that no pose is beyond

struct PairCase {
  NamedShape a;
  NamedShape b;
};

void PrintTo(const PairCase& pair, std::ostream* out) { *out << pair.a.name << pair.b.name; }

std::vector<PairCase> all_pairs() {
  std::vector<PairCase> cases;
  const std::vector<NamedShape> shapes = convex_shapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    cases.push_back({{"plane", Plane{}}, shapes[i]});
    for (size_t j = i; j < shapes.size(); ++j) cases.push_back({shapes[i], shapes[j]});
  }
  return cases;
}

Contacts contacts_of(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB) {
  Contacts contacts;
  EXPECT_TRUE(collide(a, X_WA, b, X_WB, kFar, contacts));
  return contacts;
}

struct Poses {
  Frame X_WA;
  Frame X_WB;
};

// A rotation by a multiple of 45 degrees about an axis: faces and edges meet in parallel.
Eigen::Matrix3d aligned_rotation(std::mt19937& rng) {
  const int axis = std::uniform_int_distribution<int>(0, 2)(rng);
  const int eighths = std::uniform_int_distribution<int>(0, 7)(rng);
  return Eigen::AngleAxisd(eighths * std::numbers::pi / 4, Vector3d::Unit(axis)).toRotationMatrix();
}

Vector3d aligned_offset(std::mt19937& rng) {
  const int axis = std::uniform_int_distribution<int>(0, 2)(rng);
  return std::uniform_real_distribution<double>(-1.2, 1.2)(rng) * Vector3d::Unit(axis);
}

Poses random_poses(const PairCase& pair, int k, std::mt19937& rng) {
  Poses poses{{random_rotation(rng), random_vector(rng)}, {}};
  Frame& X_WB = poses.X_WB;
  const double distance = std::uniform_real_distribution<double>(0, 2)(rng);
  X_WB = {random_rotation(rng), poses.X_WA.p + distance * random_direction(rng)};
  const auto touch = [&](double gap) {
    const ContactPoint c = deepest(contacts_of(pair.a.shape, poses.X_WA, pair.b.shape, X_WB));
    X_WB.p += (gap - c.gap) * c.n;
  };
  switch (k % 8) {
    case 0:  // nearly concentric
      X_WB.p = poses.X_WA.p + 1e-3 * distance * random_direction(rng);
      break;
    case 1:  // concentric, half of them with all faces parallel
      X_WB.p = poses.X_WA.p;
      if (k % 16 == 1) X_WB.R = poses.X_WA.R;
      break;
    case 2:  // parallel faces or edge on edge
    case 3:  // the same, touching
      X_WB.R = poses.X_WA.R * aligned_rotation(rng);
      X_WB.p = poses.X_WA.p + poses.X_WA.R * aligned_offset(rng);
      if (k % 8 == 3) touch(0);
      break;
    case 4:  // touching
      touch(k % 16 == 4 ? 1e-9 : -1e-5);
      break;
    case 5:  // far
      X_WB.p = poses.X_WA.p + 50 * (X_WB.p - poses.X_WA.p);
      break;
    default:
      break;
  }
  return poses;
}

// The best of directions spread evenly over the sphere, improved in ever smaller steps.
double best_separation(const PairCase& pair, const Poses& poses, std::mt19937& rng) {
  const auto separation = [&](const Vector3d& n) {
    return separation_of(pair.a.shape, poses.X_WA, pair.b.shape, poses.X_WB, n);
  };
  constexpr int kDirections = 250;
  Vector3d best = Vector3d::UnitX();
  double value = separation(best);
  const auto improve = [&](const Vector3d& n) {
    const double at_n = separation(n);
    if (at_n <= value) return false;
    value = at_n;
    best = n;
    return true;
  };
  for (int k = 0; k < kDirections; ++k) {
    const double z = 1 - (2 * k + 1.0) / kDirections;
    const double angle = k * std::numbers::pi * (3 - std::sqrt(5.0));
    const double rho = std::sqrt(1 - z * z);
    improve({rho * std::cos(angle), rho * std::sin(angle), z});
  }
  for (double step = 0.1; step > 1e-6; step *= 0.5) {
    for (int k = 0; k < 8; ++k) improve((best + step * random_direction(rng)).normalized());
  }
  return value;
}

void expect_right_gap(const PairCase& pair, const Poses& poses, const ContactPoint& c,
                      std::mt19937& rng) {
  const auto& [X_WA, X_WB] = poses;
  ASSERT_NEAR(c.n.norm(), 1, 1e-12);
  ASSERT_NEAR(c.gap, separation_of(pair.a.shape, X_WA, pair.b.shape, X_WB, c.n), kTolerance);
  ASSERT_NEAR(outside(pair.a.shape, X_WA, c.p - 0.5 * c.gap * c.n), 0, kTolerance);
  ASSERT_NEAR(outside(pair.b.shape, X_WB, c.p + 0.5 * c.gap * c.n), 0, kTolerance);
  if (pair.a.name == "plane") {
    ASSERT_LT((c.n - X_WA.R.col(2)).norm(), 1e-12);
  } else if (c.gap < 0) {
    ASSERT_LT(best_separation(pair, poses, rng), c.gap + kTolerance);
  }
}

class ConvexPair : public testing::TestWithParam<PairCase> {};

TEST_P(ConvexPair, GapIsRightFromBothSides) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(1);
  for (int k = 0; k < kPoses; ++k) {
    SCOPED_TRACE(k);
    const Poses poses = random_poses(pair, k, rng);
    const Contacts contacts = contacts_of(pair.a.shape, poses.X_WA, pair.b.shape, poses.X_WB);
    ASSERT_FALSE(contacts.empty());
    ASSERT_LE(contacts.size(), 8u);
    std::set<std::uint32_t> names;
    for (const ContactPoint& c : contacts) names.insert(c.feature);
    ASSERT_EQ(names.size(), contacts.size());
    ASSERT_NO_FATAL_FAILURE(expect_right_gap(pair, poses, deepest(contacts), rng));
    for (const ContactPoint& c : contacts) {
      ASSERT_LT(outside(pair.a.shape, poses.X_WA, c.p - 0.5 * c.gap * c.n), kTolerance);
      ASSERT_LT(outside(pair.b.shape, poses.X_WB, c.p + 0.5 * c.gap * c.n), kTolerance);
    }
  }
}

TEST_P(ConvexPair, MovingApartByTheGapGivesTouch) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(2);
  for (int k = 0; k < kPoses; ++k) {
    auto [X_WA, X_WB] = random_poses(pair, k, rng);
    const ContactPoint c = deepest(contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB));
    X_WB.p -= c.gap * c.n;
    const ContactPoint touch = deepest(contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB));
    ASSERT_NEAR(touch.gap, 0, kTolerance) << k << " gap " << c.gap;
  }
}

TEST_P(ConvexPair, SwapReversesTheNormal) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(3);
  for (int k = 0; k < kPoses; ++k) {
    const auto [X_WA, X_WB] = random_poses(pair, k, rng);
    const ContactPoint c = deepest(contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB));
    const ContactPoint d = deepest(contacts_of(pair.b.shape, X_WB, pair.a.shape, X_WA));
    ASSERT_NEAR(c.gap, d.gap, kTolerance) << k;
    if (c.gap > 1e-3) {  // overlapping shapes may have several best normals
      ASSERT_LT((c.n + d.n).norm(), 1e-10) << k;
    }
  }
}

TEST_P(ConvexPair, RigidMotionMovesTheContacts) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(4);
  for (int k = 0; k < kPoses; ++k) {
    const auto [X_WA, X_WB] = random_poses(pair, k, rng);
    const Frame X_MW{random_rotation(rng), random_vector(rng)};
    const Contacts here = contacts_of(pair.a.shape, X_WA, pair.b.shape, X_WB);
    const Contacts there =
        contacts_of(pair.a.shape, moved(X_MW, X_WA), pair.b.shape, moved(X_MW, X_WB));
    const ContactPoint& c = deepest(here);
    const ContactPoint& d = deepest(there);
    ASSERT_NEAR(c.gap, d.gap, 1e-10) << k;
    if (c.gap > 1e-3) {
      ASSERT_LT((X_MW.R * c.n - d.n).norm(), 1e-10) << k;
    }
  }
}

// One shape glides past the other: what the pair remembers must not show.
TEST_P(ConvexPair, MemoryChangesNoBit) {
  const PairCase& pair = GetParam();
  std::mt19937 rng(5);
  for (int path = 0; path < 20; ++path) {
    auto [X_WA, X_WB] = random_poses(pair, path, rng);
    const Vector3d step = 0.02 * random_direction(rng);
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.03, random_direction(rng)).toRotationMatrix();
    X_WB.p -= 20 * step;
    PairMemory memory;
    for (int k = 0; k < 40; ++k) {
      X_WB = {turn * X_WB.R, X_WB.p + step};
      Contacts cold, warm;
      collide(pair.a.shape, X_WA, pair.b.shape, X_WB, 0.05, cold);
      collide(pair.a.shape, X_WA, pair.b.shape, X_WB, 0.05, warm, &memory);
      ASSERT_EQ(cold.size(), warm.size()) << path << " " << k;
      for (size_t c = 0; c < cold.size(); ++c) {
        ASSERT_EQ(cold[c].p, warm[c].p) << path << " " << k;
        ASSERT_EQ(cold[c].n, warm[c].n) << path << " " << k;
        ASSERT_EQ(cold[c].gap, warm[c].gap) << path << " " << k;
        ASSERT_EQ(cold[c].feature, warm[c].feature) << path << " " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ConvexPair, testing::ValuesIn(all_pairs()), [](const auto& tested) {
  return tested.param.a.name + "_" + tested.param.b.name;
});

}  // namespace
}  // namespace stiction
