// A pile that has come to rest stays where it is. A rigid ball with a single contact may roll on,
// and one with two may turn about the line through them: nothing stops these, and they must neither
// gain nor lose speed.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include "scenes/parts.h"

namespace stiction {
namespace {

constexpr double kPebbleRadius = 0.01;
constexpr int kPebbles = 40;

// Layers are shifted, so that the lattice falls into a heap.
Simulation pebbles_in_a_box() {
  ModelBuilder builder("pebbles");
  add_floor(builder, 0.5);
  constexpr double kHalf = 0.04;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d out(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0);
    add_static_part(builder, {.name = "wall" + std::to_string(k),
                              .shape = Box{{out.x() != 0 ? 0.01 : kHalf + 0.02,
                                            out.y() != 0 ? 0.01 : kHalf + 0.02, 0.1}},
                              .p = (kHalf + 0.01) * out + Eigen::Vector3d(0, 0, 0.1)});
  }
  for (int k = 0; k < kPebbles; ++k) {
    const int x = k % 3, y = k / 3 % 3, z = k / 9;
    add_free_part(builder, {.name = "pebble" + std::to_string(k),
                            .shape = Sphere{kPebbleRadius},
                            .p = {0.022 * (x - 1) + 0.003 * (z % 3), 0.022 * (y - 1) - 0.002 * z,
                                  kPebbleRadius + 0.022 * z},
                            .mass = 0.004});
  }
  return Simulation(builder.build());
}

// Per body, contacts that carry something.
std::vector<int> loaded_contacts(const Simulation& simulation) {
  std::vector<int> count(simulation.model().bodies.size(), 0);
  for (const ContactForce& contact : simulation.contacts()) {
    if (contact.force_W.norm() < 1e-6) continue;
    ++count[contact.body1];
    ++count[contact.body2];
  }
  return count;
}

TEST(RestingPile, DoesNotDrift) {
  Simulation simulation = pebbles_in_a_box();
  for (int k = 0; k < 4000; ++k) simulation.step();  // some pebbles take their time
  const std::vector<int> loaded = loaded_contacts(simulation);
  std::vector<Eigen::Vector3d> start;
  for (int b = 0; b <= kPebbles; ++b) start.push_back(simulation.body_pose(b).p);
  const double energy = simulation.energy().kinetic;
  for (int k = 0; k < 2000; ++k) simulation.step();
  EXPECT_LE(simulation.energy().kinetic, 1.001 * energy + 1e-14);
  int carried = 0;
  for (int b = 1; b <= kPebbles; ++b) {
    if (loaded[b] < 3) continue;
    ++carried;
    // A hundredth of the 10 um that 200,000 steps may bring.
    EXPECT_LT((simulation.body_pose(b).p - start[b]).norm(), 1e-7) << b;
  }
  EXPECT_GT(carried, kPebbles / 2);
}

TEST(RestingPile, ALoneBallRollsOnAtItsSpeed) {
  ModelBuilder builder("ball");
  add_floor(builder, 0.5);
  add_free_part(builder, {.name = "ball", .shape = Sphere{0.01}, .p = {0, 0, 0.01}, .mass = 0.004});
  Simulation simulation(builder.build());
  constexpr double kSpeed = 4e-7;  // m/s, as slow as what a pile leaves behind
  State state = simulation.state();
  state.qvel << kSpeed, 0, 0, 0, kSpeed / 0.01, 0;
  simulation.set_state(state);
  constexpr int kSteps = 10000;
  for (int k = 0; k < kSteps; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], kSpeed, 1e-3 * kSpeed);
  EXPECT_NEAR(simulation.body_pose(1).p[0], kSpeed * kSteps * simulation.timestep(), 1e-8);
}

}  // namespace
}  // namespace stiction
