// SimBenchmark's 666: 6 x 6 x 6 balls fall in columns; inelastic ones come to rest on each other,
// elastic ones keep their energy.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "scenes/parts.h"

namespace stiction {
namespace {

constexpr double kBallRadius = 0.1;

Simulation columns(double restitution, double gap) {
  ModelBuilder builder("666");
  add_floor(builder, 0.8);
  for (int k = 0; k < 216; ++k) {
    const int x = k % 6, y = k / 6 % 6, z = k / 36;
    add_free_part(builder,
                  {.name = "ball" + std::to_string(k),
                   .shape = Sphere{kBallRadius},
                   .p = {0.5 * x, 0.5 * y, kBallRadius + gap + (2 * kBallRadius + gap) * z},
                   .mu = 0.8,
                   .restitution = restitution});
  }
  return Simulation(builder.build());
}

TEST(SixSixSix, InelasticBallsComeToRestOnEachOther) {
  Simulation simulation = columns(0, 0.02);
  double depth = 0;
  for (int k = 0; k < 120; ++k) depth = std::max(depth, simulation.step().max_penetration);
  EXPECT_LT(depth, 1e-5);
  EXPECT_LT(simulation.state().qvel.norm(), 1e-5);
  for (int k = 0; k < 216; ++k) {
    const double height = kBallRadius * (1 + 2 * (k / 36));
    EXPECT_NEAR(simulation.body_pose(1 + k).p[2], height, 1e-5) << k;
  }
  // Each column stands on the floor with the weight of its six balls.
  for (const PairForce& pair : simulation.pair_forces()) {
    if (pair.body1 == 0) {
      EXPECT_NEAR(pair.force_W[2], 6 * 9.81, 1e-3);
    }
  }
}

TEST(SixSixSix, ElasticBallsKeepTheirEnergyAndTheirColumns) {
  Simulation simulation = columns(1, 0.3);
  const double start = simulation.energy().potential;
  for (int k = 0; k < 240; ++k) simulation.step();
  const Energy end = simulation.energy();
  // E differs from what the integrator keeps by m g h v / 2 of each ball.
  const double fastest = std::sqrt(2 * 9.81 * 3);
  EXPECT_NEAR(end.kinetic + end.potential, start, 216 * 9.81 * simulation.timestep() * fastest / 2);
  for (int k = 0; k < 216; ++k) {
    EXPECT_NEAR(simulation.body_pose(1 + k).p[0], 0.5 * (k % 6), 1e-9);
  }
}

}  // namespace
}  // namespace stiction
