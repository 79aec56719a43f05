// Signed distance solids at rest on one another: where the pose leaves a choice between points that
// are equally deep, rounding and 1e-9 of motion must not make it.
#include <gtest/gtest.h>
#include <stiction/sdf.h>

#include <numbers>

#include "geometry/convex_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

struct Resting {
  std::string name;
  Shape below;
  Shape above;
  Frame X_WA;  // of the one above; the other one is at the origin
  double margin;
};
void PrintTo(const Resting& pair, std::ostream* out) { *out << pair.name; }

Frame raised(double x, double y, double z) { return {Eigen::Matrix3d::Identity(), {x, y, z}}; }

std::vector<Resting> resting_pairs() {
  const auto solid = [](const SdfPointer& sdf) {
    Shape shape = SdfSolid{sdf};
    prepare_for_collision(shape);
    return shape;
  };
  const Shape bowl = solid(make_dish("bowl", bowl_shape(0.03, 0.07, 0.06, 0.004)));
  const Shape narrow = solid(make_dish("narrow bowl", bowl_shape(0.03, 0.05, 0.06, 0.004)));
  const Shape plate = solid(make_dish("plate", plate_shape()));
  const Shape pot = solid(make_dish("pot", pot_shape(0.09, 0.1, 0.006)));
  const Shape slab = solid(make_primitive("slab", Box{{0.1, 0.08, 0.02}}, 0.02));
  const Shape block = solid(make_primitive("block", Box{{0.04, 0.03, 0.02}}, 0.01));
  const Shape brick = convex_mesh(box_mesh({0.03, 0.02, 0.01}, Vector3d::Zero()));
  const ThreadDiameters d = thread_diameters({});
  const double play = (d.nut_pitch - d.bolt_pitch) / 2 * std::tan(std::numbers::pi / 6);
  auto grid = std::make_shared<HeightGrid>();
  grid->name = "ground";
  grid->cols = grid->rows = 21;
  grid->half_extent = {0.2, 0.2};
  grid->base = 0.1;
  grid->heights.assign(21 * 21, 0.0);
  return {{"bowl_on_plane", Plane{}, bowl, {}, 2e-4},
          {"bowl_on_height_field", HeightField{grid}, bowl, raised(0.013, 0.007, 0), 2e-4},
          {"bowl_on_plate", plate, bowl, raised(0.001, 0, 0.004), 2e-4},
          {"plate_on_narrow_bowl", narrow, plate, raised(0, 0, 0.06), 2e-4},
          {"plate_in_pot", pot, plate, raised(0.002, 0.003, 0.006), 2e-4},
          {"pot_on_bowl", bowl, pot, raised(0, 0, 0.06), 2e-4},
          {"block_on_slab", slab, block, raised(0.01, 0.02, 0.04), 2e-4},
          {"box_on_slab", slab, Box{{0.04, 0.03, 0.02}}, raised(0.01, 0.02, 0.04), 2e-4},
          {"cylinder_in_pot", pot, Cylinder{0.03, 0.02}, raised(0.02, 0.01, 0.026), 2e-4},
          {"capsule_in_pot", pot, Capsule{0.01, 0.02}, raised(0.02, 0.01, 0.036), 2e-4},
          {"brick_on_plate", plate, brick, raised(0.01, 0.005, 0.014), 2e-4},
          {"nut_on_bolt", solid(make_bolt("bolt", {})), solid(make_nut("nut", {})),
           raised(0, 0, 0.05 - play), 2e-5}};
}

std::vector<ContactPoint> resting_contacts(const Resting& pair, const Frame& X_WB,
                                           const Frame& X_WA) {
  return contacts_of(pair.below, X_WB, pair.above, X_WA, pair.margin);
}

// Of the convex hull of the contacts seen along z, by Andrew's monotone chain.
double hull_area(const std::vector<ContactPoint>& contacts) {
  std::vector<Eigen::Vector2d> points;
  for (const ContactPoint& contact : contacts) points.push_back(contact.p.head<2>());
  std::sort(points.begin(), points.end(), [](const auto& p, const auto& q) {
    return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y();
  });
  double twice = 0;
  for (const double side : {1.0, -1.0}) {
    std::vector<Eigen::Vector2d> chain;
    for (const auto& p : points) {
      const auto turns_in = [&] {
        const Eigen::Vector2d d = chain.back() - chain[chain.size() - 2], e = p - chain.back();
        return side * (d.x() * e.y() - d.y() * e.x()) <= 0;
      };
      while (chain.size() > 1 && turns_in()) chain.pop_back();
      chain.push_back(p);
    }
    for (size_t k = 0; k + 1 < chain.size(); ++k) {
      twice += side * (chain[k].x() * chain[k + 1].y() - chain[k].y() * chain[k + 1].x());
    }
  }
  return twice / 2;
}

class SdfAtRest : public testing::TestWithParam<Resting> {};

TEST_P(SdfAtRest, RigidMotionMovesEveryContactAlong) {
  const Resting& pair = GetParam();
  std::mt19937 rng(2);
  const auto here = resting_contacts(pair, {}, pair.X_WA);
  ASSERT_FALSE(here.empty());
  for (int k = 0; k < 5; ++k) {
    const Frame X_MW{random_rotation(rng), random_vector(rng)};
    const auto there = resting_contacts(pair, X_MW, moved(X_MW, pair.X_WA));
    ASSERT_EQ(here.size(), there.size());
    for (size_t c = 0; c < here.size(); ++c) {
      ASSERT_EQ(here[c].feature, there[c].feature);
      ASSERT_NEAR(here[c].gap, there[c].gap, 1e-10) << c;
      ASSERT_LT((X_MW.R * here[c].n - there[c].n).norm(), 1e-10) << c;
      ASSERT_LT((X_MW.R * here[c].p + X_MW.p - there[c].p).norm(), 1e-10) << c;
    }
  }
}

TEST_P(SdfAtRest, SupportAreaIsContinuous) {
  const Resting& pair = GetParam();
  const auto before = resting_contacts(pair, {}, pair.X_WA);
  const double area = hull_area(before);
  std::mt19937 rng(3);
  for (int k = 0; k < 20; ++k) {
    Frame X = pair.X_WA;
    X.p += 1e-9 * random_vector(rng);
    X.R = Eigen::AngleAxisd(1e-9, random_direction(rng)).toRotationMatrix() * X.R;
    const auto after = resting_contacts(pair, {}, X);
    ASSERT_EQ(before.size(), after.size()) << k;
    for (size_t c = 0; c < before.size(); ++c) EXPECT_EQ(before[c].feature, after[c].feature);
    EXPECT_NEAR(hull_area(after), area, 1e-6 * area) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SdfAtRest, testing::ValuesIn(resting_pairs()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stiction
