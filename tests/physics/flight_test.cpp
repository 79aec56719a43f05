// Bodies in the air: the integrator's own closed forms.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "scenes/parts.h"

namespace stiction {
namespace {

Model brick() {
  ModelBuilder builder("brick");
  add_free_part(builder, {.name = "brick", .shape = Box{{0.05, 0.1, 0.2}}, .p = {0, 0, 5}});
  return builder.build();
}

TEST(Flight, FallsAsSemiImplicitEulerDoes) {
  Simulation simulation(brick());
  const int steps = 240;
  for (int k = 0; k < steps; ++k) simulation.step();
  const double h = simulation.timestep();
  EXPECT_NEAR(simulation.state().qvel[2], -9.81 * steps * h, 1e-12);
  EXPECT_NEAR(simulation.body_pose(1).p[2], 5 - 9.81 * h * h * steps * (steps + 1) / 2, 1e-12);
  EXPECT_LT(std::abs(simulation.report().energy_error), 1e-3);
}

TEST(Flight, SpinKeepsTheDirectionAndSizeOfItsMomentumToTheOrderOfTheStep) {
  double previous = 0;
  for (double h : {1.0 / 240, 1.0 / 480, 1.0 / 960}) {
    SimulationOptions options;
    options.timestep = h;
    Model model = brick();
    model.options.gravity.setZero();
    Simulation simulation(model, options);
    State state = simulation.state();
    state.qvel.tail<3>() << 5, 0.3, 2;
    simulation.set_state(state);
    const Vector6d before = momentum(simulation.model(), simulation.tree());
    while (simulation.state().time < 1 - 1e-9) simulation.step();
    const Vector6d after = momentum(simulation.model(), simulation.tree());
    const double error = (after - before).norm() / before.norm();
    EXPECT_LT(error, 0.1);
    if (previous > 0) {
      EXPECT_LT(error, 0.6 * previous) << h;  // first order
    }
    previous = error;
  }
}

TEST(Flight, FastSpinDoesNotGainEnergy) {
  Model model = brick();
  model.options.gravity.setZero();
  for (const double times : {1.0, 10.0, 100.0}) {  // up to 20 rad in a step
    Simulation simulation(model);
    State state = simulation.state();
    state.qvel.tail<3>() << 30, 20, 40;  // about the unstable axis too
    state.qvel *= times;
    simulation.set_state(state);
    const double before = simulation.energy().kinetic;
    for (int k = 0; k < 2400; ++k) simulation.step();
    EXPECT_LE(simulation.energy().kinetic, before * (1 + 1e-9)) << times;
  }
}

// At the very moment of the impact, when the parabola of the flight meets the floor: v is that of
// half a step later, and weight goes on until the step ends.
TEST(Bounce, ReturnsTheShareOfItsSpeed) {
  for (double restitution : {0.0, 0.5, 1.0}) {
    ModelBuilder builder("bounce");
    add_floor(builder, 0.5);
    add_free_part(
        builder,
        {.name = "ball", .shape = Sphere{0.1}, .p = {0, 0, 0.6}, .restitution = restitution});
    Simulation simulation(builder.build());
    double before = 0, gap = 0;
    for (int k = 0; k < 240 && simulation.state().qvel[2] <= 0; ++k) {
      before = simulation.state().qvel[2];
      gap = simulation.body_pose(1).p[2] - 0.1;
      simulation.step();
      if (simulation.contacts().size() == 1 && simulation.contacts()[0].force_W[2] > 0) break;
    }
    EXPECT_LT(before, -3);
    EXPECT_GT(simulation.body_pose(1).p[2], 0.1 - 0.02);
    if (restitution > 0) {
      const double g = 9.81, h = simulation.timestep();
      const double start = before - g * h / 2;
      const double impact = std::sqrt(start * start + 2 * g * gap);
      const double left = h - (impact + start) / g;  // of the step
      EXPECT_NEAR(simulation.state().qvel[2], restitution * impact - g * left + g * h / 2, 1e-6);
      const double way = restitution * impact * left - g * left * left / 2;
      EXPECT_NEAR(simulation.body_pose(1).p[2], 0.1 + way, 1e-8);
    }
  }
}

}  // namespace
}  // namespace stiction
