// Twelve plates in one another: parallel walls touch before the bases do.
#include <gtest/gtest.h>
#include <stiction/sdf.h>
#include <stiction/simulation.h>

#include <cmath>

#include "scenes/parts.h"

namespace stiction {
namespace {

TEST(DishPile, PlatesLieOneWallApart) {
  const Dish dish = plate_shape();
  const SdfPointer plate = make_dish("plate", dish);
  const Eigen::Vector2d wall = (dish.outline[2] - dish.outline[1]).normalized();
  const double spacing = 2 * dish.half_thickness / wall.x();
  constexpr int kPlates = 12;
  ModelBuilder builder("pile");
  add_floor(builder, 0.5);
  for (int k = 0; k < kPlates; ++k) {
    add_free_part(builder, {.name = "plate" + std::to_string(k),
                            .shape = SdfSolid{plate},
                            .p = {0, 0, k * (spacing + 2e-5)},
                            .mass = 0.1});
  }
  Simulation simulation(builder.build());
  for (int k = 0; k < 60; ++k) {
    simulation.step();
    for (const ContactForce& contact : simulation.contacts()) ASSERT_GT(contact.gap, -1e-5);
  }
  for (int k = 0; k < kPlates; ++k) {
    const Eigen::Vector3d p = simulation.state().qpos.segment<3>(7 * k);
    EXPECT_NEAR(p.z(), k * spacing, 1e-5 * (k + 1)) << k;
    EXPECT_LT(p.head<2>().norm(), 1e-3) << k;
  }
  EXPECT_GE(simulation.contacts().size(), 12u * 24u);
}

}  // namespace
}  // namespace stiction
