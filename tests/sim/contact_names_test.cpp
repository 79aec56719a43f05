// Contacts of things at rest keep their names, so that impulses warm-start.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <set>

#include "scenes/scene.h"

namespace stiction {
namespace {

std::set<std::uint64_t> names(const Simulation& simulation) {
  std::set<std::uint64_t> ids;
  for (const ContactForce& contact : simulation.contacts()) ids.insert(contact.id);
  return ids;
}

TEST(ContactNames, FlushCubesKeepThemForAThousandSteps) {
  Simulation simulation(find_scene("tower")->make());
  simulation.step();
  const std::set<std::uint64_t> first = names(simulation);
  EXPECT_EQ(first.size(), 40u);
  for (int k = 0; k < 1000; ++k) {
    simulation.step();
    ASSERT_EQ(names(simulation), first) << "step " << k;
  }
}

TEST(SaveAndRestore, ContinuesBitByBit) {
  for (const char* scene : {"granular", "nut", "dishes"}) {
    Simulation simulation(find_scene(scene)->make());
    for (int k = 0; k < 25; ++k) simulation.step();
    const State saved = simulation.state();
    for (int k = 0; k < 5; ++k) simulation.step();
    const Eigen::VectorXd qpos = simulation.state().qpos;
    const Eigen::VectorXd qvel = simulation.state().qvel;
    simulation.set_state(saved);
    for (int k = 0; k < 5; ++k) simulation.step();
    EXPECT_EQ(simulation.state().qpos, qpos) << scene;
    EXPECT_EQ(simulation.state().qvel, qvel) << scene;
  }
}

TEST(SaveAndRestore, ContinuesBitByBitWhileATowerFalls) {
  Simulation simulation(find_scene("tower")->make());
  State state = simulation.state();
  for (int k = 0; k < 10; ++k) state.qvel.segment<3>(6 * k) << 0.3 * k, 0.1 * k, 0;
  simulation.set_state(state);
  for (int k = 0; k < 60; ++k) simulation.step();
  const State saved = simulation.state();
  for (int k = 0; k < 20; ++k) simulation.step();
  const Eigen::VectorXd qpos = simulation.state().qpos;
  simulation.set_state(saved);
  for (int k = 0; k < 20; ++k) simulation.step();
  EXPECT_EQ(simulation.state().qpos, qpos);
  // In a new simulation too, which has seen nothing of what came before.
  Simulation other(find_scene("tower")->make());
  other.set_state(saved);
  for (int k = 0; k < 20; ++k) other.step();
  EXPECT_EQ(other.state().qpos, qpos);
}

TEST(Threads, DoNotChangeABit) {
  for (const char* scene : {"granular", "nut", "dishes"}) {
    Eigen::VectorXd first;
    for (int threads : {1, 2, 4}) {
      SimulationOptions options;
      options.budget.threads = threads;
      Simulation simulation(find_scene(scene)->make(), options);
      for (int k = 0; k < 20; ++k) simulation.step();
      if (threads == 1) first = simulation.state().qpos;
      EXPECT_EQ(simulation.state().qpos, first) << scene << ", " << threads;
    }
  }
}

}  // namespace
}  // namespace stiction
