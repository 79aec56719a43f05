// Equality constraints that are switched while a simulation runs, as MuJoCo's eq_active does.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <algorithm>

#include "io/mjcf_file.h"
#include "message_of.h"

namespace stiction {
namespace {

constexpr double kStep = 1.0 / 256;

// Two boxes, held by a weld and by a pin whose names tell them apart.
Model two_boxes(const std::string& active) {
  return model_of(R"(<option timestep="0.00390625" gravity="0 0 -8"/>
    <worldbody>
      <body name="a"><freejoint/><geom type="box" size=".1 .05 .02" mass="1" contype="0"/></body>
      <body name="b" pos="1 0 0"><freejoint/><geom type="box" size=".1 .05 .02" mass="2" contype="0"/>
      </body></worldbody>
    <equality><weld name="weld" body1="a" active=")" +
                  active + R"("/>
      <connect name="pin" body1="b" anchor="0 0 0" active=")" +
                  active + R"("/></equality>)");
}

// What the integrator makes of free fall after n steps, from rest.
double fallen(int n) { return -8 * kStep * kStep * n * (n + 1) / 2; }

TEST(SwitchedEquality, OffItLetsGoAndTheOtherHolds) {
  Simulation simulation(two_boxes("true"));
  for (int k = 0; k < 10; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[2], 0, 1e-12);
  simulation.set_equality_active("weld", false);
  for (int k = 0; k < 20; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[2], fallen(20), 1e-12);
  EXPECT_NEAR(simulation.state().qpos[9], 0, 1e-12);
  EXPECT_EQ(simulation.report().constraints, 1);
  EXPECT_EQ(simulation.report().worst_constraint, "equality 'pin'");
}

TEST(SwitchedEquality, AFileMayBeginWithoutAndOnItHoldsFromThere) {
  Simulation simulation(two_boxes("false"));
  EXPECT_EQ(simulation.state().eq_active, (std::vector<char>{0, 0}));
  for (int k = 0; k < 10; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[2], fallen(10), 1e-12);
  EXPECT_EQ(simulation.report().worst_equality, "");
  simulation.set_equality_active(1, true);
  const double open = -fallen(10);
  for (int k = 0; k < 4; ++k) {
    simulation.step();
    // It stops at once, and then closes on positions at half a metre per second.
    EXPECT_NEAR(simulation.state().qvel.tail<6>().norm(), 0, 1e-8);
    EXPECT_NEAR(simulation.state().qpos[9], std::min(-open + 0.5 * kStep * (k + 1), 0.0), 1e-9);
    EXPECT_EQ(simulation.report().worst_equality, "equality 'pin'");
    EXPECT_NEAR(simulation.report().equality_error, -simulation.state().qpos[9], 1e-12);
  }
  for (int k = 0; k < 20; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[9], 0, 1e-12);
  EXPECT_NEAR(simulation.state().qpos[2], fallen(34), 1e-11);
}

TEST(SwitchedEquality, IsPartOfTheState) {
  Simulation simulation(two_boxes("true"));
  simulation.step();
  simulation.set_equality_active("weld", false);
  for (int k = 0; k < 10; ++k) simulation.step();
  const State saved = simulation.state();
  EXPECT_EQ(saved.eq_active, (std::vector<char>{0, 1}));
  const auto go_on = [&] {
    for (int k = 0; k < 5; ++k) simulation.step();
    simulation.set_equality_active("weld", true);
    for (int k = 0; k < 5; ++k) simulation.step();
    return simulation.state();
  };
  const State once = go_on();
  simulation.set_state(saved);
  const State twice = go_on();
  EXPECT_EQ(once.qpos, twice.qpos);
  EXPECT_EQ(once.qvel, twice.qvel);
  EXPECT_EQ(once.impulses, twice.impulses);
  EXPECT_EQ(once.eq_active, (std::vector<char>{1, 1}));
  simulation.set_equality_active(0, false);
  simulation.reset();
  EXPECT_EQ(simulation.state().eq_active, (std::vector<char>{1, 1}));
}

TEST(SwitchedEquality, OneThatDoesNotExistIsRefused) {
  Simulation simulation(two_boxes("true"));
  EXPECT_EQ(message_of([&] { simulation.set_equality_active("no", true); }),
            "equality 'no' is unknown");
  EXPECT_EQ(message_of([&] { simulation.set_equality_active(2, true); }),
            "equality 2 does not exist, the model has 2");
  State state = simulation.state();
  state.eq_active = {1};
  EXPECT_EQ(message_of([&] { simulation.set_state(state); }), "eq_active has size 1, expected 2");
  state.eq_active = {1, 7};
  EXPECT_EQ(message_of([&] { simulation.set_state(state); }), "eq_active[1] is 7, expected 0 or 1");
}

}  // namespace
}  // namespace stiction
