// A box on a slope: it stays for mu > tan(angle), and slides with the closed-form acceleration
// otherwise.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/simulation.h>

#include <cmath>

namespace stiction {
namespace {

constexpr double kSlopeGravity = 9.81;

Model box_on_slope(double angle, double mu) {
  ModelBuilder builder("slope");
  builder.options().timestep = 1.0 / 240;
  // The plane stays level and gravity is turned.
  builder.options().gravity =
      Eigen::Vector3d(kSlopeGravity * std::sin(angle), 0, -kSlopeGravity * std::cos(angle));
  Geom floor;
  floor.name = "floor";
  floor.shape = Plane{};
  floor.contact.friction[0] = mu;
  builder.add_geom(floor);
  Body body;
  body.name = "box";
  body.X_PB.p = Eigen::Vector3d(0, 0, 0.1);
  const int box = builder.add_body(body);
  Joint joint;
  joint.type = JointType::kFree;
  joint.body = box;
  builder.add_joint(joint);
  Geom geom;
  geom.name = "box";
  geom.body = box;
  geom.shape = Box{Eigen::Vector3d(0.1, 0.1, 0.1)};
  geom.contact.friction[0] = mu;
  builder.add_geom(geom, 125);
  return builder.build();
}

TEST(Slope, BoxBelowTheFrictionAngleDoesNotCreep) {
  Simulation simulation(box_on_slope(20 * M_PI / 180, 0.5));
  for (int k = 0; k < 2400; ++k) {
    ASSERT_LE(simulation.step().solve.residual.scaled, 1e-8);
  }
  const Pose pose = simulation.body_pose(1);
  EXPECT_LT((pose.p - Eigen::Vector3d(0, 0, 0.1)).norm(), 1e-9);
  EXPECT_EQ(simulation.contacts().size(), 4u);
  for (const ContactForce& contact : simulation.contacts()) {
    EXPECT_NE(contact.state, ContactState::kSlip);
  }
}

TEST(Slope, BoxAboveTheFrictionAngleSlidesAsTheClosedFormSays) {
  const double angle = 30 * M_PI / 180;
  const double mu = 0.3;
  Simulation simulation(box_on_slope(angle, mu));
  const int steps = 240;
  for (int k = 0; k < steps; ++k) simulation.step();
  const double a = kSlopeGravity * (std::sin(angle) - mu * std::cos(angle));
  const double h = simulation.timestep();
  EXPECT_NEAR(simulation.state().qvel[0], a * steps * h, 1e-7);
  for (const ContactForce& contact : simulation.contacts()) {
    EXPECT_NE(contact.state, ContactState::kStick);
  }
  EXPECT_NEAR(simulation.body_pose(1).p[0], a * h * h * steps * (steps + 1) / 2, 1e-7);
  EXPECT_NEAR(simulation.body_pose(1).p[2], 0.1, 1e-7);
}

TEST(Slope, BisectionFindsTheFrictionAngleToAMillionth) {
  const double mu = 0.5;
  double stays = 0.4;
  double slides = 0.5;
  while (slides - stays > 2e-7) {
    const double angle = 0.5 * (stays + slides);
    SimulationOptions options;
    options.budget.tolerance = 1e-10;
    Simulation simulation(box_on_slope(angle, mu), options);
    for (int k = 0; k < 48; ++k) simulation.step();
    // 5e-7 above the threshold the box would have 1e-6 m/s by now.
    (simulation.state().qvel[0] > 1e-7 ? slides : stays) = angle;
  }
  EXPECT_NEAR(0.5 * (stays + slides), std::atan(mu), 1e-6);
}

}  // namespace
}  // namespace stiction
