#include <gtest/gtest.h>
#include <stiction/sdf.h>

#include <numbers>
#include <set>

#include "geometry/convex_samples.h"
#include "geometry/sdf_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

Shape prepared(Shape shape) {
  prepare_for_collision(shape);
  return shape;
}

Shape solid(const SdfPointer& sdf) { return prepared(SdfSolid{sdf}); }

Frame at(double x, double y, double z) { return {Eigen::Matrix3d::Identity(), {x, y, z}}; }

// Above the middle of the top face of a box, the gap is known by the other shape's support
// function.
TEST(SdfPairs, ABoxAsSdfTouchesLikeABox) {
  const Shape sdf = solid(make_primitive("box", Box{{1, 0.8, 0.5}}, 0.1));
  std::vector<NamedShape> others = convex_shapes();
  others.push_back({"sdf ball", solid(make_primitive("ball", Sphere{0.4}, 0.04))});
  std::mt19937 rng(11);
  for (const NamedShape& other : others) {
    const Shape plain = other.name == "sdf ball" ? Shape(Sphere{0.4}) : other.shape;
    for (int k = 0; k < 20; ++k) {
      Frame X{random_rotation(rng), {0.1 * (k % 3 - 1), 0.1 * (k % 2), 0}};
      const double gap = k % 4 == 0 ? -0.02 : 0.01;
      X.p.z() = 0.5 + gap + std::visit(Reach{-X.R.row(2).transpose()}, plain);
      const auto contacts = contacts_of(sdf, Frame{}, other.shape, X, 0.03);
      ASSERT_FALSE(contacts.empty()) << other.name;
      const ContactPoint& lowest = deepest(contacts);
      EXPECT_NEAR(lowest.gap, gap, 1e-3) << other.name << ' ' << k;
      EXPECT_GT(lowest.n.z(), 0.99) << other.name << ' ' << k;
    }
  }
}

TEST(SdfPairs, SwappingTurnsTheNormalsAround) {
  const Shape bowl = solid(make_dish("bowl", bowl_shape()));
  const Shape plate = solid(make_dish("plate", plate_shape()));
  for (const Shape& other : {Shape(Box{{0.02, 0.02, 0.02}}), Shape(Sphere{0.02}), plate}) {
    const Frame X = at(0.01, 0, 0.07);
    const auto one = contacts_of(bowl, Frame{}, other, X, 0.05);
    const auto two = contacts_of(other, X, bowl, Frame{}, 0.05);
    ASSERT_EQ(one.size(), two.size());
    for (size_t k = 0; k < one.size(); ++k) {
      EXPECT_EQ(one[k].n, -two[k].n);
      EXPECT_EQ(one[k].p, two[k].p);
      EXPECT_EQ(one[k].feature, two[k].feature);
    }
  }
}

// A ball in the corner of a pot touches base and wall at once.
TEST(SdfPairs, ABallRestsOnBaseAndWall) {
  const Shape pot = solid(make_dish("pot", pot_shape(0.09, 0.1, 0.006)));
  const double r = 0.01;
  const auto contacts = contacts_of(Sphere{r}, at(0.084 - r, 0, 0.006 + r), pot, Frame{}, 1e-4);
  ASSERT_EQ(contacts.size(), 2u);
  for (const ContactPoint& contact : contacts) EXPECT_NEAR(contact.gap, 0, 1e-12);
  EXPECT_NEAR(contacts[0].n.dot(contacts[1].n), 0, 1e-12);
}

// Upright on a plane, a dish stands on the ring where its base ends.
TEST(Dishes, StandOnTheRimOfTheirBase) {
  const Shape bowl = solid(make_dish("bowl", bowl_shape(0.03, 0.07, 0.06, 0.004)));
  const auto contacts = contacts_of(Plane{}, Frame{}, bowl, Frame{}, 1e-5);
  ASSERT_GE(contacts.size(), 40u);
  ASSERT_LE(contacts.size(), 120u);
  double largest = 0;
  for (const ContactPoint& contact : contacts) {
    EXPECT_NEAR(contact.gap, 0, 1e-12);
    largest = std::max(largest, contact.p.head<2>().norm());
  }
  EXPECT_NEAR(largest, 0.028, 1e-9);  // base radius less half the thickness
}

// A bowl in a wider one rests on a ring: the round edge of its base, a torus of radius d about the
// circle of radius a, against the inner side of a cone.
TEST(Dishes, ABowlRestsInAnotherOnARing) {
  const Dish lower = bowl_shape(0.04, 0.085, 0.06, 0.004);
  const Dish upper = bowl_shape(0.05, 0.08, 0.06, 0.004);
  const double d = 0.002;
  const Eigen::Vector2d A = lower.outline[1], B = lower.outline[2];
  const Eigen::Vector2d along = (B - A).normalized();
  const Eigen::Vector2d n(-along.y(), along.x());  // towards the axis and up
  const double a = upper.outline[1][0];
  // The centre of the torus' section is 2 d from the line A B.
  const double z = A.y() + (2 * d - n.x() * (a - A.x())) / n.y();
  const Shape one = solid(make_dish("lower", lower));
  const Shape two = solid(make_dish("upper", upper));
  const auto contacts = contacts_of(one, Frame{}, two, at(0, 0, z - d), 2e-6);
  ASSERT_GE(contacts.size(), 32u);
  ASSERT_LE(contacts.size(), 120u);
  std::vector<int> sector(8, 0);
  for (const ContactPoint& contact : contacts) {
    const double rho = contact.p.head<2>().norm();
    EXPECT_NEAR(contact.gap, 0, 2e-6);
    EXPECT_NEAR(rho, a - d * n.x(), 2e-4);
    EXPECT_NEAR(contact.n.z(), n.y(), 0.01);
    EXPECT_NEAR(contact.n.head<2>().dot(contact.p.head<2>()) / rho, n.x(), 0.01);
    ++sector[static_cast<int>((std::atan2(contact.p.y(), contact.p.x()) + pi) / (2 * pi) * 7.999)];
  }
  for (const int count : sector) EXPECT_GE(count, 3);
}

// Four dishes on one another, each touching the next where the geometry says: at a gap of 0 on a
// ring of known radius and height.
TEST(Dishes, AStackOfFourTouchesInRings) {
  struct Level {
    Shape shape;
    double z;       // of its underside
    double radius;  // of the ring on which it stands; 0: anywhere up to `disc`
    double disc;
    double height;  // of the contacts
  };
  // A plate on the floor, a bowl on the plate's base, a pot on the bowl's rim, a plate on the
  // pot's.
  const double d = 0.002, pot_d = 0.003;
  const std::vector<Level> stack = {
      {solid(make_dish("plate", plate_shape())), 0, 0, 0.06 - d, 0},
      {solid(make_dish("bowl", bowl_shape(0.03, 0.07, 0.06))), 2 * d, 0, 0.03 - d, 2 * d},
      {solid(make_dish("pot", pot_shape(0.08, 0.05))), 2 * d + 0.06, 0.07 - d, 0, 2 * d + 0.06},
      {solid(make_dish("lid", plate_shape(0.09, 0.12))), 2 * d + 0.11, 0.08 - pot_d, 0,
       2 * d + 0.11}};
  for (size_t k = 0; k < stack.size(); ++k) {
    const Level& level = stack[k];
    const Shape& below = k == 0 ? Shape(Plane{}) : stack[k - 1].shape;
    const auto contacts = contacts_of(below, at(0, 0, k == 0 ? 0 : stack[k - 1].z), level.shape,
                                      at(0, 0, level.z), 1e-6);
    ASSERT_GE(contacts.size(), 24u) << k;
    ASSERT_LE(contacts.size(), 120u) << k;
    std::set<int> sectors;
    for (const ContactPoint& contact : contacts) {
      const double rho = contact.p.head<2>().norm();
      EXPECT_NEAR(contact.gap, 0, 1e-6) << k;
      EXPECT_NEAR(contact.p.z(), level.height, 1e-6) << k;
      EXPECT_GT(contact.n.z(), 0.999) << k;
      EXPECT_GT(rho, level.radius - 5e-4) << k;
      EXPECT_LT(rho, level.radius > 0 ? level.radius + 5e-4 : level.disc + 1e-4) << k;
      sectors.insert(static_cast<int>((std::atan2(contact.p.y(), contact.p.x()) + pi) * 4 / pi));
    }
    EXPECT_GE(sectors.size(), 8u) << k;
    // Not the dish below the next: two apart do not touch.
    if (k < 2) continue;
    EXPECT_TRUE(contacts_of(stack[k - 2].shape, at(0, 0, stack[k - 2].z), level.shape,
                            at(0, 0, level.z), 1e-6)
                    .empty());
  }
}

Shape small_field(double (*height)(double x, double y)) {
  auto grid = std::make_shared<HeightGrid>();
  grid->name = "ground";
  grid->cols = grid->rows = 41;
  grid->half_extent = {0.4, 0.4};
  grid->base = 0.1;
  for (int r = 0; r < grid->rows; ++r) {
    for (int c = 0; c < grid->cols; ++c) {
      grid->heights.push_back(height(0.02 * c - 0.4, 0.02 * r - 0.4));
    }
  }
  return HeightField{grid};
}

// A level field is a plane, a tilted one a tilted plane.
TEST(HeightFieldAndSdf, AFlatFieldIsAPlane) {
  const Shape bowl = solid(make_dish("bowl", bowl_shape(0.03, 0.07, 0.06, 0.004)));
  const auto level = contacts_of(small_field([](double, double) { return 0.05; }), Frame{}, bowl,
                                 at(0.013, 0.007, 0.0501), 2e-4);
  const auto plane = contacts_of(Plane{}, at(0, 0, 0.05), bowl, at(0.013, 0.007, 0.0501), 2e-4);
  EXPECT_NEAR(static_cast<double>(level.size()), static_cast<double>(plane.size()), 5);
  EXPECT_NEAR(deepest(level).gap, deepest(plane).gap, 1e-12);
  for (const ContactPoint& contact : level) {
    EXPECT_NEAR(contact.p.z() - 0.5 * contact.gap, 0.05, 1e-12);
    EXPECT_NEAR(contact.n.z(), 1, 1e-12);
  }
  const Shape tilted = small_field([](double x, double) { return 0.1 * x; });
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(-std::atan(0.1), Vector3d::UnitY()).toRotationMatrix();
  const Frame X{R, R * Vector3d(0.05, 0.01, 1e-4)};
  const auto contacts = contacts_of(tilted, Frame{}, bowl, X, 1.5e-4);
  ASSERT_GE(contacts.size(), 40u);
  EXPECT_NEAR(deepest(contacts).gap, 1e-4, 1e-9);
  for (const ContactPoint& contact : contacts) EXPECT_NEAR(contact.n.dot(R.col(2)), 1, 1e-9);
}

TEST(HeightFieldAndSdf, APeakCarriesABoxAndTheBorderDoesNot) {
  const Shape box = solid(make_primitive("box", Box{{0.1, 0.1, 0.05}}, 0.05));
  const Shape peak = small_field([](double x, double y) { return -0.5 * std::hypot(x, y - 0.02); });
  const auto contacts = contacts_of(peak, Frame{}, box, at(0.013, 0, 0.0499), 1e-3);
  ASSERT_FALSE(contacts.empty());
  EXPECT_NEAR(deepest(contacts).gap, -1e-4, 1e-6);
  EXPECT_LT((deepest(contacts).p - Vector3d(0, 0.02, -5e-5)).norm(), 1e-3);
  const Shape flat = small_field([](double, double) { return 0.0; });
  EXPECT_TRUE(contacts_of(flat, Frame{}, box, at(0.51, 0, 0.05), 1e-3).empty());
  EXPECT_FALSE(contacts_of(flat, Frame{}, box, at(0.45, 0, 0.05), 1e-3).empty());
  EXPECT_TRUE(contacts_of(flat, Frame{}, box, at(0, 0, 0.052), 1e-3).empty());
}

TEST(Dishes, APlateLiesOnARim) {
  const Shape bowl = solid(make_dish("bowl", bowl_shape(0.03, 0.05, 0.06, 0.004)));
  const Shape plate = solid(make_dish("plate", plate_shape()));
  const auto contacts = contacts_of(bowl, Frame{}, plate, at(0, 0, 0.06), 1e-6);
  ASSERT_GE(contacts.size(), 32u);
  for (const ContactPoint& contact : contacts) {
    EXPECT_NEAR(contact.p.head<2>().norm(), 0.048, 5e-4);
    EXPECT_GT(contact.n.z(), 0.99);
  }
}

// Centred on the thread with equal play, lowered onto the lower flanks by the play: the load is
// carried by contacts all along the engaged turns.
TEST(BoltAndNut, MateAlongTheThread) {
  const Shape bolt = solid(make_bolt("bolt", {}));
  const Shape nut = solid(make_nut("nut", {}));
  const ThreadDiameters d = thread_diameters({});
  const double play = (d.nut_pitch - d.bolt_pitch) / 2 * std::tan(pi / 6);  // of each flank
  EXPECT_TRUE(contacts_of(bolt, Frame{}, nut, at(0, 0, 0.05), 0.5 * play).empty());
  const double height = 0.05 - play;
  const auto contacts = contacts_of(bolt, Frame{}, nut, at(0, 0, height), 1e-6);
  EXPECT_GE(contacts.size(), 60u);
  EXPECT_LE(contacts.size(), 120u);
  double low = 1, high = -1;
  for (const ContactPoint& contact : contacts) {
    EXPECT_NEAR(contact.gap, 0, 1e-6);
    // On the flank, between the nut's minor and the bolt's major diameter; it points up.
    const double rho = contact.p.head<2>().norm();
    EXPECT_GT(rho, d.nut_minor / 2 - 1e-6);
    EXPECT_LT(rho, d.bolt_major / 2 + 1e-6);
    EXPECT_NEAR(contact.n.z(), std::cos(pi / 6), 0.03);
    low = std::min(low, contact.p.z() - height);
    high = std::max(high, contact.p.z() - height);
  }
  EXPECT_LT(low, -0.015);
  EXPECT_GT(high, 0.015);
}

TEST(BoltAndNut, NamesPersistWhileTheNutTurns) {
  const Shape bolt = solid(make_bolt("bolt", {}));
  const Shape nut = solid(make_nut("nut", {}));
  std::set<std::uint32_t> before;
  int kept = 0, total = 0;
  for (int step = 0; step < 10; ++step) {
    const double turn = 1e-3 * step;
    Frame X = at(0, 0, 0.05 - 1.2e-4 + 0.005 * turn / (2 * pi));
    X.R = Eigen::AngleAxisd(turn, Vector3d::UnitZ()).toRotationMatrix();
    const auto contacts = contacts_of(bolt, Frame{}, nut, X, 1e-4);
    std::set<std::uint32_t> names;
    for (const ContactPoint& contact : contacts) names.insert(contact.feature);
    EXPECT_EQ(names.size(), contacts.size());
    for (const std::uint32_t name : names) kept += static_cast<int>(before.count(name));
    if (step > 0) total += static_cast<int>(names.size());
    before = names;
  }
  EXPECT_GT(kept, 9 * total / 10);
}

}  // namespace
}  // namespace stiction
