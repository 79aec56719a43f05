// What flies keeps its momentum: the centre of mass goes straight on, or along the parabola of the
// step, wherever the body's origin is and whatever its limbs do.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kFlightStep = 1.0 / 240;

Simulation flying(const std::string& bodies, double theta, const std::string& gravity = "0 0 0") {
  SimulationOptions options;
  options.timestep = kFlightStep;
  options.theta = theta;
  return Simulation(
      model_of("<option gravity='" + gravity + "'/><worldbody>" + bodies + "</worldbody>"),
      options);
}

const char* const kCentered =
    "<body><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='.02 .03 .045'/></body>";
const char* const kOffCenter =
    "<body><freejoint/><inertial pos='.1 .05 -.2' mass='2' diaginertia='.02 .03 .045'/></body>";
// The same off its origin, of two parts of which one is welded to the other.
const char* const kWelded =
    "<body><freejoint/><geom type='box' size='.1 .2 .05' mass='1'/>"
    "<body pos='.2 .1 -.4'><geom type='box' size='.1 .05 .1' mass='1'/></body></body>";
const char* const kLimbs = R"(
  <body><freejoint/><geom type="box" size=".2 .1 .05" mass="3"/>
    <body pos=".2 0 0"><joint axis="0 1 0"/><joint axis="1 0 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass="1" contype="0" conaffinity="0"/>
      <body pos=".3 0 0"><joint axis="0 0 1"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass=".5" contype="0"
              conaffinity="0"/></body></body>
    <body pos="-.2 0 0"><joint type="ball"/>
      <geom type="box" size=".1 .05 .02" pos="-.1 0 0" mass="1" contype="0" conaffinity="0"/></body>
  </body>)";

void throw_it(Simulation& simulation, double speed) {
  State state = simulation.state();
  for (int k = 0; k < state.qvel.size(); ++k) state.qvel[k] = speed * std::sin(1.7 * k + 0.4);
  simulation.set_state(state);
}

Vector3d com_of(const Simulation& simulation) {
  return center_of_mass(simulation.model(), simulation.tree());
}

TEST(Momentum, CentersOfMassGoStraightOn) {
  for (const char* bodies : {kOffCenter, kWelded, kLimbs}) {
    for (const double theta : {0.0, 0.5}) {
      for (const double speed : {1.0, 10.0, 40.0}) {
        Simulation simulation = flying(bodies, theta);
        throw_it(simulation, speed);
        const Vector3d start = com_of(simulation);
        const Vector6d before = momentum(simulation.model(), simulation.tree());
        double mass = 0;
        for (const Body& body : simulation.model().bodies) mass += body.mass;
        const Vector3d v = before.head<3>() / mass;
        for (int k = 1; k <= 480; ++k) {
          simulation.step();
          const Vector6d now = momentum(simulation.model(), simulation.tree());
          ASSERT_LT((now - before).head<3>().norm(), 1e-12 * before.norm())
              << bodies << theta << ' ' << speed << ' ' << k;
          ASSERT_LT((com_of(simulation) - start - k * kFlightStep * v).norm(), 1e-12 * speed);
        }
      }
    }
  }
}

// Semi-implicit Euler has the parabola of the velocity at the end of each step, theta = 1/2 that of
// the mean.
TEST(Momentum, CentersOfMassFallOnTheParabola) {
  const Vector3d g(1, 2, -9.81);
  for (const char* bodies : {kOffCenter, kWelded, kLimbs}) {
    for (const double theta : {0.0, 0.5}) {
      Simulation simulation = flying(bodies, theta, "1 2 -9.81");
      throw_it(simulation, 10);
      const Vector3d start = com_of(simulation);
      double mass = 0;
      for (const Body& body : simulation.model().bodies) mass += body.mass;
      const Vector3d v = momentum(simulation.model(), simulation.tree()).head<3>() / mass;
      for (int k = 1; k <= 480; ++k) {
        simulation.step();
        const double t = k * kFlightStep;
        const double square = theta == 0 ? t * (t + kFlightStep) : t * t;
        ASSERT_LT((com_of(simulation) - start - t * v - square / 2 * g).norm(), 1e-11)
            << bodies << theta << ' ' << k;
      }
    }
  }
}

// Where its origin is means nothing to a body in flight.
TEST(Momentum, OffItsOriginABodyTurnsAsInIt) {
  for (const double theta : {0.0, 0.5}) {
    Simulation off = flying(kOffCenter, theta, "0 0 -9.81");
    Simulation centered = flying(kCentered, theta, "0 0 -9.81");
    throw_it(centered, 20);
    State state = off.state();
    state.qvel = centered.state().qvel;
    const Vector3d arm(0.1, 0.05, -0.2);
    state.qvel.head<3>() -= state.qvel.tail<3>().cross(arm);
    off.set_state(state);
    for (int k = 0; k < 960; ++k) {
      off.step();
      centered.step();
    }
    EXPECT_LT((off.state().qpos.tail<4>() - centered.state().qpos.tail<4>()).norm(), 1e-10);
    EXPECT_LT((off.state().qvel.tail<3>() - centered.state().qvel.tail<3>()).norm(), 1e-9);
    EXPECT_LT((com_of(off) - com_of(centered) - arm).norm(), 1e-10);
    EXPECT_NEAR(off.energy().kinetic, centered.energy().kinetic, 1e-9 * off.energy().kinetic);
  }
}

// What an equality moves does not fly, without an impulse too: two at rest that are welded a
// distance apart come together.
TEST(Momentum, OpenWeldsMoveFloatingBodies) {
  Simulation simulation(model_of(R"(<option gravity="0 0 0"/><worldbody>
    <body name="a"><freejoint/><geom type="box" size=".1 .1 .1" pos=".1 0 0" mass="1"/></body>
    <body name="b" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1" pos="0 .1 0" mass="1"/>
    </body></worldbody><equality><weld body1="a" body2="b"/></equality>)"));
  State state = simulation.state();
  state.qpos[9] += 0.1;
  simulation.set_state(state);
  EXPECT_GT(simulation.step().equality_error, 0.01);
  for (int k = 0; k < 480; ++k) simulation.step();
  EXPECT_LT(simulation.report().equality_error, 1e-9);
}

// A rod of 20 cm with its origin at one end, thrown at a floor that it sticks to: an impact without
// restitution takes energy, at up to a radian per step.
TEST(Momentum, ImpactsAddNoEnergyOffTheOrigin) {
  for (const double spin : {20.0, 50.0, 120.0, 250.0}) {
    Simulation simulation(model_of(R"(<option gravity="0 0 0"/><worldbody>
      <geom type="plane" size="9 9 1"/><body><freejoint/>
        <geom type="capsule" size=".004" fromto="0 0 0 0 0 .2" mass=".2"/></body></worldbody>)"));
    int touched = 0;
    for (int k = 0; k < 20; ++k) {
      simulation.reset();
      State state = simulation.state();
      const Vector3d turned = Vector3d(std::sin(3.0 * k), std::sin(5.0 * k), std::sin(7.0 * k));
      const Eigen::Quaterniond q(Eigen::AngleAxisd(3 * turned[0], turned.normalized()));
      const Vector3d axis(std::cos(2.0 * k), std::cos(11.0 * k), std::cos(13.0 * k));
      state.qpos << 0, 0, 0.4, q.w(), q.vec();
      state.qvel << 0, 0, -10, spin * axis.normalized();
      simulation.set_state(state);
      double energy = simulation.energy().kinetic;
      bool touches = false;
      for (int step = 0; step < 60; ++step) {
        simulation.step();
        ASSERT_LE(simulation.energy().kinetic, energy * (1 + 1e-10)) << spin << ' ' << k;
        energy = simulation.energy().kinetic;
        for (const ContactForce& contact : simulation.contacts()) {
          touches |= contact.force_W.squaredNorm() > 0;
        }
      }
      touched += touches;
    }
    EXPECT_GT(touched, 10) << spin;  // others turn away from it
  }
}

// A ball that is heavier below rolls to and fro: its centre stays at its height, with restitution
// too, as its arm turns by less than weight does in a step. What it loses is of first order.
TEST(Momentum, AnEccentricBallRollsOnTheFloor) {
  for (const char* restitution : {"0", "0.8"}) {
    Simulation simulation(model_of(std::string(R"(
      <custom><numeric name="stiction:restitution" data=")") +
                                   restitution + R"("/></custom><worldbody>
      <geom type="plane" size="9 9 1"/><body pos="0 0 .1"><freejoint/><geom size=".1"/>
        <inertial pos="0 0 -.03" mass="1" diaginertia=".003 .003 .003"/></body></worldbody>)"));
    State state = simulation.state();
    state.qvel << 1, 0, 0, 0, 10, 0;
    simulation.set_state(state);
    const auto energy = [&] { return simulation.energy().kinetic + simulation.energy().potential; };
    const double lowest = 9.81 * 0.07;
    const double start = energy() - lowest;
    for (int k = 0; k < 1200; ++k) {
      simulation.step();
      ASSERT_NEAR(simulation.state().qpos[2], 0.1, 1e-5) << restitution << ' ' << k;
      ASSERT_LT(energy() - lowest, 1.03 * start) << restitution << ' ' << k;
    }
    EXPECT_GT(energy() - lowest, 0.97 * start) << restitution;
  }
}

}  // namespace
}  // namespace stiction
