// A step that misses says why.
#include "sim/misses.h"

#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <string>

#include "scenes/scene.h"
#include "sim/simulation_impl.h"

namespace stiction {
namespace {

SimulationOptions one_sweep(TroublePolicy policy) {
  SimulationOptions options;
  options.solver = "pgs";
  options.budget.max_iterations = 1;
  options.on_trouble = policy;
  return options;
}

TEST(Misses, AResidualAboveTheToleranceIsOne) {
  Simulation simulation(find_scene("tower")->make(), one_sweep(TroublePolicy::kWarn));
  const StepReport& report = simulation.step();
  EXPECT_FALSE(report.within_tolerance);
  EXPECT_EQ(report.misses, std::vector{Miss::kResidual});
  EXPECT_EQ(report.solve.status, Status::kIterationLimit);
  EXPECT_STREQ(to_string(report.misses[0]), "residual above the tolerance");
}

TEST(Misses, NoneIsLeftWhereTheFallbackSolves) {
  SimulationOptions options = one_sweep(TroublePolicy::kFallback);
  options.budget.max_iterations = 25;  // sweeps; four times as many for CANAL
  Simulation simulation(find_scene("tower")->make(), options);
  for (int k = 0; k < 5; ++k) {
    const StepReport& report = simulation.step();
    if (k == 0) {  // the others start from its impulses
      EXPECT_EQ(report.retries, 1);
    }
    EXPECT_TRUE(report.within_tolerance);
    EXPECT_TRUE(report.misses.empty());
  }
}

// Four times the solver's own budget, where none is given.
TEST(Misses, ARetryHasFourTimesTheBudget) {
  for (const int own : {0, 10}) {
    SimulationOptions options;
    options.solver = "pgs";
    options.budget.tolerance = 1e-14;
    options.budget.max_iterations = own;
    Simulation once(find_scene("tower")->make(), options);
    options.on_trouble = TroublePolicy::kRetry;
    Simulation again(find_scene("tower")->make(), options);
    EXPECT_EQ(once.step().solve.status, Status::kIterationLimit);
    EXPECT_EQ(again.step().solve.status, Status::kIterationLimit);
    EXPECT_EQ(again.report().solve.iterations, 4 * once.report().solve.iterations);
    EXPECT_EQ(again.report().retries, 1);
    EXPECT_EQ(once.report().retries, 0);
  }
}

TEST(Misses, ThePolicyThatThrowsSaysAllOfThem) {
  Simulation simulation(find_scene("tower")->make(), one_sweep(TroublePolicy::kThrow));
  const Eigen::VectorXd before = simulation.state().qpos;
  try {
    simulation.step();
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("step 1: residual above the tolerance: ", 0), 0u) << text;
    EXPECT_NE(text.find(" of 1e-08 m/s (iteration limit), worst: contact "), std::string::npos)
        << text;
  }
  EXPECT_EQ(simulation.state().qpos, before);
}

// Thin discs that turn fast do so, now and then. Each flag of the solve is a reason of its own.
TEST(Misses, WhatDoesNotSettleIsOne) {
  const Model model = find_scene("door")->make();
  Simulation::Impl sim(model, SimulationOptions{});
  find_misses(sim);
  EXPECT_TRUE(sim.misses.empty());
  sim.reach_settled = false;
  find_misses(sim);
  EXPECT_EQ(sim.misses, std::vector{Miss::kReach});
  sim.servos_settled = false;
  find_misses(sim);
  EXPECT_EQ(sim.misses, (std::vector{Miss::kReach, Miss::kForceLimits}));
  try {
    refuse_missed(sim);
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "step 1: contacts and limits that come up within the step do not settle; "
                 "force limits of actuators do not settle");
  }
}

}  // namespace
}  // namespace stiction
