// A step that misses says why.
#include "sim/misses.h"

#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <string>

#include "io/mjcf_file.h"
#include "message_of.h"
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
  const std::string text = message_of([&] { simulation.step(); });
  EXPECT_EQ(text.rfind("step 1: residual above the tolerance: ", 0), 0u) << text;
  EXPECT_NE(text.find(" of 1e-08 m/s (iteration limit), worst: contact "), std::string::npos)
      << text;
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
  EXPECT_EQ(message_of([&] { refuse_missed(sim); }),
            "step 1: contacts and limits that come up within the step do not settle; "
            "force limits of actuators do not settle");
}

// A mass on an arm: (L w)^2 / 2 is beyond all numbers, L and w are not.
TEST(Misses, AnEnergyThatIsNotFiniteIsOne) {
  Simulation simulation(model_of(R"(<option gravity="0 0 0" timestep="1e-10"/><worldbody>
    <body><joint/><inertial pos="1e78 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>)"));
  for (const double w : {1e70, 1e78}) {
    State state = simulation.state();
    state.qvel[0] = w;
    simulation.set_state(state);
    const StepReport& report = simulation.step();
    EXPECT_EQ(report.within_tolerance, w < 1e76);
    EXPECT_EQ(report.misses, w < 1e76 ? std::vector<Miss>{} : std::vector{Miss::kEnergy});
  }
  EXPECT_STREQ(to_string(Miss::kEnergy), "energy is not finite");
}

}  // namespace
}  // namespace stiction
