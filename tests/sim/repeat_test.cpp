// A run under a limit of time depends on the machine's mood; its record does not.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <limits>

#include "scenes/scene.h"

namespace stiction {
namespace {

struct RecordedRun {
  std::vector<std::vector<int>> clocks;  ///< per step
  std::vector<Eigen::VectorXd> qvel;     ///< per step
  int cut_short = 0;                     ///< steps
};

SimulationOptions within(double seconds, TroublePolicy policy) {
  SimulationOptions options;
  options.budget.max_seconds = seconds;
  options.budget.tolerance = 1e-13;  // hard to reach: time runs out here and there
  options.on_trouble = policy;
  return options;
}

RecordedRun record(const std::string& scene, const SimulationOptions& options) {
  Simulation simulation(find_scene(scene)->make(), options);
  RecordedRun run;
  for (int k = 0; k < 60; ++k) {
    run.clocks.push_back(simulation.step().clock);
    run.qvel.push_back(simulation.state().qvel);
    run.cut_short += !run.clocks.back().empty();
  }
  return run;
}

TEST(Repeat, RunsUnderALimitOfTimeRepeatBitByBit) {
  int cut_short = 0;
  for (const char* scene : {"tower", "stack", "panda"}) {
    for (TroublePolicy policy : {TroublePolicy::kWarn, TroublePolicy::kFallback}) {
      for (double seconds : {1e-9, 3e-5, 1e-4}) {
        SimulationOptions options = within(seconds, policy);
        const RecordedRun first = record(scene, options);
        cut_short += first.cut_short;
        options.budget.max_seconds = 1e-9;  // is not asked
        options.budget.threads = 2;
        Simulation again(find_scene(scene)->make(), options);
        for (size_t k = 0; k < first.clocks.size(); ++k) {
          ASSERT_EQ(again.step(first.clocks[k]).clock, first.clocks[k]) << scene << ' ' << k;
          ASSERT_EQ(again.state().qvel, first.qvel[k]) << scene << " step " << k;
        }
      }
    }
  }
  EXPECT_GT(cut_short, 60);
}

// Every step takes at least one iteration: without that, all would fall through the floor, 0.3 m.
// The tower under its load does not stand by so little, but it falls onto the floor.
TEST(TimeLimit, TooSmallForAnIterationStillHoldsBodiesUp) {
  for (const char* solver : {"grip", "canal", "subadmm"}) {
    for (const char* scene : {"stack", "dishes", "tower"}) {
      SimulationOptions options;
      options.solver = solver;
      options.budget.max_seconds = 1e-9;
      Simulation simulation(find_scene(scene)->make(), options);
      double penetration = 0;
      double of_floor = 0;
      for (int k = 0; k < 60; ++k) {
        penetration = std::max(penetration, simulation.step().max_penetration);
        for (const ContactForce& contact : simulation.contacts()) {
          if (contact.body1 == 0 || contact.body2 == 0) of_floor = std::max(of_floor, -contact.gap);
        }
      }
      EXPECT_LT(of_floor, 0.02) << solver << ' ' << scene;
      if (scene == std::string("tower")) continue;
      EXPECT_LT(penetration, 0.1) << solver << ' ' << scene;
    }
  }
}

// What no solver can reach is missed by round-off, not answered with another problem's solution.
TEST(Tolerance, BelowRoundOffEndsAtRoundOff) {
  SimulationOptions options;
  options.budget.tolerance = 1e-18;
  Simulation simulation(find_scene("stack")->make(), options);
  for (int k = 0; k < 150; ++k) {
    const SolveReport& report = simulation.step().solve;
    ASSERT_LT(report.residual.scaled, 1e-14) << k;
    ASSERT_NE(report.status, Status::kRegularized) << k;
  }
}

TEST(Repeat, RefusesTheClockOfAnotherStep) {
  Simulation simulation(find_scene("tower")->make());
  const State before = simulation.state();
  for (const std::vector<int>& clock : {std::vector<int>{3, 1}, {-2}, {2, 5, 5}, {0, 1, 7}}) {
    EXPECT_THROW(simulation.step(clock), InputError);
    EXPECT_EQ(simulation.state().step, before.step);
  }
  simulation.step();
  EXPECT_EQ(simulation.state().step, before.step + 1);
}

}  // namespace
}  // namespace stiction
