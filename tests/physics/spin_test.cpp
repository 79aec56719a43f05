// Thin bodies that turn by up to a radian in a step, whose points of contact are elsewhere when it
// ends: they stay out of what they hit, and gain no energy.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <random>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

struct Thin {
  const char* geom;
  std::function<double(const Vector3d&)> support;  // how far it reaches along a unit direction, m
  double radius;
};

const Thin kThin[] = {
    {R"(<geom type="ellipsoid" size="0.1 0.1 0.005" mass="0.2"/>)",
     [](const Vector3d& d) { return Vector3d(0.1, 0.1, 0.005).cwiseProduct(d).norm(); }, 0.1},
    {R"(<geom type="cylinder" size="0.1 0.004" mass="0.2"/>)",
     [](const Vector3d& d) { return 0.1 * d.head<2>().norm() + 0.004 * std::abs(d[2]); }, 0.101},
    {R"(<geom type="box" size="0.1 0.1 0.004" mass="0.2"/>)",
     [](const Vector3d& d) { return Vector3d(0.1, 0.1, 0.004).dot(d.cwiseAbs()); }, 0.142},
    {R"(<geom type="capsule" size="0.004 0.1" mass="0.2"/>)",
     [](const Vector3d& d) { return 0.004 + 0.1 * std::abs(d[2]); }, 0.104}};

const char* const kPlane = R"(<geom type="plane" size="9 9 1"/>)";
const char* const kWall = R"(<geom type="box" size="9 9 0.01" pos="0 0 -0.01"/>)";  // 2 cm thick

std::string option(double h) {
  return "<option gravity=\"0 0 0\" timestep=\"" + std::to_string(h) + "\"/>";
}

std::string body(const std::string& geom) { return "<body><freejoint/>" + geom + "</body>"; }

class Dice {
 public:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
  Vector3d direction() { return Vector3d(normal(), normal(), normal()).normalized(); }
  Eigen::Quaterniond rotation() {
    return Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized();
  }

 private:
  double normal() { return normal_(engine_); }
  std::mt19937 engine_{7};
  std::normal_distribution<double> normal_;
};

// The deepest that the body gets below z = 0 in a quarter of a second; its energy must not grow.
double depth_of_throw(const Thin& thin, double speed, double spin, Dice& dice, Simulation& sim) {
  Vector3d way = dice.direction();
  way[2] = -std::abs(way[2]) - 0.3;
  const Eigen::Quaterniond q = dice.rotation();
  sim.reset();
  State state = sim.state();
  state.qpos << 0, 0, thin.radius + 0.01 + 0.3 * dice.uniform(), q.w(), q.vec();
  state.qvel << speed * way.normalized(), spin * dice.direction();
  sim.set_state(state);
  double deepest = 0;
  double energy = sim.energy().kinetic;
  const double rounding = 1e-12 * energy;
  for (int k = 0; k * sim.timestep() < 0.25; ++k) {
    sim.step();
    EXPECT_LE(sim.energy().kinetic, energy + rounding);
    energy = sim.energy().kinetic;
    const Pose pose = sim.body_pose(1);
    const double reach = thin.support(pose.q.conjugate() * -Vector3d::UnitZ());
    deepest = std::max(deepest, reach - pose.p[2]);
  }
  return deepest;
}

// Without contacts of where the step ends half of the throws are more than a millimetre deep, and
// of ellipsoids and rods one in six ends on the other side. A hundredth of the radius is 1 mm.
TEST(Spin, ThinBodiesStayOutOfFloorsAndWalls) {
  Dice dice;
  for (const char* obstacle : {kPlane, kWall}) {
    for (const Thin& thin : kThin) {
      for (double h : {1 / 240.0, 1 / 500.0}) {
        Simulation sim(
            model_of(option(h) + "<worldbody>" + obstacle + body(thin.geom) + "</worldbody>"));
        for (double speed : {5.0, 10.0, 20.0}) {
          for (double spin : {50.0, 120.0, 250.0}) {
            for (int k = 0; k < 5; ++k) {
              EXPECT_LT(depth_of_throw(thin, speed, spin, dice, sim), 1.5e-3)
                  << obstacle << thin.geom << ' ' << h << ' ' << speed << ' ' << spin;
            }
          }
        }
      }
    }
  }
}

// Both turn, and both are pushed.
TEST(Spin, ThinBodiesHitEachOther) {
  Dice dice;
  int hits = 0;
  int deep = 0;
  for (const Thin& first : kThin) {
    for (const Thin& second : kThin) {
      Simulation sim(model_of(option(1 / 240.0) + "<worldbody>" + body(first.geom) +
                              body(second.geom) + "</worldbody>"));
      for (int k = 0; k < 20; ++k) {
        sim.reset();
        State state = sim.state();
        for (int b : {0, 1}) {
          const Eigen::Quaterniond q = dice.rotation();
          const double side = b == 0 ? -1 : 1;
          const double away = 0.16 + 0.2 * dice.uniform();
          state.qpos.segment<7>(7 * b) << 0.05 * dice.direction().head<2>(), side * away, q.w(),
              q.vec();
          state.qvel.segment<6>(6 * b) << 0, 0, -5 * side, 100 * dice.direction();
        }
        sim.set_state(state);
        const Vector6d before = momentum(sim.model(), sim.tree());
        bool touched = false;
        double deepest = 0;
        double energy = sim.energy().kinetic;
        for (int step = 0; step < 48; ++step) {
          deepest = std::max(deepest, sim.step().max_penetration);
          EXPECT_LE(sim.energy().kinetic, energy * (1 + 1e-12));
          energy = sim.energy().kinetic;
          for (const ContactForce& contact : sim.contacts()) {
            touched |= contact.force_W.squaredNorm() > 0;
          }
        }
        const Vector6d change = momentum(sim.model(), sim.tree()) - before;
        EXPECT_LT(change.head<3>().norm(), 1e-12);
        hits += touched;
        deep += deepest > 1.5e-3;
      }
    }
  }
  EXPECT_GT(hits, 100);
  EXPECT_LE(deep, hits / 20) << hits;  // else two of three
}

// A hand of 10 cm on a hinge 5 cm above the floor, which its tip reaches at cos(angle) = 46 / 100,
// in steps of up to a radian: along the tangent it would stop far above it, or below.
TEST(Spin, ATurningHandStopsAtTheFloor) {
  Simulation sim(model_of(R"(
    <compiler angle="radian"/>
    <option gravity="0 0 0" timestep="0.004166666666666667"/>
    <worldbody><geom type="plane" size="9 9 1"/>
      <body pos="0 0 0.05"><joint type="hinge" axis="0 1 0"/>
        <geom type="capsule" size="0.004" fromto="0 0 0 0 0 -0.1" mass="0.1"/></body>
    </worldbody>)"));
  const double end = std::acos(0.46);
  for (double spin : {20.0, 60.0, 120.0, 240.0}) {
    for (double start : {1.8, 2.1, 2.4, 2.7, 3.0}) {
      State state = sim.state();
      state.qpos[0] = start;
      state.qvel[0] = -spin;
      sim.set_state(state);
      for (int k = 0; k < 240; ++k) {
        sim.step();
        EXPECT_GT(0.05 - 0.1 * std::cos(sim.state().qpos[0]) - 0.004, -2e-4)
            << spin << ' ' << start;
      }
      EXPECT_NEAR(sim.state().qpos[0], end, 2e-3) << spin << ' ' << start;
    }
  }
}

}  // namespace
}  // namespace stiction
