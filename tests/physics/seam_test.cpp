// Boxes side by side are a floor: what slides or rolls over their seams is not stopped by the side
// of the next one.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace stiction {
namespace {

constexpr double kStep = 1.0 / 240;
constexpr double kHalf = 0.05;  // of what moves, m

struct Floor {
  double width = 0.2;  ///< of a tile, m
  int tiles = 12;
  double rise = 0;  ///< of every other tile, m
};

// A body on the first of the tiles, which follow each other along x.
Simulation on_tiles(const Shape& shape, double mu, const Floor& floor) {
  ModelBuilder builder("tiles");
  builder.options().timestep = kStep;
  for (int k = 0; k < floor.tiles; ++k) {
    const double top = k % 2 == 1 ? floor.rise : 0;
    Geom tile{.name = "tile" + std::to_string(k), .shape = Box{{floor.width / 2, 0.5, 0.1}}};
    tile.X_BG.p = {floor.width * (k + 0.5), 0, top - 0.1};
    tile.contact.friction[0] = mu;
    builder.add_geom(tile);
  }
  const int body =
      builder.add_body({.name = "body", .X_PB = {{0.1, 0, kHalf}, Eigen::Quaterniond::Identity()}});
  builder.add_joint({.name = "body", .type = JointType::kFree, .body = body});
  Geom geom{.body = body, .shape = shape};
  geom.contact.friction[0] = mu;
  builder.add_geom(geom, 1000.0);
  return Simulation(builder.build());
}

struct Journey {
  double way = 0;    ///< m
  double speed = 0;  ///< at the end, m/s
  double lift = 0;   ///< m
};

Journey travel(Simulation& simulation, const Eigen::Vector2d& velocity, double seconds) {
  State state = simulation.state();
  state.qvel.head<2>() = velocity;
  simulation.set_state(state);
  Journey journey;
  for (int k = 0; k < std::lround(seconds / kStep); ++k) {
    EXPECT_TRUE(simulation.step().within_tolerance);
    journey.lift = std::max(journey.lift, simulation.body_pose(1).p[2] - kHalf);
  }
  journey.way = simulation.body_pose(1).p[0] - 0.1;
  journey.speed = simulation.state().qvel[0];
  return journey;
}

// Without friction at its own speed, for ever.
TEST(Seams, KeepNobodyFromSliding) {
  const Shape shapes[] = {Box{{kHalf, kHalf, kHalf}}, Cylinder{kHalf, kHalf}, Sphere{kHalf},
                          Ellipsoid{{0.07, 0.06, kHalf}}};
  for (const Shape& shape : shapes) {
    for (const double speed : {0.1, 1.0, 3.0}) {
      Simulation simulation = on_tiles(shape, 0, {});
      const Journey journey = travel(simulation, {speed, 0}, 0.5 / speed);
      EXPECT_NEAR(journey.speed, speed, 1e-3 * speed) << shape.index();
      EXPECT_LT(journey.lift, 1e-6) << shape.index();
    }
  }
}

// Across two seams at once, and where one tile is higher than the next by a micron.
TEST(Seams, MayBeCrossedAtAnAngleAndBeAMicronHigh) {
  for (const double rise : {0.0, 1e-6, -1e-6}) {
    Simulation simulation = on_tiles(Box{{kHalf, kHalf, kHalf}}, 0, {.rise = rise});
    const Journey journey = travel(simulation, {1, 0.3}, 0.5);
    EXPECT_NEAR(journey.speed, 1, 1e-3) << rise;
    EXPECT_LT(journey.lift, 5e-6) << rise;
  }
}

// v_k = v0 - k mu g h until it would turn: as on a plane.
TEST(Seams, BoxStopsWhereItDoesOnAPlane) {
  const double mu = 0.5;
  Simulation simulation = on_tiles(Box{{kHalf, kHalf, kHalf}}, mu, {});
  double expected = 0;
  const double loss = mu * 9.81 * kStep;
  for (double v = 3 - loss; v > 0; v -= loss) expected += kStep * v;
  const Journey journey = travel(simulation, {3, 0}, 1);
  EXPECT_NEAR(journey.way, expected, 1e-6);
  EXPECT_LT(journey.lift, 1e-6);
}

// A ball that slides at first rolls with 5/7 of its speed in the end.
TEST(Seams, BallRollsOverThem) {
  Simulation simulation = on_tiles(Sphere{kHalf}, 0.5, {});
  const Journey journey = travel(simulation, {1, 0}, 1);
  EXPECT_NEAR(journey.speed, 5.0 / 7, 1e-3);
  EXPECT_LT(journey.lift, 5e-6);
}

// A step of a millimetre is one.
TEST(Seams, StepsStopABox) {
  for (const double speed : {0.01, 1.0}) {
    Simulation simulation = on_tiles(Box{{kHalf, kHalf, kHalf}}, 0, {.rise = 1e-3});
    const Journey journey = travel(simulation, {speed, 0}, 0.05 / speed + kStep);
    EXPECT_LT(journey.speed, 0.5 * speed);
  }
}

}  // namespace
}  // namespace stiction
