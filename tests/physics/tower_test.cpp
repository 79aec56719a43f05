// Light things under heavy ones: the tower of ten with 1:50 stands.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include "scenes/scene.h"

namespace stiction {
namespace {

TEST(Tower, HeavyTopStandsOnLightCubes) {
  Simulation simulation(find_scene("tower")->make());
  for (int k = 0; k < 480; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.scaled, 1e-8) << "step " << k;
  }
  const int top = 10;
  const Eigen::Vector3d moved = simulation.body_pose(top).p - Eigen::Vector3d(0, 0, 1.9);
  EXPECT_LT(moved.norm(), 1e-6);
  // The floor carries the whole weight, up to the tolerance of 1e-8 m/s as a force of the step.
  double up = 0;
  for (const ContactForce& contact : simulation.contacts()) {
    if (contact.body1 == 0) up += contact.force_W[2];
  }
  EXPECT_NEAR(up, 59 * 9.81, 0.01);
}

}  // namespace
}  // namespace stiction
