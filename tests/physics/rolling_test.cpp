// Rolling with and without slip, and SimBenchmark's rolling scene.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "io/mjcf_file.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

constexpr double kGravity = 9.81;
constexpr double kRadius = 0.1;

// A round body on a level floor with gravity turned by the slope's angle.
Simulation on_slope(const Shape& shape, const Eigen::Quaterniond& q_WB, double angle, double mu) {
  ModelBuilder builder("slope");
  builder.options().gravity = kGravity * Eigen::Vector3d(std::sin(angle), 0, -std::cos(angle));
  add_floor(builder, mu);
  const int body =
      add_free_part(builder, {.name = "round", .shape = shape, .p = {0, 0, kRadius}, .mu = mu});
  builder.body(body).X_PB.q = q_WB;
  return Simulation(builder.build());
}

TEST(Rolling, SphereWithoutSlip) {
  const double angle = 0.4;
  Simulation simulation =
      on_slope(Sphere{kRadius}, Eigen::Quaterniond::Identity(), angle, 0.5);  // tan < 7/2 mu
  for (int k = 0; k < 240; ++k) simulation.step();
  const double a = 5.0 / 7 * kGravity * std::sin(angle);
  EXPECT_NEAR(simulation.state().qvel[0], a, 1e-6);
  EXPECT_NEAR(simulation.body_velocity(1)[4], a / kRadius, 1e-5);
}

TEST(Rolling, SphereWithSlip) {
  const double angle = 0.4;
  const double mu = 0.05;
  Simulation simulation = on_slope(Sphere{kRadius}, Eigen::Quaterniond::Identity(), angle, mu);
  for (int k = 0; k < 240; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], kGravity * (std::sin(angle) - mu * std::cos(angle)),
              1e-6);
  EXPECT_NEAR(simulation.body_velocity(1)[4], 2.5 * mu * kGravity * std::cos(angle) / kRadius,
              1e-5);
}

// A ball that starts to roll down from the top of a fixed one goes round it. A step along the
// tangent would leave a gap of (h w)^2 / (2 d), for the next one to close; what is left is of third
// order, as w grows by 2 % per step.
TEST(Rolling, BallsKeepInTouchWhileTheyGoRoundEachOther) {
  ModelBuilder builder("balls");
  builder.options().gravity = {0, 0, -kGravity};
  add_static_part(builder, {.name = "fixed", .shape = Sphere{kRadius}, .mu = 1});
  add_free_part(builder,
                {.name = "ball", .shape = Sphere{kRadius}, .p = {0, 0, 2 * kRadius}, .mu = 1});
  Simulation simulation(builder.build());
  State state = simulation.state();
  state.qvel[0] = 0.02;
  state.qvel[4] = 0.02 / kRadius;  // without slip
  simulation.set_state(state);
  const double h = simulation.timestep();
  for (int k = 0; k < 60; ++k) {
    const double way = h * simulation.body_velocity(1).head<3>().norm();
    simulation.step();
    const double gap = simulation.body_pose(1).p.norm() - 2 * kRadius;
    const double left_by_tangent = way * way / (4 * kRadius);
    EXPECT_NEAR(gap, 0, 0.1 * left_by_tangent) << k;
  }
}

TEST(Rolling, CylinderWithAndWithoutSlip) {
  const Eigen::Quaterniond lying(Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX()));
  const double angle = 0.4;
  for (double mu : {0.5, 0.05}) {
    Simulation simulation = on_slope(Cylinder{kRadius, 0.2}, lying, angle, mu);
    for (int k = 0; k < 240; ++k) simulation.step();
    const bool slips = std::tan(angle) > 3 * mu;
    const double a = slips ? kGravity * (std::sin(angle) - mu * std::cos(angle))
                           : 2.0 / 3 * kGravity * std::sin(angle);
    const double spin = slips ? 2 * mu * kGravity * std::cos(angle) / kRadius : a / kRadius;
    EXPECT_NEAR(simulation.state().qvel[0], a, 1e-5) << mu;
    EXPECT_NEAR(simulation.body_velocity(1)[4], spin, 1e-4) << mu;
  }
}

// github.com/leggedrobotics/SimBenchmark, rolling: a box of 10 kg is pushed with 150 N over the
// floor (mu 0.4), 25 balls of 1 kg roll on it (mu 0.8) without slip:
// (M + 25 2/7 m) a_box = F - mu (M + 25 m) g and a_ball = 2/7 a_box.
TEST(Rolling, SimBenchmarkBoxWithBalls) {
  ModelBuilder builder("rolling");
  add_floor(builder, 0.4);
  const int box = add_free_part(
      builder,
      {.name = "box", .shape = Box{{10, 10, 0.5}}, .p = {0, 0, 0.5}, .mass = 10, .mu = 0.4});
  for (int k = 0; k < 25; ++k) {
    add_free_part(builder, {.name = "ball" + std::to_string(k),
                            .shape = Sphere{0.5},
                            .p = {2.0 * (k % 5 - 2), 2.0 * (k / 5 - 2), 1.5},
                            .mass = 1,
                            .mu = 0.8});
  }
  Simulation simulation(builder.build());
  Vector6d push = Vector6d::Zero();
  push[1] = 150;
  simulation.apply_wrench(box, push);
  const int steps = 120;
  for (int k = 0; k < steps; ++k) simulation.step();
  const double t = steps * simulation.timestep();
  const double a_box = (150 - 0.4 * 35 * kGravity) / (10 + 25 * 2.0 / 7);
  EXPECT_NEAR(a_box, 0.7385, 1e-4);
  EXPECT_NEAR(simulation.body_velocity(box)[1] / t, a_box, 1e-4);
  for (int k = 0; k < 25; ++k) {
    EXPECT_NEAR(simulation.body_velocity(2 + k)[1] / t, 0.211, 1e-4);
  }
}

}  // namespace
}  // namespace stiction
