// Impacts without friction by closed forms: reflections, rods and boxes on their ends, bounces that
// die out.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <sstream>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

std::string numbers(std::initializer_list<double> list) {
  std::ostringstream text;
  text.precision(17);
  for (const double x : list) text << x << ' ';
  return text.str();
}

std::string world(const std::string& option, double restitution, const std::string& bodies) {
  return "<compiler angle='radian'/><option " + option +
         "/><custom><numeric name='stiction:restitution' data='" + std::to_string(restitution) +
         "'/></custom><default><geom friction='0'/></default><worldbody>" + bodies + "</worldbody>";
}

const std::string kBall = "<body name='ball'><freejoint/><geom size='.05' mass='1'/></body>";
const std::string kFloor = "<geom type='plane' size='9 9 1'/>";

// Slopes all around, planes and faces of boxes, hit by a ball at 45 degrees to them.
TEST(Reflection, OnSlopesInTwelveDirections) {
  for (const double e : {0.4, 1.0}) {
    for (int k = 0; k < 12; ++k) {
      const double angle = k * std::numbers::pi / 6;
      const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, Vector3d::UnitZ()) *
                                 Eigen::AngleAxisd(0.3 + 0.1 * k, Vector3d::UnitY()));
      const Vector3d n = q * Vector3d::UnitZ();
      const std::string quat = " quat='" + numbers({q.w(), q.x(), q.y(), q.z()}) + "'/>";
      for (const std::string& slope :
           {"<geom type='plane' size='9 9 1'" + quat,
            "<geom type='box' size='1 1 1' pos='" + numbers({-n[0], -n[1], -n[2]}) + "'" + quat}) {
        Simulation simulation(model_of(world("gravity='0 0 0'", e, slope + kBall)));
        State state = simulation.state();
        const Vector3d v = 10 * (q * Vector3d(1, 0, -1));
        state.qpos.head<3>() = 0.08 * n;
        state.qvel.head<3>() = v;
        simulation.set_state(state);
        for (int step = 0; step < 5; ++step) simulation.step();
        const Vector3d after = v - (1 + e) * n.dot(v) * n;
        EXPECT_LT((simulation.state().qvel.head<3>() - after).norm(), 1e-5) << e << ' ' << slope;
        EXPECT_LT(simulation.state().qvel.tail<3>().norm(), 1e-9) << e << ' ' << slope;
      }
    }
  }
}

// A pole, an edge and a ball that stand still, hit off the middle at 4 cm a step, early or late in
// it: the normal is that of where the ball touches, which keeps its distance from a line or a
// point.
TEST(Reflection, OffPolesAndEdges) {
  const std::string obstacles[] = {
      "<geom type='capsule' size='.02 1' euler='1.5707963267948966 0 0'/>",
      "<geom type='box' size='1 1 1' pos='-1 0 -1'/>", "<geom type='sphere' size='.02'/>"};
  for (const std::string& obstacle : obstacles) {
    const double radius = obstacle.find("box") == std::string::npos ? 0.07 : 0.05;
    for (const double off : {0.2, 0.5, 0.8}) {
      for (const double start : {0.1, 0.11, 0.12, 0.13}) {
        Simulation simulation(
            model_of(world("gravity='0 0 0' timestep='.004'", 1, obstacle + kBall)));
        // From above the edge's outside, along -(1, 0, 1) / sqrt 2.
        const Vector3d way = -Vector3d(1, 0, 1).normalized();
        const Vector3d aside = Vector3d(1, 0, -1).normalized();
        State state = simulation.state();
        state.qpos.head<3>() = off * radius * aside - start * way;
        state.qvel.head<3>() = 10 * way;
        simulation.set_state(state);
        for (int k = 0; k < 5; ++k) simulation.step();
        const Vector3d n = off * aside - std::sqrt(1 - off * off) * way;
        // On the flank of the edge it is the edge as long as n is within the two faces' normals.
        if (radius == 0.05 && n.minCoeff() < 0) continue;
        const Vector3d after = 10 * (way - 2 * n.dot(way) * n);
        EXPECT_LT((simulation.state().qvel.head<3>() - after).norm(), 0.02)
            << obstacle << ' ' << off << ' ' << start;
      }
    }
  }
}

// Into a wedge and out again: of a ball, its centre runs between walls that are moved in by its
// radius, and mirrored walls make its way a line.
TEST(Reflection, InAWedge) {
  for (const double wedge : {1.0, 0.7, 0.41}) {
    const double s = std::sin(wedge), c = std::cos(wedge);
    Simulation simulation(model_of(world(
        "gravity='0 0 0' timestep='.001'", 1,
        kFloor + "<geom type='plane' size='9 9 1' zaxis='" + numbers({s, 0, -c}) + "'/>" + kBall)));
    const double tip = 0.05 / std::tan(wedge / 2);  // of the centre's wedge, x
    State state = simulation.state();
    state.qpos.head<3>() << tip + 2 * std::cos(0.3 * wedge), 0, 0.05 + 2 * std::sin(0.3 * wedge);
    const double heading = 0.3 * wedge + std::numbers::pi - 0.2;
    state.qvel.head<3>() << 3 * std::cos(heading), 0, 3 * std::sin(heading);
    simulation.set_state(state);
    for (int k = 0; k < 2000; ++k) simulation.step();
    // The straight way leaves the fan of mirrored wedges in the direction of its heading.
    double out = std::fmod(heading, 2 * wedge);  // two mirrors turn by twice the wedge
    if (out > wedge) out = 2 * wedge - out;
    const Vector3d v = simulation.state().qvel.head<3>();
    EXPECT_NEAR(v.norm(), 3, 1e-6) << wedge;
    EXPECT_NEAR(std::atan2(v[2], v[0]), out, 1e-6) << wedge;
  }
}

// To and fro between a wall and a heavy one that comes at 1 m/s: faster by 2 m/s each time.
TEST(Reflection, BetweenConvergingWalls) {
  Simulation simulation(
      model_of(world("gravity='0 0 0'", 1,
                     "<geom type='plane' size='9 9 1' pos='-2 0 0' zaxis='1 0 0'/>"
                     "<body name='wall' pos='2 0 0'><joint type='slide' axis='1 0 0'/>"
                     "<geom type='box' size='.1 1 1' mass='1e9'/></body>" +
                         kBall)));
  State state = simulation.state();
  state.qvel[0] = -1;
  state.qvel[1] = 5;
  simulation.set_state(state);
  double speed = 5;
  for (int k = 0; k < 1000; ++k) {
    const double before = simulation.state().qvel[1];
    simulation.step();
    const double after = simulation.state().qvel[1];
    if (before > 0 && after < 0) speed += 2;
    EXPECT_NEAR(std::abs(after), speed, 1e-5 * speed) << k;
  }
  EXPECT_GE(speed, 11);
}

// A rod at an angle, without spin: its end sees the mass m / (1 + m x^2 / I), with x from the
// centre to the end along the floor. Lying flat it hits with both ends and does not turn.
TEST(Reflection, OfARodOnItsEnd) {
  const double m = 0.7, I = 0.7 / 12;
  for (const double e : {0.3, 1.0}) {
    for (const double angle : {0.0, 0.2, 0.7, 1.3, std::numbers::pi / 2}) {
      Simulation simulation(model_of(
          world("gravity='0 0 0' timestep='.001'", e,
                kFloor + "<body><freejoint/><inertial pos='0 0 0' mass='.7' diaginertia='" +
                    numbers({I, I, 1e-4}) + "'/><geom type='capsule' size='.01 .5'/></body>")));
      for (const double gap : {0.0, 0.0013, 0.0037}) {
        const Eigen::Quaterniond q(
            Eigen::AngleAxisd(std::numbers::pi / 2 - angle, Vector3d::UnitY()));
        State state = simulation.state();
        state.qpos << 0, 0, 0.01 + 0.5 * std::sin(angle) + gap, q.w(), q.x(), q.y(), q.z();
        state.qvel << 0, 0, -4, 0, 0, 0;
        simulation.set_state(state);
        simulation.step();
        const double x = angle == 0 ? 0 : -0.5 * std::cos(angle);  // of the lower end
        const double impulse = (1 + e) * 4 * m / (1 + m * x * x / I);
        EXPECT_NEAR(simulation.state().qvel[2], -4 + impulse / m, 1e-6) << angle << ' ' << gap;
        EXPECT_NEAR(simulation.state().qvel[4], -x * impulse / I, 1e-5) << angle << ' ' << gap;
      }
    }
  }
}

// Tilted by a milliradian or four, at 8 m/s and 1/240 s: both ends are hit within a step, but one
// first, which throws the other down. They take turns until both are off; what is too slow for the
// step comes with the next ones, or later (less than a hundredth of the speed).
TEST(Reflection, OfARodThatIsNearlyFlat) {
  const double I = 1.0 / 12;
  Eigen::Matrix2d K;  // impulses at the ends to velocities there
  K << 1 + 0.25 / I, 1 - 0.25 / I, 1 - 0.25 / I, 1 + 0.25 / I;
  for (const double e : {0.1, 0.3, 0.7, 1.0}) {
    for (const double tilt : {0.001, 0.004}) {
      Eigen::Vector2d u(-8, -8);  // of the ends, the lower one first
      for (int k = 0; u.minCoeff() < 0; ++k) u += K.col(k % 2) * -(1 + e) * u[k % 2] / K(0, 0);
      Simulation simulation(model_of(
          world("gravity='0 0 0' timestep='0.004166666666666667'", e,
                kFloor + "<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='" +
                    numbers({I, I, 1e-4}) + "'/><geom type='capsule' size='.01 .5'/></body>")));
      const Eigen::Quaterniond q(Eigen::AngleAxisd(std::numbers::pi / 2 - tilt, Vector3d::UnitY()));
      State state = simulation.state();
      state.qpos << 0, 0, 0.01 + 0.5 * std::sin(tilt) + 1e-3, q.w(), q.x(), q.y(), q.z();
      state.qvel << 0, 0, -8, 0, 0, 0;
      simulation.set_state(state);
      for (int step = 0; step < 5; ++step) simulation.step();
      EXPECT_NEAR(simulation.state().qvel[2], u.mean(), 0.04) << e << ' ' << tilt;
      EXPECT_NEAR(simulation.state().qvel[4], u[0] - u[1], 0.2) << e << ' ' << tilt;
    }
  }
}

// A box on one of its edges; I = m (a^2 + c^2) / 3 for the half sizes across it.
TEST(Reflection, OfABoxOnItsEdge) {
  const double a = 0.1, c = 0.06, I = (a * a + c * c) / 3;
  for (const double e : {0.3, 1.0}) {
    for (const double angle : {0.2, 0.5, 0.9}) {
      Simulation simulation(
          model_of(world("gravity='0 0 0' timestep='.001'", e,
                         kFloor + "<body><freejoint/><geom type='box' size='.1 .2 .06' "
                                  "mass='1'/></body>")));
      for (const double gap : {0.0, 0.0013, 0.0037}) {
        // Turned down at +x.
        const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, Vector3d::UnitY()));
        const Vector3d edge = q * Vector3d(a, 0, -c);
        State state = simulation.state();
        state.qpos << 0, 0, gap - edge[2], q.w(), q.x(), q.y(), q.z();
        state.qvel << 0, 0, -4, 0, 0, 0;
        simulation.set_state(state);
        simulation.step();
        const double impulse = (1 + e) * 4 / (1 + edge[0] * edge[0] / I);
        EXPECT_NEAR(simulation.state().qvel[2], -4 + impulse, 1e-6) << angle << ' ' << gap;
        EXPECT_NEAR(simulation.state().qvel[4], -edge[0] * impulse / I, 1e-5)
            << angle << ' ' << gap;
      }
    }
  }
}

// Dropped flat, a box hits with all its corners at once and stays flat, bounce after bounce.
TEST(Reflection, OfABoxOnItsFace) {
  Simulation simulation(
      model_of(world("", 1,
                     kFloor + "<body pos='0 0 .4'><freejoint/><geom type='box' size='.1 .2 .06' "
                              "mass='1'/></body>")));
  double highest = 0;
  for (int k = 0; k < 2500; ++k) {
    simulation.step();
    EXPECT_LT(simulation.state().qvel.tail<3>().norm(), 1e-6) << k;
    if (k > 2000) highest = std::max(highest, simulation.state().qpos[2]);
  }
  EXPECT_NEAR(highest, 0.4, 0.006);  // a step's way
}

// Dropped from 1 m with e = 0.8: bounce n leaves with e^n v0, after t0 + 2 t0 (e + ... + e^(n-1)).
// A bounce begins at the gap of up to h v that the step found, not at the floor: it is up to
// (1 + e) h v too high, and takes that much longer. The ball lies still in the end.
TEST(Reflection, BouncesDieOut) {
  const double h = 1e-4, e = 0.8, g = 9.81;
  Simulation simulation(model_of(world("timestep='1e-4'", e, kFloor + kBall)));
  State state = simulation.state();
  state.qpos[2] = 1.05;
  simulation.set_state(state);
  const double t0 = std::sqrt(2 / g);
  double time = t0, v = g * t0;
  int bounces = 0;
  while (simulation.state().time < t0 * (1 + e) / (1 - e) + 0.1) {
    const double before = simulation.state().qvel[2];
    simulation.step();
    const double after = simulation.state().qvel[2];
    if (after < before || v < 30 * h * g) continue;
    v *= e;
    ++bounces;
    EXPECT_NEAR(after, v, 3 * h * g) << bounces;
    EXPECT_NEAR(simulation.state().time, time, h * (1 + (1 + e) / e * bounces)) << bounces;
    time += 2 * v / g;
  }
  EXPECT_GE(bounces, 20);
  EXPECT_NEAR(simulation.state().qvel[2], 0, 1e-9);
  EXPECT_NEAR(simulation.state().qpos[2], 0.05, 1e-6);
}

// With e = 1 a hundred times and still as high; E differs from what the integrator keeps by
// m g h v / 2. Between a floor and a ceiling, from which weight pulls the ball away, as well.
TEST(Reflection, BouncesForEver) {
  for (const std::string& ceiling :
       {std::string(),
        std::string("<geom type='plane' size='9 9 1' pos='0 0 .6' zaxis='0 0 -1'/>")}) {
    for (const double theta : {0.0, 0.5}) {
      SimulationOptions options;
      options.theta = theta;
      Simulation simulation(model_of(world("", 1, kFloor + ceiling + kBall)), options);
      State state = simulation.state();
      state.qpos[2] = 0.45;
      state.qvel[2] = ceiling.empty() ? 0 : 3;
      simulation.set_state(state);
      const double start = simulation.energy().kinetic + simulation.energy().potential;
      int bounces = 0;
      double before = state.qvel[2];
      double largest = 0;
      while (bounces < 100) {
        simulation.step();
        const double after = simulation.state().qvel[2];
        bounces += before < 0 && after > 0;
        before = after;
        const double energy = simulation.energy().kinetic + simulation.energy().potential;
        largest = std::max(largest, std::abs(energy - start));
      }
      const double fastest = std::sqrt(2 * (start - 9.81 * 0.05));
      EXPECT_LT(largest, 9.81 * simulation.timestep() * fastest) << ceiling << theta;
    }
  }
}

}  // namespace
}  // namespace stiction
