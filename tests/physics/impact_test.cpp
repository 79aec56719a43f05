// Impacts that follow each other within a step: Newton's cradle and its like, at the default step.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>
#include <random>
#include <vector>

#include "io/mjcf_file.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

// The first ball goes along x, m/s; the others wait.
Simulation with_first_at(ModelBuilder& builder, double speed) {
  Simulation simulation(builder.build());
  State state = simulation.state();
  state.qvel[0] = speed;
  simulation.set_state(state);
  return simulation;
}

// Balls of 5 cm in a row, without weight; the first comes with 1 m/s.
Simulation row_of_balls(const std::vector<double>& masses, double gap) {
  ModelBuilder builder("cradle");
  builder.options().gravity.setZero();
  for (int k = 0; k < static_cast<int>(masses.size()); ++k) {
    add_free_part(builder, {.name = "ball" + std::to_string(k),
                            .shape = Sphere{0.05},
                            .p = {(0.1 + gap) * k, 0, 0},
                            .mass = masses[k],
                            .mu = 0,
                            .restitution = 1});
  }
  return with_first_at(builder, 1);
}

// From touching to more than a step's way, 4.2 mm.
const double kGaps[] = {0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 6e-3};

TEST(NewtonsCradle, PassesTheSpeedToTheLastBall) {
  for (const double gap : kGaps) {
    Simulation simulation = row_of_balls(std::vector<double>(5, 1.0), gap);
    for (int k = 0; k < 30; ++k) simulation.step();
    for (int k = 0; k < 5; ++k) {
      EXPECT_NEAR(simulation.state().qvel[6 * k], k == 4 ? 1 : 0, 1e-6) << gap << ", ball " << k;
    }
  }
}

// 3 kg against 1 kg: 1 -> 1/2 and 3/2; the second passes its 3/2 on; the first comes after it and
// hits again: 1/2 -> 1/4 and 3/4.
TEST(NewtonsCradle, HeavyBallHitsTwice) {
  for (const double gap : kGaps) {
    Simulation simulation = row_of_balls({3, 1, 1}, gap);
    for (int k = 0; k < 60; ++k) simulation.step();
    EXPECT_NEAR(simulation.state().qvel[0], 0.25, 1e-6) << gap;
    EXPECT_NEAR(simulation.state().qvel[6], 0.75, 1e-6) << gap;
    EXPECT_NEAR(simulation.state().qvel[12], 1.5, 1e-6) << gap;
  }
}

// A cradle as it is sold: five pendulums of 1 m that touch. One falls from 0.5 rad, and the outer
// two take turns; the others stay.
TEST(NewtonsCradle, SwingsOnTheOutside) {
  std::string bodies;
  for (int k = 0; k < 5; ++k) {
    bodies += "<body pos='" + std::to_string(0.1 * k) +
              " 0 1'><joint axis='0 1 0'/>"
              "<geom type='sphere' size='.05' pos='0 0 -1' mass='1' friction='0'/></body>";
  }
  Simulation simulation(
      model_of("<option timestep='0.004166666666666667'/><custom>"
               "<numeric name='stiction:restitution' data='1'/></custom><worldbody>" +
               bodies + "</worldbody>"));
  State state = simulation.state();
  state.qpos[0] = 0.5;  // out to the left
  simulation.set_state(state);
  double energy = simulation.energy().potential;
  double left = 0, right = 0, middle = 0;
  for (int k = 0; k < 1000; ++k) {  // two periods and a bit
    simulation.step();
    const Eigen::VectorXd& q = simulation.state().qpos;
    if (k > 500) left = std::max(left, q[0]);
    right = std::min(right, q[4]);
    middle = std::max(middle, q.segment<3>(1).cwiseAbs().maxCoeff());
  }
  // E differs from what the integrator keeps by m g h v / 2, 2 % of m g 0.12 m. A step's way of
  // 4 mm is what an impact may be off by.
  EXPECT_NEAR(simulation.energy().potential + simulation.energy().kinetic, energy,
              9.81 * (0.02 * 0.122 + 1e-3));
  EXPECT_NEAR(left, 0.5, 0.01);
  EXPECT_NEAR(right, -0.5, 0.01);
  EXPECT_LT(middle, 0.02);
}

// A light ball on a heavy one, dropped together: it leaves with (3 M - m) / (M + m) of the speed.
TEST(Impacts, LightBallOnAHeavyOneIsThrownUp) {
  const double M = 3, m = 1;
  ModelBuilder builder("drop");
  add_floor(builder, 0);
  for (int k = 0; k < 2; ++k) {
    add_free_part(builder, {.name = k == 0 ? "heavy" : "light",
                            .shape = Sphere{0.1},
                            .p = {0, 0, 1.1 + 0.2 * k},
                            .mass = k == 0 ? M : m,
                            .mu = 0,
                            .restitution = 1});
  }
  Simulation simulation(builder.build());
  double speed = 0;
  while (simulation.state().qvel[2] <= simulation.state().qvel[8] + 0.1 &&
         simulation.state().time < 1 && simulation.state().qvel[8] <= 0) {
    speed = -simulation.state().qvel[8];
    simulation.step();
  }
  const double per_step = 9.81 * simulation.timestep();
  EXPECT_NEAR(speed, std::sqrt(2 * 9.81), 2 * per_step);
  EXPECT_NEAR(simulation.state().qvel[8], (3 * M - m) / (M + m) * speed, 3 * per_step);
  EXPECT_NEAR(simulation.state().qvel[2], (M - 3 * m) / (M + m) * speed, 3 * per_step);
}

// A ball of 1 kg on a slide, elastic.
std::string slide(const std::string& name, double x, const std::string& joint = "",
                  const std::string& geom = "") {
  return "<body pos='" + std::to_string(x) + " 0 0'><joint name='" + name +
         "' type='slide' axis='1 0 0' " + joint + "/><geom size='.05' mass='1' friction='0' " +
         geom + "/></body>";
}

Simulation sliding(const std::string& bodies, const std::string& rest,
                   const Eigen::VectorXd& qvel) {
  Simulation simulation(
      model_of("<option gravity='0 0 0' timestep='0.004166666666666667'/><custom>"
               "<numeric name='stiction:restitution' data='1'/></custom><worldbody>" +
               bodies + "</worldbody>" + rest));
  State state = simulation.state();
  state.qvel = qvel;
  simulation.set_state(state);
  return simulation;
}

// The second weighs 2 kg with what hangs on it: it takes 2/3 of the speed and passes 8/9 on.
TEST(Impacts, GoThroughTendonsAndEqualities) {
  const std::string balls = slide("a", 0) + slide("b", 0.1005) + slide("c", 0.201);
  const std::string far = slide("far", 3, "", "contype='0' conaffinity='0'");
  Simulation simulations[] = {
      sliding(balls + far, "<equality><joint joint1='far' joint2='b'/></equality>",
              Eigen::Vector4d(1, 0, 0, 0)),
      sliding(balls, "<tendon><fixed armature='1'><joint joint='b' coef='1'/></fixed></tendon>",
              Eigen::Vector3d(1, 0, 0))};
  for (Simulation& simulation : simulations) {
    for (int k = 0; k < 30; ++k) simulation.step();
    EXPECT_NEAR(simulation.state().qvel[0], -1.0 / 3, 1e-6);
    EXPECT_NEAR(simulation.state().qvel[1], 2.0 / 9, 1e-6);
    EXPECT_NEAR(simulation.state().qvel[2], 8.0 / 9, 1e-6);
  }
}

// The second stands at its stop and throws the first back; then the third, which the last has hit,
// drives it off.
TEST(Impacts, StopsHoldOnlyAsLongAsTheyAreNeeded) {
  Simulation simulation =
      sliding(slide("a", 0) + slide("b", 0.1005, "range='-1 0' limited='true'") +
                  slide("c", 0.201) + slide("d", 0.3015),
              "", Eigen::Vector4d(1, 0, 0, -1));
  for (int k = 0; k < 30; ++k) simulation.step();
  EXPECT_LT((simulation.state().qvel - Eigen::Vector4d(-1, -1, 0, 0)).norm(), 1e-6)
      << simulation.state().qvel.transpose();
}

// Whatever hits whatever, with friction and any restitution: momentum stays, energy does not grow.
TEST(Impacts, KeepMomentumAndAddNoEnergy) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int run = 0; run < 40; ++run) {
    const double restitution = run % 4 == 0 ? 1 : unit(random);
    ModelBuilder builder("break");
    builder.options().gravity.setZero();
    for (int k = 0; k < 11; ++k) {  // a triangle of touching or nearly touching balls, and one more
      const int row = k == 0 ? -4 : k < 2 ? 0 : k < 4 ? 1 : k < 7 ? 2 : 3;
      const int first = row * (row + 1) / 2 + 1;
      const double gap = run % 3 == 0 ? 0 : 1e-3 * unit(random);
      add_free_part(builder,
                    {.name = "ball" + std::to_string(k),
                     .shape = Sphere{0.05},
                     .p = {(0.1 + gap) * std::sqrt(0.75) * row,
                           k == 0 ? 0.05 * unit(random) : (0.1 + gap) * (k - first - 0.5 * row), 0},
                     .mass = 0.2 + unit(random),
                     .mu = run % 2 == 0 ? 0 : 0.5,
                     .restitution = k % 3 == 0 ? restitution * unit(random) : restitution});
    }
    Simulation simulation(builder.build());
    State state = simulation.state();
    state.qvel[0] = 3;
    simulation.set_state(state);
    const Vector6d before = momentum(simulation.model(), simulation.tree());
    double energy = simulation.energy().kinetic;
    for (int k = 0; k < 60; ++k) {
      EXPECT_TRUE(simulation.step().within_tolerance) << run << ", step " << k;
      const double next = simulation.energy().kinetic;
      EXPECT_LT(next, energy * (1 + 1e-6)) << run << ", step " << k;
      energy = next;
    }
    const Vector6d change = momentum(simulation.model(), simulation.tree()) - before;
    EXPECT_LT(change.head<3>().norm(), 1e-6) << run;
  }
}

// Without weight; the first comes with 8 m/s.
Simulation billiard_balls(const std::vector<Eigen::Vector3d>& places, double mu, double h) {
  ModelBuilder builder("balls");
  builder.options().gravity.setZero();
  builder.options().timestep = h;
  for (size_t k = 0; k < places.size(); ++k) {
    add_free_part(builder, {.name = "ball" + std::to_string(k),
                            .shape = Sphere{0.0286},
                            .p = places[k],
                            .mass = 0.17,
                            .mu = mu,
                            .restitution = 1});
  }
  return with_first_at(builder, 8);
}

// A ball hits two that touch, off their middle, with friction: Newton's rule would add a little
// energy, and less restitution does not stop the balls.
TEST(Impacts, FrictionInARackCostsLittle) {
  for (const double mu : {0.0, 0.01, 0.05, 0.2}) {
    Simulation simulation =
        billiard_balls({{-0.06, 0.003, 0}, {0, 0.0286, 0}, {0, -0.0286, 0}}, mu, 1.0 / 240);
    const double before = simulation.energy().kinetic;
    for (int k = 0; k < 12; ++k) simulation.step();
    EXPECT_LE(simulation.energy().kinetic, before * (1 + 1e-5)) << mu;
    EXPECT_GT(simulation.energy().kinetic, 0.9 * before) << mu;
  }
}

// What is left of the energy after a ball of 8 m/s has broken a triangle of ten, 0.1 mm apart.
double left_after_break(double mu, double h) {
  std::vector<Eigen::Vector3d> places;
  for (int k = 0; k < 11; ++k) {
    const int row = k == 0 ? -2 : k < 2 ? 0 : k < 4 ? 1 : k < 7 ? 2 : 3;
    const double side = k - row * (row + 1) / 2 - 1 - 0.5 * row;
    places.emplace_back(0.0573 * std::sqrt(0.75) * row, k == 0 ? 0.013 : 0.0573 * side, 0);
  }
  Simulation simulation = billiard_balls(places, mu, h);
  const double before = simulation.energy().kinetic;
  while (simulation.state().time < 0.05) simulation.step();
  return simulation.energy().kinetic / before;
}

// Steps of 10 us see the impacts one by one; the default one sees them all at once.
TEST(Impacts, ABreakCostsAsMuchAsItsImpacts) {
  for (const double mu : {0.1, 0.5}) {
    EXPECT_NEAR(left_after_break(mu, 1.0 / 240), left_after_break(mu, 1e-5), 0.03) << mu;
  }
}

}  // namespace
}  // namespace stiction
