// Restitution with friction: an impact never leaves more energy than it found.
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

}  // namespace
}  // namespace stiction
