// What a step's own forces bring about: walls and limits that were out of reach of the speed with
// which the step began hold all the same, and what starts beyond a limit comes back.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

Simulation slider(const std::string& geom, double wall, const std::string& actuator) {
  return Simulation(model_of(R"(
    <option gravity="0 0 0" timestep="0.004166666666666667"/>
    <worldbody>
      <geom name="wall" type="box" size="0.01 0.5 0.5" pos=")" +
                             std::to_string(wall) + R"( 0 0"/>
      <body name="slider"><joint name="x" type="slide" axis="1 0 0"/>)" +
                             geom + R"(</body>
    </worldbody>
    <actuator>)" + actuator + "</actuator>"));
}

// 1 kg on a spring of 1e6 N/m goes most of its way in one step.
TEST(Reach, AServoDoesNotThrowABodyThroughAWall) {
  for (const char* kp : {"1e3", "1e4", "1e5", "1e6"}) {
    Simulation simulation = slider(R"(<geom type="sphere" size="0.05" mass="1"/>)", 0.3,
                                   R"(<position joint="x" kp=")" + std::string(kp) + "\"/>");
    simulation.ctrl()[0] = 0.6;
    double furthest = 0;
    for (int k = 0; k < 240; ++k) {
      EXPECT_TRUE(simulation.step().within_tolerance) << kp;
      furthest = std::max(furthest, simulation.state().qpos[0]);
    }
    EXPECT_LT(furthest, 0.24 + 1e-9) << kp;
    EXPECT_NEAR(simulation.state().qpos[0], 0.24, 1e-6) << kp;
    const double force = std::stod(kp) * (0.6 - 0.24);
    EXPECT_NEAR(simulation.contact_wrench("slider")[0], -force, 1e-5 * force) << kp;
  }
}

TEST(Reach, NorDoesAMotor) {
  for (double force : {10.0, 100.0, 200.0, 2000.0}) {
    Simulation simulation = slider(R"(<geom type="box" size="0.005 0.01 0.01" mass="0.02"/>)", 0.1,
                                   R"(<motor joint="x"/>)");
    simulation.ctrl()[0] = force;
    for (int k = 0; k < 240; ++k) simulation.step();
    EXPECT_NEAR(simulation.state().qpos[0], 0.085, 1e-6) << force;
  }
}

// A blow of one step at a ball 1 cm from a wall, both elastic: it closes the gap in this step,
// whatever the blow, and comes back from the wall with the speed of that.
TEST(Reach, WhatABlowThrowsAtAWallBouncesWithoutOverlap) {
  for (double force : {700.0, 1000.0, 1500.0, 2500.0}) {  // to 2 mm ... 33 mm beyond the surface
    Simulation simulation =
        slider(R"(<geom type="sphere" size="0.05" mass="1" priority="1"/>)", 0.07,
               R"(<motor joint="x"/></actuator>
                  <custom><numeric name="stiction:restitution" data="1"/></custom><actuator>)");
    simulation.ctrl()[0] = force;
    for (int k = 0; k < 4; ++k) {
      EXPECT_LT(simulation.step().max_penetration, 1e-6) << force;
      simulation.ctrl()[0] = 0;
    }
    EXPECT_NEAR(simulation.state().qvel[0], -0.01 / simulation.timestep(), 1e-6) << force;
  }
}

// The first of two balls that follow each other comes back from the floor: they close their gap
// with twice the speed that either had, from wherever in the step.
TEST(Reach, ABodyThatIsThrownBackDoesNotPassTheNext) {
  int met = 0;
  for (int k = 0; k < 40; ++k) {
    const double above = 0.5 + 0.041 + 0.004 * k;
    Simulation simulation(model_of(R"(
      <option gravity="0 0 0" timestep="0.004"/>
      <custom><numeric name="stiction:restitution" data="1"/></custom>
      <worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 .5"><freejoint/><geom size=".02" mass="1"/></body>
        <body pos="0 0 )" + std::to_string(above) +
                                   R"("><freejoint/><geom size=".02" mass="1"/></body>
      </worldbody>)"));
    State state = simulation.state();
    state.qvel[2] = state.qvel[8] = -20;
    simulation.set_state(state);
    for (int step = 0; step < 20; ++step) {
      simulation.step();
      const double apart = simulation.body_pose(2).p[2] - simulation.body_pose(1).p[2];
      ASSERT_GT(apart, 0.04 - 1e-5) << k << ", step " << step;
    }
    met += simulation.state().qvel[8] > 0;
  }
  EXPECT_EQ(met, 40);
}

// A first body is thrown at a second, at rest, which must then not pass the wall behind it.
TEST(Reach, ABodyThatIsHitDoesNotPassWhatIsBehindIt) {
  Simulation simulation(model_of(R"(
    <option gravity="0 0 0" timestep="0.004166666666666667"/>
    <worldbody>
      <geom name="wall" type="box" size="0.01 0.5 0.5" pos="0.3 0 0"/>
      <body><joint name="a" type="slide" axis="1 0 0"/><geom type="sphere" size="0.05" mass="100"/></body>
      <body pos="0.15 0 0"><joint name="b" type="slide" axis="1 0 0"/><geom type="sphere" size="0.02" mass="0.1"/></body>
    </worldbody>)"));
  State state = simulation.state();
  state.qvel << 100, 0;
  simulation.set_state(state);
  for (int k = 0; k < 24; ++k) {
    simulation.step();
    EXPECT_LT(0.15 + simulation.state().qpos[1], 0.27 + 1e-6);
  }
}

// A ball of 5 cm flies past the edge of a block, at 45 degrees to its faces.
Simulation past_an_edge(double clearance, double speed) {
  Simulation simulation(model_of(R"(
    <option gravity="0 0 0" timestep="0.004166666666666667"/>
    <worldbody>
      <geom name="block" type="box" size=".5 .5 .5" pos="-.5 0 -.5"/>
      <body name="ball"><freejoint/><geom type="sphere" size="0.05" mass="1"/></body>
    </worldbody>)"));
  const double across = (0.05 + clearance) / std::sqrt(2);
  const double along = -0.05 / std::sqrt(2);
  State state = simulation.state();
  state.qpos.head<3>() << across + along, 0, across - along;
  state.qvel.head<3>() << speed / std::sqrt(2), 0, -speed / std::sqrt(2);
  simulation.set_state(state);
  return simulation;
}

TEST(Reach, WhatPassesByIsNotStopped) {
  for (double speed : {5.0, 20.0, 60.0, 300.0}) {
    Simulation simulation = past_an_edge(2e-3, speed);
    const Eigen::VectorXd before = simulation.state().qvel;
    for (int k = 0; k < 24; ++k) simulation.step();
    EXPECT_LT((simulation.state().qvel - before).norm(), 1e-11 * speed) << speed;
  }
}

TEST(Reach, WhatHitsAnEdgeIs) {
  for (double speed : {5.0, 20.0, 60.0, 300.0}) {
    Simulation simulation = past_an_edge(-5e-3, speed);
    const double before = simulation.energy().kinetic;
    for (int k = 0; k < 24; ++k) {
      EXPECT_LT(simulation.step().max_penetration, 1e-6) << speed;
    }
    EXPECT_LT(simulation.energy().kinetic, 0.99 * before) << speed;
  }
}

std::string hinge(const char* joint, const char* actuator) {
  return R"(
    <compiler angle="radian"/>
    <option gravity="0 0 0" timestep="0.004166666666666667"/>
    <worldbody>
      <body><joint name="x" )" +
         std::string(joint) + R"(/>
        <geom type="capsule" size="0.01" fromto="0 0 0 0 0 .05" mass="0.1"/></body>
    </worldbody>
    <actuator>)" +
         actuator + "</actuator>";
}

// h^2 tau / I is 0.09 rad for 0.5 N m, twice the way to the limit.
TEST(Reach, TorqueDoesNotCarryAJointBeyondItsLimit) {
  const std::string joint = R"(type="hinge" axis="1 0 0" limited="true" range="-1 1")";
  for (const char* actuator : {R"(<motor joint="x"/>)", R"(<position joint="x" kp="1e6"/>)"}) {
    for (double control : {-2.0, 0.5, 2.0}) {
      Simulation simulation(model_of(hinge(joint.c_str(), actuator)));
      State state = simulation.state();
      state.qpos[0] = control > 0 ? 0.95 : -0.95;
      simulation.set_state(state);
      simulation.ctrl()[0] = control;
      const bool servo = simulation.model().actuators[0].bias_type == Bias::kAffine;
      const double end = servo && control == 0.5 ? 0.5 : std::copysign(1, control);
      for (int k = 0; k < 240; ++k) {
        simulation.step();
        EXPECT_LT(std::abs(simulation.state().qpos[0]), 1 + 1e-9);
      }
      EXPECT_NEAR(simulation.state().qpos[0], end, 1e-7) << actuator << ' ' << control;
    }
  }
}

// At most 0.5 rad/s, on positions alone: the joint is there after 0.2 / 0.5 s, and never moves.
TEST(Reach, AJointBeyondItsLimitComesBackWithoutSpeed) {
  Simulation simulation(model_of(
      hinge(R"(type="hinge" axis="1 0 0" limited="true" range="-1 1")", R"(<motor joint="x"/>)")));
  for (double start : {1.2, -1.2}) {
    State state = simulation.state();
    state.qpos[0] = start;
    state.qvel[0] = 0;
    simulation.set_state(state);
    for (int k = 0; k < 480; ++k) {
      const double before = simulation.state().qpos[0];
      simulation.step();
      EXPECT_LE(std::abs(simulation.state().qpos[0] - before), 0.51 * simulation.timestep());
      EXPECT_EQ(simulation.state().qvel[0], 0);
    }
    EXPECT_NEAR(simulation.state().qpos[0], std::copysign(1, start), 5e-6);
  }
}

double angle(const State& state) { return 2 * std::acos(std::min(1.0, std::abs(state.qpos[0]))); }

// A conical pendulum that leans on its limit: going round, the angle must not grow.
TEST(Reach, ABallJointGoesRoundAtItsLimit) {
  Simulation simulation(model_of(R"(
    <compiler angle="radian"/>
    <option timestep="0.004166666666666667"/>
    <worldbody>
      <body><joint name="x" type="ball" limited="true" range="0 0.5236"/>
        <geom type="sphere" size="0.05" pos="0 0 -1" mass="1"/></body>
    </worldbody>)"));
  for (double speed : {3.0, 6.0}) {
    State state = simulation.state();
    state.qpos << std::cos(0.26), std::sin(0.26), 0, 0;
    state.qvel << 0, speed, 0;
    simulation.set_state(state);
    double largest = 0;
    for (int k = 0; k < 2400; ++k) {
      simulation.step();
      largest = std::max(largest, angle(simulation.state()));
    }
    EXPECT_LT(largest, 0.5236 + 2e-3) << speed;
    EXPECT_LT(angle(simulation.state()), 0.5236 + 1e-3) << speed;
  }
  // From rest pose, at 80 rad/s, a third of a radian per step.
  State state = simulation.state();
  state.qpos << 1, 0, 0, 0;
  state.qvel << 80, 0, 0;
  simulation.set_state(state);
  for (int k = 0; k < 24; ++k) {
    simulation.step();
    EXPECT_LT(angle(simulation.state()), 0.5236 + 1e-3);
  }
}

}  // namespace
}  // namespace stiction
