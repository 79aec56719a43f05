// Forces of actuators, limits, dry friction and equalities: what holds a weight at rest is the
// weight.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <cmath>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kTolerance = 1e-4;  // N: of 1e-8 m/s, in a step of 1/256 s

Model world_of(const std::string& rest) {
  return model_of(R"(<compiler angle="radian"/><option timestep="0.00390625" gravity="0 0 -10"/>)" +
                  rest);
}

const StepForces& forces_at_rest(Simulation& simulation) {
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(simulation.step().within_tolerance);
  EXPECT_LT(simulation.state().qvel.norm(), 1e-7);
  return simulation.forces();
}

TEST(StepForces, LimitsPushBack) {
  Simulation simulation(world_of(R"(<worldbody>
    <body><joint name="up" type="slide" axis="0 0 1" range="0 1" limited="true"/>
      <geom size=".1" mass="2"/></body>
    <body pos="1 0 0"><joint name="down" type="slide" axis="0 0 -1" range="-1 0" limited="true"/>
      <geom size=".1" mass="3"/></body>
    <body pos="2 0 0"><joint name="free" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>
    </worldbody>)"));
  EXPECT_EQ(simulation.forces().joint_limits, Vector3d::Zero());
  EXPECT_NEAR((forces_at_rest(simulation).joint_limits - Vector3d(20, -30, 0)).norm(), 0,
              kTolerance);
}

// A weight above its ball joint, at its limit: the torque is about the axis of the tilt.
TEST(StepForces, ABallJointsLimitIsATorque) {
  Simulation simulation(world_of(R"(<worldbody><body>
    <joint name="j" type="ball" range="0 0.5" limited="true"/>
    <geom pos="0 0 0.3" size=".05" mass="2" contype="0"/></body></worldbody>)"));
  State state = simulation.state();
  state.qpos << std::cos(0.25), 0, std::sin(0.25), 0;
  simulation.set_state(state);
  simulation.step();
  const Vector3d expected(0, -2 * 10 * 0.3 * std::sin(0.5), 0);
  EXPECT_NEAR((simulation.forces().joint_limits - expected).norm(), 0, 1e-2);
}

TEST(StepForces, DryFrictionHoldsUpToItsBound) {
  Simulation simulation(world_of(R"(<worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" frictionloss="5"/><geom size=".1" mass="2"/></body>
    <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0" frictionloss="5"/>
      <geom size=".1" mass="2"/></body></worldbody>
    <actuator><motor joint="a" gear="2"/><motor joint="b" gear="2"/></actuator>)"));
  simulation.ctrl() << 1.5, -4;
  for (int k = 0; k < 10; ++k) simulation.step();
  const StepForces& forces = simulation.forces();
  EXPECT_NEAR(forces.joint_friction[0], -3, kTolerance);
  EXPECT_NEAR(forces.joint_friction[1], 5, kTolerance);
  EXPECT_EQ(forces.actuators, Eigen::Vector2d(1.5, -4));
}

// A servo's force is that of the position in which it holds the weight.
TEST(StepForces, AServoCarriesTheWeight) {
  Simulation simulation(world_of(R"(<worldbody>
    <body><joint name="z" type="slide" axis="0 0 1"/><geom size=".1" mass="2"/></body></worldbody>
    <actuator><position joint="z" kp="1e4" kv="2e3"/></actuator>)"));
  for (int k = 0; k < 2000; ++k) simulation.step();
  EXPECT_NEAR(simulation.forces().actuators[0], 20, kTolerance);
  EXPECT_NEAR(simulation.state().qpos[0], -20 / 1e4, 1e-8);
}

TEST(StepForces, OfTendonsAreAlongThem) {
  Simulation simulation(world_of(R"(<worldbody>
    <body><joint name="z" type="slide" axis="0 0 1"/><geom size=".1" mass="2"/></body>
    <body pos="1 0 0"><joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body>
    </worldbody>
    <tendon><fixed name="stop" range="0 1" limited="true"><joint joint="z" coef="2"/></fixed>
      <fixed name="rubs" frictionloss="5"><joint joint="x" coef="-2"/></fixed></tendon>
    <actuator><motor joint="x"/></actuator>)"));
  simulation.ctrl()[0] = 4;
  const StepForces& forces = forces_at_rest(simulation);
  EXPECT_NEAR((forces.tendon_limits - Eigen::Vector2d(10, 0)).norm(), 0, kTolerance);
  EXPECT_NEAR((forces.tendon_friction - Eigen::Vector2d(0, 2)).norm(), 0, kTolerance);
}

TEST(StepForces, EqualitiesCarryTheFirstOfTheTwo) {
  Simulation simulation(world_of(R"(<worldbody>
    <body name="hung"><freejoint/><geom size=".1" mass="2"/></body>
    <body name="held" pos="1 0 0"><freejoint/><geom pos="0.3 0 0" size=".1" mass="3"/></body>
    <body pos="2 0 0"><joint name="z" type="slide" axis="0 0 1"/><geom size=".1" mass="4"/></body>
    </worldbody>
    <equality><connect body1="hung" anchor="0 0 0"/><weld body1="held" anchor="1 0 0"/>
      <joint joint1="z" polycoef="0 0 0 0 0"/><connect body1="hung" anchor="0 0 1" active="false"/>
    </equality>)"));
  Matrix6Xd expected = Matrix6Xd::Zero(6, 4);
  expected.col(0) << 0, 0, 20, 0, 0, 0;
  expected.col(1) << 0, 0, 30, 0, -0.3 * 30, 0;
  expected.col(2) << 40, 0, 0, 0, 0, 0;
  EXPECT_NEAR((forces_at_rest(simulation).equalities - expected).norm(), 0, kTolerance);
}

TEST(StepForces, StayThoseOfTheLastGoodStep) {
  Simulation simulation(world_of(R"(<worldbody>
    <body><joint name="z" type="slide" axis="0 0 1" range="0 1" limited="true"/>
      <geom size=".1" mass="2"/></body></worldbody><actuator><motor joint="z"/></actuator>)"));
  forces_at_rest(simulation);
  simulation.ctrl()[0] = 1e300;
  EXPECT_THROW(simulation.step(), InputError);
  EXPECT_NEAR(simulation.forces().joint_limits[0], 20, kTolerance);
  EXPECT_EQ(simulation.forces().actuators[0], 0);
}

}  // namespace
}  // namespace stiction
