// Servos on balls, free joints, sites and cranks, and several on one joint or tendon, against the
// implicit step in one coordinate: m u+ = m u + h clamp(kp (target - q - h u+) + kv (rate - u+)).
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

constexpr double kServoStep = 1.0 / 240;

Simulation servo_simulation(const std::string& bodies, const std::string& actuators) {
  SimulationOptions options;
  options.timestep = kServoStep;
  return Simulation(model_of("<option gravity='0 0 0'/><worldbody>" + bodies +
                             "</worldbody><actuator>" + actuators + "</actuator>"),
                    options);
}

struct OneCoordinate {
  double mass = 1;
  double limit = kInfinity;
  double q = 0, u = 0, force = 0;

  void step(double kp, double target, double kv, double rate) {
    const double slope = kServoStep * kp + kv;
    const double f0 = kp * (target - q) + kv * rate;
    const double free = (mass * u + kServoStep * f0) / (mass + kServoStep * slope);
    force = std::clamp(f0 - slope * free, -limit, limit);  // clamping is monotone in u+
    u += kServoStep * force / mass;
    q += kServoStep * u;
  }
};

constexpr const char* kBallCube =
    "<body><joint name='j' type='ball'/><geom type='box' size='.1 .1 .1' mass='1'/></body>";
constexpr double kBallCubeInertia = 0.04 / 6;  // m a^2 / 6

TEST(BallServo, VelocityReachesItsRate) {
  for (const auto& [gear, size] : {std::pair("1 0 0", 1.0), std::pair("1 2 2", 3.0)}) {
    for (const char* joint : {"joint", "jointinparent"}) {
      Simulation simulation =
          servo_simulation(kBallCube, std::string("<velocity ") + joint + "='j' gear='" + gear +
                                          " 0 0 0' kv='10'/>");
      simulation.ctrl()[0] = 1;
      OneCoordinate angle{.mass = kBallCubeInertia / (size * size)};
      for (int k = 0; k < 480; ++k) {
        ASSERT_TRUE(simulation.step().within_tolerance) << gear << k;
        angle.step(0, 0, 10, 1);
        ASSERT_NEAR(size * simulation.state().qvel.norm(), angle.u, 1e-8) << gear << k;
        ASSERT_NEAR(simulation.report().energy_error, 0, 1e-9) << gear << k;
      }
      EXPECT_NEAR(size * simulation.state().qvel.norm(), 1, 1e-8) << gear;
    }
  }
}

TEST(BallServo, PositionIsStableAtAMillion) {
  for (const char* gear : {"1 0 0", ".6 0 .8"}) {
    Simulation simulation = servo_simulation(kBallCube, std::string("<position joint='j' gear='") +
                                                            gear + " 0 0 0' kp='1e6' kv='1e4'/>");
    simulation.ctrl()[0] = 0.7;
    OneCoordinate angle{.mass = kBallCubeInertia};
    for (int k = 0; k < 480; ++k) {
      ASSERT_TRUE(simulation.step().within_tolerance) << gear << k;
      angle.step(1e6, 0.7, 1e4, 0);
      const double turned = 2 * std::acos(std::min(simulation.state().qpos[0], 1.0));
      ASSERT_NEAR(turned, angle.q, 1e-6) << gear << k;
    }
    EXPECT_NEAR(simulation.state().qvel.norm(), 0, 1e-8) << gear;
  }
}

// Three servos hold all axes, far from where they begin.
TEST(BallServo, ThreeAxesMeetTheirTarget) {
  std::string servos;
  for (const char* gear : {"1 0 0", "0 1 0", "0 0 1"}) {
    servos += std::string("<position joint='j' gear='") + gear + " 0 0 0' kp='1e6' kv='1e3'/>";
  }
  Simulation simulation = servo_simulation(kBallCube, servos);
  const Eigen::Vector3d target(0.3, -0.8, 0.6);
  simulation.ctrl() = target;
  for (int k = 0; k < 480; ++k) ASSERT_TRUE(simulation.step().within_tolerance) << k;
  const Eigen::Vector4d& q = simulation.state().qpos;
  const Eigen::Vector3d turned = 2 * std::acos(q[0]) * q.tail<3>().normalized();
  EXPECT_NEAR((turned - target).norm(), 0, 1e-6);
}

// The same without damping, at any angle below half a turn, for a ball that was knocked off by
// 0.05 rad; by a joint's servos and by a site's.
TEST(BallServo, ThreeAxesHoldWithoutDampingUpToHalfATurn) {
  for (const char* target : {"joint='j' gear='", "site='s' refsite='w' gear='0 0 0 "}) {
    std::string servos;
    for (const char* gear : {"1 0 0", "0 1 0", "0 0 1"}) {
      servos += std::string("<position ") + target + gear + (target[0] == 'j' ? " 0 0 0" : "") +
                "' kp='1e6'/>";
    }
    for (const double angle : {0.5, 1.5, 1.95, 2.4, 2.8}) {
      for (const Eigen::Vector3d& axis :
           {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(1, 0, -1), Eigen::Vector3d(1, -2, 3)}) {
        Simulation simulation = servo_simulation(
            "<site name='w'/><body><joint name='j' type='ball'/><site name='s'/>"
            "<geom type='box' size='.1 .1 .1' mass='1'/></body>",
            servos);
        const Eigen::Quaterniond goal(Eigen::AngleAxisd(angle, axis.normalized()));
        const Eigen::Quaterniond start = goal * Eigen::AngleAxisd(0.05, axis.unitOrthogonal());
        State state = simulation.state();
        state.qpos << start.w(), start.vec();
        simulation.set_state(state);
        simulation.ctrl() = angle * axis.normalized();
        for (int k = 0; k < 1440; ++k) simulation.step();
        const Eigen::Vector4d& q = simulation.state().qpos;
        EXPECT_LT(goal.angularDistance(Eigen::Quaterniond(q[0], q[1], q[2], q[3])), 1e-6)
            << target << angle << " about " << axis.transpose();
      }
    }
  }
}

// MuJoCo gives a free joint no length: a position servo's force is the same everywhere.
TEST(FreeServo, HasARateButNoLength) {
  const char* const ball = "<body><freejoint name='j'/><geom size='.1' mass='2'/></body>";
  Simulation push =
      servo_simulation(ball, "<position joint='j' gear='0 3 4 0 0 0' kp='7' ctrlrange='-9 9'/>");
  push.ctrl()[0] = 2;
  for (int k = 0; k < 240; ++k) push.step();
  EXPECT_NEAR(push.state().qvel[1], 240 * kServoStep * 7 * 2 * 3 / 2, 1e-9);
  Simulation damped = servo_simulation(ball, "<velocity joint='j' gear='0 3 4 0 0 0' kv='1e5'/>");
  damped.ctrl()[0] = 10;
  for (int k = 0; k < 240; ++k) damped.step();
  EXPECT_NEAR(damped.state().qvel[1], 10 * 3 / 25.0, 1e-8);
  EXPECT_NEAR(damped.state().qvel[2], 10 * 4 / 25.0, 1e-8);
}

TEST(SiteServo, IsStableAtAMillionAgainstAReference) {
  Simulation simulation = servo_simulation(
      "<site name='w'/><body><freejoint/><geom size='.1' mass='1'/><site name='s'/></body>",
      "<position site='s' refsite='w' gear='1 0 0 0 0 0' kp='1e6'/>");
  simulation.ctrl()[0] = 0.1;
  OneCoordinate x;
  for (int k = 0; k < 240; ++k) {
    ASSERT_TRUE(simulation.step().within_tolerance) << k;
    x.step(1e6, 0.1, 0, 0);
    ASSERT_NEAR(simulation.state().qpos[0], x.q, 1e-9) << k;
  }
  EXPECT_NEAR(simulation.state().qpos[0], 0.1, 1e-9);
}

// Between two balls of 1 and 3 kg, along an oblique line through both: their reduced mass feels the
// servo, their common centre nothing; the limit holds at every step.
TEST(SiteServo, ActsBetweenTwoBodiesWithinItsLimit) {
  Simulation simulation = servo_simulation(
      "<body><freejoint/><geom size='.1' mass='1'/><site name='a'/></body>"
      "<body pos='3 4 0'><freejoint/><geom size='.1' mass='3'/><site name='b'/></body>",
      "<position site='b' refsite='a' gear='.6 .8 0 0 0 0' kp='1e5' kv='3e4' forcerange='-2 2'/>");
  simulation.ctrl()[0] = 5.05;
  OneCoordinate between{.mass = 0.75, .limit = 2, .q = 5};
  int saturated = 0;
  for (int k = 0; k < 1440; ++k) {
    ASSERT_TRUE(simulation.step().within_tolerance) << k;
    between.step(1e5, 5.05, 3e4, 0);
    const Eigen::VectorXd& q = simulation.state().qpos;
    ASSERT_NEAR((q.segment<3>(7) - q.head<3>()).norm(), between.q, 1e-7) << k;
    ASSERT_NEAR((q.head<3>() + 3 * q.segment<3>(7) - Eigen::Vector3d(9, 12, 0)).norm(), 0, 1e-7);
    ASSERT_NEAR(simulation.tree().actuator_force[0], between.force, 1e-4) << k;
    saturated += std::abs(between.force) == 2;
  }
  EXPECT_GT(saturated, 10);
  EXPECT_NEAR(between.q, 5.05, 1e-6);
}

// A crank of 0.1 m and a rod of 0.4 m: the slider's servo turns the crank to where it should be.
TEST(CrankServo, IsStableAtAMillion) {
  Simulation simulation = servo_simulation(
      "<site name='slider' euler='0 90 0'/>"
      "<body><joint name='j' axis='0 0 1'/><geom size='.1' mass='1'/>"
      "<body pos='0 .1 0'><joint axis='0 0 1' damping='1'/><geom size='.02' mass='.1'/>"
      "<site name='pin'/></body></body>",
      "<position cranksite='pin' slidersite='slider' cranklength='.4' kp='1e6' kv='1e3'/>");
  const double angle = 0.3;  // along x, from slider to pin: -sin; across: cos
  const double x = -0.1 * std::sin(angle), y = 0.1 * std::cos(angle);
  simulation.ctrl()[0] = x - std::sqrt(0.16 - y * y);
  for (int k = 0; k < 480; ++k) ASSERT_TRUE(simulation.step().within_tolerance) << k;
  EXPECT_NEAR(simulation.state().qpos[0], angle, 1e-6);
}

constexpr const char* kLimitedSlide =
    "<body><joint name='j' type='slide' axis='1 0 0' actuatorfrcrange='-100 100'/>"
    "<geom size='.1' mass='1'/></body>";

TEST(JointOfSeveralServos, LimitsTheirSum) {
  Simulation simulation = servo_simulation(
      kLimitedSlide, "<position joint='j' kp='1e6'/><velocity joint='j' kv='2.5e2' gear='-2'/>");
  simulation.ctrl()[0] = 0.5;
  OneCoordinate x{.limit = 100};
  for (int k = 0; k < 960; ++k) {
    ASSERT_TRUE(simulation.step().within_tolerance) << k;
    x.step(1e6, 0.5, 1e3, 0);
    ASSERT_NEAR(simulation.state().qpos[0], x.q, 1e-7) << k;
    ASSERT_NEAR(simulation.tree().actuation[0], x.force, 1e-5) << k;
    const Eigen::VectorXd& force = simulation.tree().actuator_force;
    ASSERT_NEAR(force[0] - 2 * force[1], x.force, 1e-5) << k;
    ASSERT_NEAR(simulation.report().energy_error, 0, 1e-9) << k;
  }
  EXPECT_NEAR(simulation.state().qpos[0], 0.5, 1e-6);
}

// What motors add counts towards the limit too.
TEST(JointOfSeveralServos, LimitsAMotorWithThem) {
  Simulation simulation =
      servo_simulation(kLimitedSlide, "<motor joint='j'/><velocity joint='j' kv='1e5'/>");
  simulation.ctrl()[0] = 1e7;
  simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], 100 * kServoStep, 1e-9);
  for (int k = 0; k < 480; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], 100, 1e-6);
  EXPECT_NEAR(simulation.tree().actuation[0], 0, 1e-3);
}

// Own limits besides the joint's: the force falls in pieces with the rate that the step ends with,
// which bisection finds.
TEST(JointOfSeveralServos, HaveLimitsOfTheirOwn) {
  struct Gains {
    double kp, target, kv, gear, limit;
  };
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int run = 0; run < 30; ++run) {
    std::vector<Gains> gains;
    std::string actuators;
    for (int k = 0; k < 4; ++k) {
      const double kp = k == 0 ? 1e6 : k == 1 ? 0 : std::pow(10, 1 + 4 * unit(random));
      const Gains g{kp, unit(random) - 0.5, std::pow(10, 3 * unit(random)),
                    (k == 2 ? -1 : 1) * (0.5 + unit(random)),
                    k == 3 ? kInfinity : 60 * unit(random)};
      actuators += "<general joint='j' biastype='affine' gainprm='" + std::to_string(g.kp) +
                   "' biasprm='0 " + std::to_string(-g.kp) + " " + std::to_string(-g.kv) +
                   "' gear='" + std::to_string(g.gear) + "'";
      if (std::isfinite(g.limit)) {
        const std::string limit = std::to_string(g.limit);
        actuators += " forcelimited='true' forcerange='-" + limit + " " + limit + "'";
      }
      actuators += "/>";
      gains.push_back(g);
    }
    Simulation simulation = servo_simulation(kLimitedSlide, actuators);
    for (int k = 0; k < 4; ++k) simulation.ctrl()[k] = gains[k].target;
    // As the file has it, to six digits.
    for (int k = 0; k < 4; ++k) {
      const Actuator& actuator = simulation.model().actuators[k];
      gains[k] = {actuator.gain[0], gains[k].target, -actuator.bias[2], actuator.gear[0],
                  actuator.force_range.upper};
    }
    State state = simulation.state();
    state.qvel[0] = 4 * unit(random) - 2;
    simulation.set_state(state);
    for (int n = 0; n < 240; ++n) {
      const double q = simulation.state().qpos[0], v = simulation.state().qvel[0];
      const auto force = [&](double u) {
        double sum = 0;
        for (const Gains& g : gains) {
          const double own = g.kp * (g.target - g.gear * (q + kServoStep * u)) - g.kv * g.gear * u;
          sum += g.gear * std::clamp(own, -g.limit, g.limit);
        }
        return std::clamp(sum, -100.0, 100.0);
      };
      double low = v - 101 * kServoStep, high = v + 101 * kServoStep;
      while (high - low > 1e-14 * (1 + std::abs(low))) {
        const double u = (low + high) / 2;
        (u < v + kServoStep * force(u) ? low : high) = u;
      }
      ASSERT_TRUE(simulation.step().within_tolerance) << run << ", step " << n;
      ASSERT_NEAR(simulation.state().qvel[0], low, 1e-9) << run << ", step " << n;
      double sum = 0;
      for (int k = 0; k < 4; ++k) {
        const double own = simulation.tree().actuator_force[k];
        ASSERT_LE(std::abs(own), gains[k].limit * (1 + 1e-9));
        sum += gains[k].gear * own;
      }
      ASSERT_NEAR(sum, (low - v) / kServoStep, 1e-6) << run << ", step " << n;
    }
  }
}

TEST(JointOfSeveralServos, GravityCompensationIsOneOfThem) {
  for (const char* second : {"", "<velocity joint='j' kv='1e3'/>"}) {
    Simulation simulation(
        model_of(std::string("<option timestep='0.004'/><worldbody><body gravcomp='1'>"
                             "<joint name='j' type='slide' axis='0 0 1' actuatorfrcrange='-20 20' "
                             "actuatorgravcomp='true'/><geom size='.1' mass='1'/></body>"
                             "</worldbody><actuator><position joint='j' kp='1e6' kv='1e3'/>") +
                 second + "</actuator>"));
    simulation.ctrl()[0] = 0.1;
    simulation.step();
    EXPECT_NEAR(simulation.state().qvel[0], 0.004 * (20 - 9.81), 1e-9);
    for (int k = 0; k < 500; ++k) simulation.step();
    EXPECT_NEAR(simulation.state().qpos[0], 0.1, 1e-6);
    EXPECT_NEAR(simulation.tree().actuation[0], 9.81, 1e-6);
  }
}

TEST(TendonOfSeveralServos, LimitsTheirSum) {
  SimulationOptions options;
  options.timestep = kServoStep;
  Simulation simulation(
      model_of("<option gravity='0 0 0'/><worldbody>"
               "<body><joint name='a' type='slide'/><geom size='.1' mass='1'/></body>"
               "<body pos='1 0 0'><joint name='b' type='slide'/><geom size='.1' mass='1'/></body>"
               "</worldbody><tendon><fixed name='t' actuatorfrcrange='-100 100'>"
               "<joint joint='a' coef='1'/><joint joint='b' coef='-1'/></fixed></tendon>"
               "<actuator><position tendon='t' kp='1e6'/><velocity tendon='t' kv='1e3'/>"
               "</actuator>"),
      options);
  simulation.ctrl()[0] = 0.5;
  OneCoordinate length{.mass = 0.5, .limit = 100};
  for (int k = 0; k < 960; ++k) {
    ASSERT_TRUE(simulation.step().within_tolerance) << k;
    length.step(1e6, 0.5, 1e3, 0);
    ASSERT_NEAR(simulation.state().qpos[0] - simulation.state().qpos[1], length.q, 1e-6) << k;
    ASSERT_NEAR(simulation.tree().actuator_force.sum(), length.force, 1e-3) << k;
  }
  EXPECT_NEAR(length.q, 0.5, 1e-6);
}

// Explicit, as `stiction check` says, but within the joint's limit.
TEST(MixedServo, KeepsToTheLimitOfTheJointItPulls) {
  SimulationOptions options;
  options.timestep = kServoStep;
  Simulation simulation(
      model_of("<option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' "
               "actuatorfrcrange='-5 5'/><geom size='.1' mass='1'/></body></worldbody>"
               "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>"
               "<actuator><position tendon='t' kp='1e6'/></actuator>"),
      options);
  simulation.ctrl()[0] = 1;
  simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], 5 * kServoStep, 1e-12);
  EXPECT_NEAR(simulation.tree().actuation[0], 5, 1e-12);
}

// The activation after the step of h, not of the file's time step, is what acts: v = h * 1000 * h.
TEST(EarlyActivation, IsThatOfTheStepTaken) {
  SimulationOptions options;
  options.timestep = 0.001;
  Simulation simulation(
      model_of("<option timestep='.01' gravity='0 0 0'/><worldbody><body>"
               "<joint name='j' type='slide'/><geom size='.1' mass='1'/></body></worldbody>"
               "<actuator><general joint='j' dyntype='integrator' actearly='true' gainprm='1000'/>"
               "</actuator>"),
      options);
  simulation.ctrl()[0] = 1;
  simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], 0.001, 1e-12);
}

}  // namespace
}  // namespace stiction
