// A sliding box stops where the discrete closed form says, in every direction, and does not lift.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

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

}  // namespace
}  // namespace stiction
