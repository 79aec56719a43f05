// A sliding box stops where the discrete closed form says, in every direction, and does not lift.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/simulation.h>

#include <cmath>
#include <memory>

#include "scenes/scene.h"

namespace stiction {
namespace {

TEST(Slide, StopsWhereCoulombSaysInTwelveDirections) {
  const double speed = 3;
  const double mu = 0.5;
  const double gravity = 9.81;
  for (int direction = 0; direction < 12; ++direction) {
    Simulation simulation(find_scene("slide")->make());
    const double h = simulation.timestep();
    const double angle = direction * M_PI / 6;
    State state = simulation.state();
    state.qvel.setZero();
    state.qvel.head<2>() << speed * std::cos(angle), speed * std::sin(angle);
    simulation.set_state(state);
    double lift = 0;
    for (int k = 0; k < 240; ++k) {
      simulation.step();
      lift = std::max(lift, std::abs(simulation.body_pose(1).p[2] - 0.1));
    }
    // v_k = v0 - k mu g h until it would turn: the distance is h times the sum of the v_k.
    double expected = 0;
    for (double v = speed - mu * gravity * h; v > 0; v -= mu * gravity * h) expected += h * v;
    const Eigen::Vector2d end = simulation.body_pose(1).p.head<2>();
    EXPECT_NEAR(end.norm(), expected, 1e-6) << direction;
    EXPECT_NEAR(std::remainder(std::atan2(end[1], end[0]) - angle, 2 * M_PI), 0, 1e-6);
    EXPECT_LT(lift, 1e-6);
  }
}

// A box and a ball thrown over flat ground, which is a plane or a height field of many cells.
Model thrown_over(const Shape& ground) {
  ModelBuilder builder("thrown");
  builder.options().timestep = 1.0 / 240;
  builder.add_geom({.name = "ground", .shape = ground});
  const int box =
      builder.add_body({.name = "box", .X_PB = {{-1, 0.3, 0.1}, Eigen::Quaterniond::Identity()}});
  builder.add_joint({.name = "box", .type = JointType::kFree, .body = box});
  builder.add_geom({.body = box, .shape = Box{{0.13, 0.11, 0.1}}}, 1000.0);
  const int ball = builder.add_body(
      {.name = "ball", .X_PB = {{-1, -0.4, 0.08}, Eigen::Quaterniond::Identity()}});
  builder.add_joint({.name = "ball", .type = JointType::kFree, .body = ball});
  builder.add_geom({.body = ball, .shape = Sphere{0.08}}, 1000.0);
  return builder.build();
}

TEST(Slide, OverAFlatHeightFieldIsAsOnAPlane) {
  HeightGrid grid;
  grid.name = "flat";
  grid.rows = 31;
  grid.cols = 41;
  grid.heights.assign(31 * 41, 0);
  grid.half_extent = {2, 1.5};
  grid.base = 0.2;
  Simulation plane(thrown_over(Plane{}));
  Simulation field(thrown_over(HeightField{std::make_shared<const HeightGrid>(grid)}));
  for (Simulation* simulation : {&plane, &field}) {
    State state = simulation->state();
    // Without spin: how four corners share the load of a box that slides and spins is not
    // determined, and its path depends on that.
    state.qvel.head<6>() << 3, -0.4, 0, 0, 0, 0;
    state.qvel.tail<6>() << 2, 0.5, 0, 0, 0, 0;
    simulation->set_state(state);
  }
  for (int k = 0; k < 150; ++k) {
    plane.step();
    field.step();
    ASSERT_EQ(field.contacts().size(), plane.contacts().size()) << k;
    for (int body : {1, 2}) {
      const Pose a = plane.body_pose(body);
      const Pose b = field.body_pose(body);
      ASSERT_LT((a.p - b.p).norm(), 1e-6) << k;
      ASSERT_LT(a.q.angularDistance(b.q), 1e-5) << k;
    }
  }
  EXPECT_GT(plane.body_pose(1).p[0], -0.6);  // across several cells of 0.1 m
}

}  // namespace
}  // namespace stiction
