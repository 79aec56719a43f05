// Free bodies that land: impacts at their own times within a step of 1/240 s, by closed forms.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double kTimestep = 1.0 / 240;
constexpr double kGravity = 9.81;

// Without friction on a floor at 0, of 1 kg.
Simulation above_floor(const std::string& geom, double restitution, bool weight) {
  SimulationOptions options;
  options.timestep = kTimestep;
  return Simulation(model_of(std::string("<option gravity='0 0 ") + (weight ? "-9.81" : "0") +
                             "'/><custom><numeric name='stiction:restitution' data='" +
                             std::to_string(restitution) +
                             "'/></custom><default><geom friction='0'/></default><worldbody>"
                             "<geom type='plane' size='9 9 1'/><body><freejoint/><geom mass='1' " +
                             geom + "/></body></worldbody>"),
                    options);
}

void throw_down(Simulation& simulation, double height, const Quaterniond& q, double speed) {
  State state = simulation.state();
  state.qpos << 0, 0, height, q.w(), q.x(), q.y(), q.z();
  state.qvel << 0, 0, -speed, 0, 0, 0;
  state.impulses.clear();
  simulation.set_state(state);
}

// Kinetic and potential, of the parabola that a flight is: its velocity is that of half a step ago.
double energy_of_flight(const Simulation& simulation) {
  const double more = kGravity * kTimestep / 2;
  return simulation.energy().kinetic + simulation.energy().potential -
         more * (simulation.state().qvel[2] - more / 2);
}

// A flat disc claps: the ends of its diameter take turns, each seen by K from the other's impulse.
// Which points of the rim are near when the step begins does not matter, nor when in it the disc
// lands. An end that is thrown down slowly comes later; by then arms have turned a little.
TEST(Landing, OfADiscOnItsRim) {
  const double R = 0.1, half = 0.001, I = R * R / 4 + half * half / 3;
  Eigen::Matrix2d K;
  K << 1 + R * R / I, 1 - R * R / I, 1 - R * R / I, 1 + R * R / I;
  for (const double e : {0.3, 0.5, 0.8}) {
    for (const double tilt : {0.02, 0.05}) {
      Simulation simulation = above_floor("type='cylinder' size='.1 .001'", e, false);
      Eigen::Vector2d u(-2, -2);
      for (int k = 0; u.minCoeff() < -0.1; ++k) {
        u += K.col(k % 2) * -(1 + e) * u[k % 2] / K(0, 0);
      }
      const Quaterniond q(Eigen::AngleAxisd(tilt, Vector3d(0.3, 1, 0).normalized()));
      for (const double phase : {0.1, 0.3, 0.6, 0.9}) {
        throw_down(simulation, R * std::sin(tilt) + half * std::cos(tilt) + 2 * kTimestep * phase,
                   q, 2);
        for (int k = 0; k < 6; ++k) simulation.step();
        EXPECT_NEAR(simulation.state().qvel[2], u.mean(), 0.03) << e << ' ' << tilt << ' ' << phase;
        EXPECT_NEAR(simulation.energy().kinetic,
                    (u.mean() * u.mean() + I * std::pow((u[0] - u[1]) / (2 * R), 2)) / 2, 0.02)
            << e << ' ' << tilt << ' ' << phase;
      }
    }
  }
}

// A box on a corner r, with weight: it falls until the corner is down, gets the impulse
// (1 + e) |v_n| / (1/m + (r x n)^T I^-1 (r x n)), and falls on.
TEST(Landing, OfABoxOnItsCorner) {
  const Vector3d size(0.1, 0.07, 0.04), squares = size.cwiseProduct(size) / 3;
  const Vector3d I(squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]);
  const Quaterniond q(Eigen::AngleAxisd(0.6, Vector3d(0.5, 1, 0.2).normalized()));
  const Vector3d down = q.conjugate() * -Vector3d::UnitZ();
  const Vector3d r = q * Vector3d(size.cwiseProduct(down.cwiseSign()));
  const Vector3d torque = q.conjugate() * r.cross(Vector3d::UnitZ());  // of an impulse 1
  const double inverse_mass = 1 + torque.dot(torque.cwiseQuotient(I));
  for (const double e : {0.3, 0.5, 1.0}) {
    Simulation simulation = above_floor("type='box' size='.1 .07 .04'", e, true);
    for (const double phase : {0.05, 0.4, 0.9}) {
      const double gap = 2 * kTimestep * phase;
      throw_down(simulation, gap - r[2], q, 2);
      simulation.step();
      const double start = 2 + kGravity * kTimestep / 2;  // downwards
      const double impact = std::sqrt(start * start + 2 * kGravity * gap);
      const double impulse = (1 + e) * impact / inverse_mass;
      const double v = -2 + impulse - kGravity * kTimestep;
      EXPECT_NEAR(simulation.state().qvel[2], v, 1e-6) << e << ' ' << phase;
      const Vector3d w = impulse * torque.cwiseQuotient(I);
      EXPECT_LT((simulation.state().qvel.tail<3>() - w).norm(), 1e-5) << e << ' ' << phase;
      const double left = kTimestep - (impact - start) / kGravity;
      const double z =
          gap - r[2] - start * kTimestep - kGravity * kTimestep * kTimestep / 2 + impulse * left;
      EXPECT_NEAR(simulation.state().qpos[2], z, 1e-8) << e << ' ' << phase;
    }
  }
}

// A ball rises to e^2 of the height that it fell from.
TEST(Landing, ABallRisesToItsShareOfTheHeight) {
  for (const double e : {0.5, 0.8, 1.0}) {
    Simulation simulation = above_floor("size='.05'", e, true);
    for (const double height : {0.2, 0.203, 0.207, 0.5}) {
      throw_down(simulation, 0.05 + height, Quaterniond::Identity(), -kGravity * kTimestep / 2);
      do simulation.step();
      while (simulation.state().qvel[2] <= 0);
      EXPECT_NEAR(energy_of_flight(simulation) - 0.05 * kGravity, e * e * height * kGravity, 1e-9)
          << e << ' ' << height;
    }
  }
}

// Elastic landings keep all energy, with weight, however many impacts a step has.
TEST(Landing, KeepsAllEnergyIfElastic) {
  for (const char* geom :
       {"type='cylinder' size='.1 .001'", "type='box' size='.1 .07 .04'",
        "type='capsule' size='.01 .2' euler='0 90 0'", "type='ellipsoid' size='.1 .07 .04'"}) {
    Simulation simulation = above_floor(geom, 1, true);
    for (const double tilt : {0.02, 0.1, 0.5}) {
      throw_down(simulation, 0.3, Quaterniond(Eigen::AngleAxisd(tilt, Vector3d(0.3, 0.95, 0))), 2);
      const double before = energy_of_flight(simulation);
      for (int k = 0; k < 48; ++k) simulation.step();
      EXPECT_NEAR(energy_of_flight(simulation), before, 1e-5 * before) << geom << ' ' << tilt;
    }
  }
}

}  // namespace
}  // namespace stiction
