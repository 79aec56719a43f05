// Shapes that are nearly along each other: the end that is up is a contact as long as its gap is
// within the margin, and its gap is that of the closed form.
#include <gtest/gtest.h>

#include <numbers>

#include "geometry/convex_samples.h"
#include "geometry/pairs.h"

namespace stiction {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kTilts[] = {1e-4, 1e-3, 1e-2, 0.05, 0.15};

Contacts sorted_contacts(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                         double margin) {
  Contacts contacts;
  EXPECT_TRUE(collide(a, X_WA, b, X_WB, margin, contacts));
  std::sort(contacts.begin(), contacts.end(),
            [](const auto& c, const auto& d) { return c.gap < d.gap; });
  return contacts;
}

Matrix3d about(const Vector3d& axis, double angle) {
  return AngleAxisd(angle, axis).toRotationMatrix();
}

// Along x, its end at positive x up.
Matrix3d lying(double tilt) {
  return about(Vector3d::UnitY(), -tilt) * about(Vector3d::UnitY(), std::numbers::pi / 2);
}

TEST(TiltedCylinder, HasBothEndsOnAPlane) {
  const double r = 0.03, half = 0.06;
  for (const double tilt : kTilts) {
    const Frame X_WC{lying(tilt), Vector3d(0, 0, r + 0.02)};
    const Contacts found = sorted_contacts(Plane{}, {}, Cylinder{r, half}, X_WC, 0.05);
    ASSERT_GE(found.size(), 2u) << tilt;
    for (const double end : {-1.0, 1.0}) {
      const double gap = X_WC.p[2] + end * half * std::sin(tilt) - r * std::cos(tilt);
      EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const ContactPoint& c) {
        return std::abs(c.gap - gap) < 1e-12 && end * c.p[0] > 0;
      })) << tilt;
    }
  }
}

// Each is nearer than the middle of the plate, which is 0.1 mm thick.
TEST(TiltedPlate, HasItsFourLowerCornersOnAPlane) {
  for (const double tilt : kTilts) {
    const Frame X_WB{about(Vector3d::UnitY(), tilt), Vector3d(0, 0, 0.5 * std::sin(tilt))};
    const Contacts found = sorted_contacts(Plane{}, {}, Box{Vector3d(0.5, 0.4, 5e-5)}, X_WB, 0.2);
    ASSERT_EQ(found.size(), 4u) << tilt;
    for (int k = 0; k < 4; ++k) {
      const double up = k < 2 ? 0 : std::sin(tilt);
      EXPECT_NEAR(found[k].gap, up - 5e-5 * std::cos(tilt), 1e-12) << tilt;
    }
  }
}

// Two corners further apart are nearer to the margin.
TEST(TiltedRod, OfManySidesKeepsTheLowestCornerOfEachEnd) {
  TriangleMesh mesh{.name = "rod"};
  const int sides = 32;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    for (const double z : {-0.3, 0.3}) {
      mesh.vertices.emplace_back(0.02 * std::cos(angle), 0.02 * std::sin(angle), z);
    }
  }
  const Shape rod = convex_mesh(mesh);
  for (const double tilt : {0.0, 1e-4, 1e-3, 5e-3}) {
    const Frame X_WC{lying(tilt), Vector3d(0, 0, 0.02 + 0.3 * std::sin(tilt))};
    const Contacts found = sorted_contacts(Plane{}, {}, rod, X_WC, 0.006);
    ASSERT_LE(found.size(), 8u) << tilt;
    for (const double end : {-1.0, 1.0}) {
      const double gap = X_WC.p[2] + end * 0.3 * std::sin(tilt) - 0.02 * std::cos(tilt);
      EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const ContactPoint& c) {
        return std::abs(c.gap - gap) < 1e-12 && end * c.p[0] > 0;
      })) << tilt;
    }
  }
}

// Whichever way the rod has rolled: what is left out is no lower.
TEST(LyingRod, OfManySidesKeepsTheTwoLowestCornersOfEachEnd) {
  const int sides = 64;
  TriangleMesh mesh{.name = "rod"};
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    for (const double z : {-0.3, 0.3}) {
      mesh.vertices.emplace_back(0.02 * std::cos(angle), 0.02 * std::sin(angle), z);
    }
  }
  const Shape rod = convex_mesh(mesh);
  for (int roll = 0; roll < 50; ++roll) {
    // The lowest is off by up to half a side.
    const double off = std::numbers::pi / sides * (roll / 25.0 - 1);
    const Frame X_WC{lying(0) * about(Vector3d::UnitZ(), off), Vector3d(0, 0, 0.02)};
    const double other = 2 * std::numbers::pi / sides - std::abs(off);
    const Contacts found = sorted_contacts(Plane{}, {}, rod, X_WC, 0.004);
    ASSERT_EQ(found.size(), 8u) << roll;
    for (int k = 0; k < 4; ++k) {
      const double lowest = 0.02 * (1 - std::cos(k < 2 ? off : other));
      EXPECT_NEAR(found[k].gap, lowest, 1e-12) << roll << " " << k;
    }
  }
}

// A box over an edge along y, tilted along it: two edges are nearest, and the far edge of the face
// is as far above as it is long.
TEST(TiltedBox, HasBothEndsOnAnEdge) {
  const double root2 = std::numbers::sqrt2;
  const Shape box = Box{Vector3d(0.05, 0.02, 0.05)};
  const Shape brick = convex_mesh(box_mesh({0.05, 0.02, 0.05}, Vector3d::Zero()));
  const Shape rail = Box{Vector3d(0.02, 0.1, 0.02)};
  const Frame X_WR{about(Vector3d::UnitY(), std::numbers::pi / 4), Vector3d(0, 0, -0.02 * root2)};
  for (const Shape& above : {box, brick}) {
    for (const double tilt : kTilts) {
      const Frame X_WB{about(Vector3d::UnitX(), tilt), Vector3d(0, 0, 0.06)};
      const double middle = 0.06 - 0.05 * std::cos(tilt);
      const Contacts found = sorted_contacts(rail, X_WR, above, X_WB, 0.02);
      ASSERT_EQ(found.size(), 2u) << tilt;
      EXPECT_NEAR(found[0].gap, middle - 0.02 * std::sin(tilt), 1e-9) << tilt;
      EXPECT_NEAR(found[1].gap, middle + 0.02 * std::sin(tilt), 1e-9) << tilt;
      for (const ContactPoint& c : found) {
        EXPECT_LT((c.n - Vector3d::UnitZ()).norm(), 1e-9) << tilt;
        EXPECT_NEAR(c.p[0], 0, 1e-9) << tilt;
      }
      EXPECT_NEAR(std::abs(found[0].p[1] - found[1].p[1]), 0.04 * std::cos(tilt), 1e-6) << tilt;
    }
  }
}

// The base of a cylinder over a bar along y, tilted along it.
TEST(TiltedDisc, HasBothEndsOfItsChordOnABar) {
  const Frame X_WR{about(Vector3d::UnitX(), std::numbers::pi / 2), Vector3d(0.03, 0, -0.02)};
  const double half_chord = 0.04;  // of a disc of 0.05 at 0.03 from its centre
  for (const Shape& bar : {Shape(Capsule{0.02, 0.1}), Shape(Cylinder{0.02, 0.1})}) {
    for (const double tilt : kTilts) {
      const Frame X_WC{about(Vector3d::UnitX(), tilt), Vector3d(0, 0, 0.06)};
      const double middle = 0.06 - 0.05 * std::cos(tilt);
      const Contacts found = sorted_contacts(bar, X_WR, Cylinder{0.05, 0.05}, X_WC, 0.02);
      ASSERT_GE(found.size(), 2u) << tilt;
      // The rim is not across the bar: the normal leans to the side by 3/4 of the tilt, which takes
      // the chord as far down the bar's side, and the gap by the square.
      const double tolerance = 1e-9 + 0.05 * tilt * tilt;
      EXPECT_NEAR(found.front().gap, middle - half_chord * std::sin(tilt), tolerance) << tilt;
      EXPECT_NEAR(found.back().gap, middle + half_chord * std::sin(tilt), tolerance) << tilt;
      EXPECT_NEAR(found.back().p[1] - found.front().p[1], 2 * half_chord, 1e-9 + 0.04 * tilt)
          << tilt;
    }
  }
}

struct RoundPair {
  Shape a;
  Shape b;
};

class TiltedLines : public testing::TestWithParam<RoundPair> {
 protected:
  static constexpr double kRadius = 0.05;
  static constexpr double kHalf = 0.15;
  // Both are as thick; the first is longer and along x.
  Contacts contacts(double tilt, double yaw, double margin) const {
    const Frame X_WA{lying(0), Vector3d::Zero()};
    const Frame X_WB{about(Vector3d::UnitZ(), yaw) * lying(tilt), Vector3d(0, 0, 0.12)};
    return sorted_contacts(GetParam().a, X_WA, GetParam().b, X_WB, margin);
  }
};

// A capsule's end is a ball, a cylinder's a rim at right angles to its axis.
TEST_P(TiltedLines, HaveBothEndsWhereOneLeans) {
  const bool flat = std::holds_alternative<Cylinder>(GetParam().b);
  for (const double tilt : kTilts) {
    const Contacts found = contacts(tilt, 0, 0.1);
    ASSERT_EQ(found.size(), 2u) << tilt;
    const double below = kRadius + kRadius * (flat ? std::cos(tilt) : 1);
    EXPECT_NEAR(found[0].gap, 0.12 - kHalf * std::sin(tilt) - below, 1e-9) << tilt;
    EXPECT_NEAR(found[1].gap, 0.12 + kHalf * std::sin(tilt) - below, 1e-9) << tilt;
    for (const ContactPoint& c : found) EXPECT_LT((c.n - Vector3d::UnitZ()).norm(), 1e-9);
  }
}

// Nearest in the middle, and at the ends as far as these are beside the other's axis.
TEST_P(TiltedLines, HaveBothEndsWhereTheyCross) {
  for (const double yaw : kTilts) {
    const Contacts found = contacts(0, yaw, 0.1);
    ASSERT_GE(found.size(), 2u) << yaw;
    const double aside = std::hypot(0.12, kHalf * std::sin(yaw));
    const double lean = kHalf * std::sin(yaw) / aside * std::sin(yaw);  // along the one's axis
    EXPECT_NEAR(found.front().gap, 0.02, 1e-9) << yaw;
    for (size_t k = found.size() - 2; k < found.size(); ++k) {
      EXPECT_NEAR(found[k].gap, aside - 2 * kRadius, 1e-9 + kRadius * lean * lean) << yaw;
      EXPECT_NEAR(std::abs(found[k].p[0]), kHalf * std::cos(yaw), 1e-9 + 2 * kRadius * lean) << yaw;
    }
  }
}

TEST_P(TiltedLines, AcrossEachOtherTouchInAPoint) { EXPECT_EQ(contacts(0, 0.5, 0.1).size(), 1u); }

TEST_P(TiltedLines, HaveNoEndBeyondTheMargin) {
  const Contacts found = contacts(0.05, 0, 0.02);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(found[0].p[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Round, TiltedLines,
                         testing::Values(RoundPair{Capsule{0.05, 0.3}, Capsule{0.05, 0.15}},
                                         RoundPair{Cylinder{0.05, 0.3}, Cylinder{0.05, 0.15}},
                                         RoundPair{Capsule{0.05, 0.3}, Cylinder{0.05, 0.15}},
                                         RoundPair{Cylinder{0.05, 0.3}, Capsule{0.05, 0.15}}));

}  // namespace
}  // namespace stiction
