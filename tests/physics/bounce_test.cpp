// Restitution: an impact with friction never leaves more energy than it found, one without keeps
// it.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <string>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

// Six planes around a cube of 1 m.
constexpr const char* kWalls = R"(
  <default><geom friction="0.8"/></default>
  <worldbody>
    <geom type="plane" size="1 1 .1" pos="-.5 0 0" zaxis="1 0 0"/>
    <geom type="plane" size="1 1 .1" pos=".5 0 0" zaxis="-1 0 0"/>
    <geom type="plane" size="1 1 .1" pos="0 -.5 0" zaxis="0 1 0"/>
    <geom type="plane" size="1 1 .1" pos="0 .5 0" zaxis="0 -1 0"/>
    <geom type="plane" size="1 1 .1" pos="0 0 -.5" zaxis="0 0 1"/>
    <geom type="plane" size="1 1 .1" pos="0 0 .5" zaxis="0 0 -1"/>)";

// Tumbling between the walls without weight, r = 1: all that changes energy is impacts. Newton's
// rule alone lets a single one add a fifth (Kane's paradox).
TEST(BounceWithFriction, AddsNoEnergy) {
  for (const char* shape : {R"(type="cylinder" size=".05 .1")", R"(type="box" size=".05 .08 .12")",
                            R"(type="capsule" size=".04 .1")", R"(type="sphere" size=".08")"}) {
    Simulation simulation(model_of(R"(
      <option gravity="0 0 0" timestep="0.004166666666666667"/>
      <custom><numeric name="stiction:restitution" data="1"/></custom>
      )" + std::string(kWalls) + R"(
        <body name="b" euler="30 50 20"><freejoint/><geom )" +
                                   shape + R"( mass="1"/></body>
      </worldbody>)"));
    State state = simulation.state();
    state.qvel << 3, 1, -2, 20, -15, 8;
    simulation.set_state(state);
    double energy = simulation.energy().kinetic;
    int bounces = 0;
    for (int k = 0; k < 1440; ++k) {
      const Eigen::VectorXd before = simulation.state().qvel;
      const double after = simulation.step().energy;
      ASSERT_LE(after, energy * (1 + 1e-4)) << shape << ", step " << k;
      bounces += (simulation.state().qvel - before).head<3>().norm() > 0.1;
      energy = after;
    }
    EXPECT_GT(bounces, 10) << shape;
    EXPECT_GT(energy, 0.01) << shape;
  }
}

// Nothing but rounding adds energy here, which is no reason to bounce less: a ball to and fro
// between two walls, and two balls head-on, r = 1.
TEST(Bounce, WithoutFrictionKeepsAllEnergy) {
  for (const char* others : {"", R"(<body name="c" pos=".3 0 0"><freejoint/>
                                      <geom size=".05" mass="1" condim="1" priority="1"/></body>)"}) {
    Simulation simulation(model_of(R"(
      <option gravity="0 0 0" timestep="0.002"/>
      <custom><numeric name="stiction:restitution" data="1"/></custom>
      )" + std::string(kWalls) + others +
                                   R"(
        <body name="b"><freejoint/><geom size=".05" mass="1" condim="1" priority="1"/></body>
      </worldbody>)"));
    State state = simulation.state();
    state.qvel[0] = 3;
    simulation.set_state(state);
    const double energy = simulation.energy().kinetic;
    for (int k = 0; k < 10000; ++k) simulation.step();
    EXPECT_NEAR(simulation.energy().kinetic, energy, 1e-6 * energy) << others;
  }
}

// The midpoint rule keeps the kinetic energy of what tumbles, and an impact without friction that
// turns round the velocity at the end of its motion keeps it too.
TEST(Bounce, TumblingWithoutFrictionKeepsAllEnergy) {
  for (const char* shape :
       {R"(type="ellipsoid" size=".1 .15 .2")", R"(type="ellipsoid" size=".05 .1 .25")",
        R"(type="box" size=".05 .08 .12")",
        R"(type="ellipsoid" size=".1 .15 .2" pos=".05 .02 .1")"}) {
    for (const double theta : {0.0, 0.5}) {
      SimulationOptions options;
      options.timestep = 1.0 / 240;
      options.theta = theta;
      Simulation simulation(model_of(R"(<option gravity="0 0 0"/>
        <custom><numeric name="stiction:restitution" data="1"/></custom>
        <default><geom condim="1"/></default><worldbody>
          <geom type="plane" size="9 9 1"/><geom type="plane" size="9 9 1" pos="0 0 1" zaxis="0 0 -1"/>
          <body pos="0 0 .5"><freejoint/><geom mass="1" )" +
                                     std::string(shape) + "/></body></worldbody>"),
                            options);
      State state = simulation.state();
      state.qvel << 0, 0, -3, 10, -7, 12;
      simulation.set_state(state);
      const double energy = simulation.energy().kinetic;
      int bounces = 0;
      for (int k = 0; k < 2400; ++k) {
        const double before = momentum(simulation.model(), simulation.tree())[2];
        simulation.step();
        bounces += before * momentum(simulation.model(), simulation.tree())[2] < 0;
        ASSERT_NEAR(simulation.energy().kinetic, energy, 1e-7 * energy)
            << shape << theta << ' ' << k;
      }
      EXPECT_GT(bounces, 10) << shape;
    }
  }
}

}  // namespace
}  // namespace stiction
