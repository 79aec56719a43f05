// Overlaps are removed at a bounded speed, and where there is no way out bodies stay where they
// are.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>
#include <string>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

constexpr double kStep = 1.0 / 240;
constexpr double kFastest = 2 * 0.5;  // twice recovery_speed

// A block of 9 cm between two walls that leave `room`, on a floor.
Simulation between_walls(double room) {
  const auto wall = [&](double side) {
    return R"(<geom type="box" size=".05 .2 .2" pos=")" + std::to_string(side * (0.05 + room / 2)) +
           R"( 0 0"/>)";
  };
  return Simulation(model_of(R"(
    <option timestep="0.004166666666666667"/>
    <worldbody>)" + wall(-1) +
                             wall(1) + R"(
      <geom type="plane" size="1 1 .1" pos="0 0 -.2"/>
      <body name="block"><freejoint/><geom type="box" size=".045 .05 .05" mass="1"/></body>
    </worldbody>)"));
}

// It has nothing to hold on to, as nothing presses it against the walls, and slides to the floor.
TEST(Recovery, ABlockBetweenWallsThatAreTooCloseStaysBetweenThem) {
  for (double overlap : {1e-5, 5e-5, 5e-4, 2e-3, 5e-3}) {
    Simulation simulation = between_walls(0.09 - 2 * overlap);
    for (int k = 0; k < 480; ++k) {
      const Eigen::VectorXd before = simulation.state().qpos;
      simulation.step();
      const double moved = (simulation.state().qpos - before).head<2>().norm();
      ASSERT_LE(moved, kFastest * kStep) << overlap << ", step " << k;
    }
    EXPECT_LT(simulation.state().qpos.head<2>().norm(), 1e-3) << overlap;
    EXPECT_NEAR(simulation.state().qpos[2], -0.15, 2e-3) << overlap;
    EXPECT_LT(simulation.state().qvel.norm(), 1e-6) << overlap;
    EXPECT_LT(simulation.report().max_penetration, 1.2 * overlap) << overlap;
  }
}

// Walls with room are left as before: the block comes out of the one that it overlaps.
TEST(Recovery, ABlockWithRoomComesOut) {
  Simulation simulation = between_walls(0.1);
  State state = simulation.state();
  state.qpos[0] = 0.008;  // 3 mm into a wall
  simulation.set_state(state);
  for (int k = 0; k < 240; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[0], 0.005, 5e-6);
}

// An arm on a hinge overlaps plates above and below it: however it turns, it stays in them.
// A ball of 34 kg sits in a box of 0.4 kg: whichever contact is deep has to move the ball.
TEST(Recovery, HeavyBodiesComeOutOfLightOnes) {
  for (const double lower : {0.0, 1e-3}) {  // the box in the floor as well
    Simulation simulation(
        model_of(R"(
      <option timestep="0.004"/>
      <worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 )" +
                 std::to_string(0.05 - lower) +
                 R"("><freejoint/><geom type="box" size=".1 .1 .05" mass=".4"/></body>
        <body pos="0 0 .1987"><freejoint/><geom size=".1" mass="34"/></body>
      </worldbody>)"));
    for (int k = 0; k < 250; ++k) EXPECT_TRUE(simulation.step().within_tolerance);
    EXPECT_LT(simulation.report().max_penetration, 5e-6) << lower;
    EXPECT_NEAR(simulation.body_pose(2).p[2], 0.2, 1e-5) << lower;
  }
}

TEST(Recovery, AnArmThatNoTurnFreesDoesNotSpin) {
  for (const char* tilt : {"0", "0.01", "-0.003"}) {
    Simulation simulation(model_of(R"(
      <compiler angle="radian"/>
      <option gravity="0 0 0" timestep="0.004166666666666667"/>
      <worldbody>
        <geom type="box" size=".3 .3 .01" pos="0 0 .019"/>
        <geom type="box" size=".3 .3 .01" pos="0 0 -.0195" euler=")" +
                                   std::string(tilt) + R"( 0 0"/>
        <body name="arm"><joint axis="0 0 1"/>
          <geom type="capsule" fromto="0 0 0 .2 0 0" size=".01" mass="1"/></body>
      </worldbody>)"));
    for (int k = 0; k < 240; ++k) {
      const double before = simulation.state().qpos[0];
      simulation.step();
      // The middle of the arm is 0.1 m from the hinge.
      ASSERT_LE(std::abs(simulation.state().qpos[0] - before), kFastest * kStep / 0.1) << k;
    }
    EXPECT_LT(std::abs(simulation.state().qvel[0]), 1e-6);
    EXPECT_LT(std::abs(simulation.state().qpos[0]), 0.1) << tilt;
  }
}

}  // namespace
}  // namespace stiction
