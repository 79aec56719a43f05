// Joint limits, dry friction and couplings against closed forms. One hinge: a rod of moment of
// inertia I about a vertical axis, so that gravity does no work.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/simulation.h>

#include <cmath>

#include "scenes/scene.h"

namespace stiction {
namespace {

constexpr double kInertia = 0.5;  // kg m^2 about the axis

int add_rotor(ModelBuilder& builder, const std::string& name, const Joint& like) {
  Body body;
  body.name = name;
  body.mass = 1;
  body.inertia = kInertia * Eigen::Matrix3d::Identity();
  const int index = builder.add_body(body);
  Joint joint = like;
  joint.name = name;
  joint.body = index;
  const int number = builder.add_joint(joint);
  Actuator motor;
  motor.name = name;
  motor.target = number;
  builder.add_actuator(motor);
  return index;
}

Simulation rotor(const Joint& joint) {
  ModelBuilder builder("rotor");
  add_rotor(builder, "rotor", joint);
  return Simulation(builder.build());
}

TEST(JointLimit, StopsWithoutOvershootAndDoesNotCreepUnderTorque) {
  Joint joint;
  joint.range = {-1, 0.5};
  Simulation simulation = rotor(joint);
  simulation.ctrl()[0] = 3;
  double largest = 0;
  for (int k = 0; k < 480; ++k) {
    simulation.step();
    largest = std::max(largest, simulation.state().qpos[0]);
  }
  EXPECT_LE(largest, 0.5 + 1e-9);
  EXPECT_NEAR(simulation.state().qpos[0], 0.5, 1e-9);
  EXPECT_NEAR(simulation.state().qvel[0], 0, 1e-9);
}

// Where MuJoCo 4.0.0 comes to rest as its limits get stiff: solreflimit 0.004 1 leaves it 2e-6
// away.
TEST(JointLimit, RestsItsMarginBeforeTheLimit) {
  struct Case {
    double margin;
    double torque;
    double rest;
  };
  const Case cases[] = {{0.1, 3, 0.4},    {0.1, -3, -0.9}, {-0.1, 3, 0.6},
                        {0.75, 3, -0.25}, {0.9, 3, -0.25}, {0.9, -3, -0.25}};
  for (const Case& c : cases) {
    Joint joint;
    joint.range = {-1, 0.5};
    joint.margin = c.margin;
    Simulation simulation = rotor(joint);
    simulation.ctrl()[0] = c.torque;
    // What starts beyond its margin is brought back at recovery_speed.
    for (int k = 0; k < 960; ++k) simulation.step();
    EXPECT_NEAR(simulation.state().qpos[0], c.rest, 4e-6) << c.margin << " " << c.torque;
    EXPECT_NEAR(simulation.state().qvel[0], 0, 1e-9);
  }
}

TEST(JointLimit, MarginsOfTendonsAndBallJoints) {
  ModelBuilder tendon("tendon");
  add_rotor(tendon, "rotor", {});
  tendon.add_tendon({.joints = {0}, .coefs = {2}, .range = {-1, 1}, .margin = 0.2});
  Simulation wound(tendon.build());
  wound.ctrl()[0] = 3;
  for (int k = 0; k < 480; ++k) wound.step();
  EXPECT_NEAR(2 * wound.state().qpos[0], 1 - 0.2, 1e-9);

  // A mass above the joint and a little to the side falls until the angle is at its bound.
  ModelBuilder ball("ball");
  const int body = ball.add_body({.name = "top",
                                  .mass = 1,
                                  .com = {0, 0.3, 1},
                                  .inertia = 0.01 * Eigen::Matrix3d::Identity()});
  ball.add_joint(
      {.type = JointType::kBall, .body = body, .range = {0, 0.7}, .margin = 0.1, .damping = 2});
  Simulation top(ball.build());
  for (int k = 0; k < 2400; ++k) top.step();
  const Eigen::VectorXd& q = top.state().qpos;
  EXPECT_NEAR(2 * std::atan2(q.tail<3>().norm(), q[0]), 0.7 - 0.1, 1e-5);
}

TEST(JointFriction, HoldsBelowTheBoundExactly) {
  Joint joint;
  joint.frictionloss = 0.2;
  Simulation simulation = rotor(joint);
  simulation.ctrl()[0] = 0.1999;
  for (int k = 0; k < 480; ++k) simulation.step();
  EXPECT_LT(std::abs(simulation.state().qpos[0]), 1e-12);
}

TEST(JointFriction, DeceleratesAndStopsAsTheClosedFormSays) {
  Joint joint;
  joint.frictionloss = 0.2;
  Simulation simulation = rotor(joint);
  State state = simulation.state();
  state.qvel[0] = 0.35;
  simulation.set_state(state);
  const double h = simulation.timestep();
  double v = 0.35;
  double q = 0;
  for (int k = 0; k < 480; ++k) {
    simulation.step();
    v = std::max(v - h * 0.2 / kInertia, 0.0);
    q += h * v;
  }
  EXPECT_NEAR(simulation.state().qpos[0], q, 1e-7);
  EXPECT_NEAR(simulation.state().qvel[0], 0, 1e-8);
}

TEST(Mimic, FollowsWithTheRatioAndSharesTheTorque) {
  ModelBuilder builder("mimic");
  add_rotor(builder, "first", {});
  add_rotor(builder, "second", {});
  Equality mimic;
  mimic.type = EqualityType::kJoint;
  mimic.object1 = 1;
  mimic.object2 = 0;
  mimic.polycoef = {0, 2, 0, 0, 0};  // second = 2 first
  builder.add_equality(mimic);
  Simulation simulation(builder.build());
  simulation.ctrl()[0] = 1;
  for (int k = 0; k < 240; ++k) simulation.step();
  const double h = simulation.timestep();
  const double acceleration = 1 / (kInertia * (1 + 4));
  EXPECT_NEAR(simulation.state().qpos[0], acceleration * h * h * 240 * 241 / 2, 1e-7);
  EXPECT_NEAR(simulation.state().qpos[1], 2 * simulation.state().qpos[0], 1e-9);
}

TEST(PositionActuator, IsStableAtAMillionPerSecondSquared) {
  ModelBuilder builder("servo");
  add_rotor(builder, "servo", {});
  Actuator servo;
  servo.name = "position";
  servo.target = 0;
  servo.gain = {1e6, 0, 0};
  servo.bias_type = Bias::kAffine;
  servo.bias = {0, -1e6, -100};
  builder.add_actuator(servo);
  Simulation simulation(builder.build());
  simulation.ctrl()[1] = 0.7;
  for (int k = 0; k < 240; ++k) {
    simulation.step();
    ASSERT_LT(std::abs(simulation.state().qpos[0]), 1.5);
  }
  EXPECT_NEAR(simulation.state().qpos[0], 0.7, 1e-9);
}

Eigen::Vector3d gap_of(const Simulation& simulation, int body1, int body2, const Equality& loop) {
  const Pose X_W1 = simulation.body_pose(body1);
  const Pose X_W2 = simulation.body_pose(body2);
  return X_W1.p + X_W1.q * loop.anchor1 - X_W2.p - X_W2.q * loop.anchor2;
}

// Two cranks of length 1 on the ground, 2 m apart, and a coupler of 2 m between their tips: the
// loop is closed by a connect equality.
TEST(FourBar, StaysClosed) {
  ModelBuilder builder("four_bar");
  builder.options().gravity.setZero();
  const auto add_link = [&](const char* name, int parent, const Eigen::Vector3d& p) {
    Body body;
    body.name = name;
    body.parent = parent;
    body.X_PB.p = p;
    body.mass = 1;
    body.inertia = 0.1 * Eigen::Matrix3d::Identity();
    const int index = builder.add_body(body);
    Joint joint;
    joint.name = name;
    joint.body = index;
    joint.axis = Eigen::Vector3d::UnitY();
    builder.add_joint(joint);
    return index;
  };
  const int left = add_link("left", 0, {0, 0, 0});
  const int coupler = add_link("coupler", left, {0, 0, 1});
  const int right = add_link("right", 0, {2, 0, 0});
  Equality loop;
  loop.type = EqualityType::kConnect;
  loop.object1 = coupler;
  loop.object2 = right;
  loop.anchor1 = Eigen::Vector3d(2, 0, 0);
  loop.anchor2 = Eigen::Vector3d(0, 0, 1);
  builder.add_equality(loop);
  Simulation simulation(builder.build());
  Vector6d push = Vector6d::Zero();
  push[0] = 0.5;
  simulation.apply_wrench(left, push);
  State state = simulation.state();
  state.qvel << 0.4, -0.4, 0.4;
  simulation.set_state(state);
  double open = 0;
  for (int k = 0; k < 480; ++k) {
    simulation.step();
    open = std::max(open, gap_of(simulation, coupler, right, loop).norm());
  }
  EXPECT_LT(open, 1e-10);
  EXPECT_GT(std::abs(simulation.state().qpos[0]), 0.1);
}

TEST(Servo, StaysWithinItsForceLimitsAndDoesNotChatter) {
  ModelBuilder builder("servo");
  add_rotor(builder, "servo", {});
  Actuator servo;
  servo.name = "position";
  servo.target = 0;
  servo.gain = {1e5, 0, 0};
  servo.bias_type = Bias::kAffine;
  servo.bias = {0, -1e5, -3e4};
  servo.force_range = {-2, 3};
  builder.add_actuator(servo);
  Simulation simulation(builder.build());
  simulation.ctrl()[1] = 0.7;
  const double h = simulation.timestep();
  int saturated = 0;
  for (int k = 0; k < 2000; ++k) {
    const double before = simulation.state().qvel[0];
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.within_tolerance);
    const double force = kInertia * (simulation.state().qvel[0] - before) / h;
    ASSERT_GE(force, -2 - 1e-6) << k;
    ASSERT_LE(force, 3 + 1e-6) << k;
    saturated += force > 3 - 1e-6;
    if (k == 0) {
      EXPECT_NEAR(force, 3, 1e-9);
    }
  }
  EXPECT_GT(saturated, 20);
  EXPECT_NEAR(simulation.state().qpos[0], 0.7, 1e-9);
  EXPECT_NEAR(simulation.state().qvel[0], 0, 1e-9);
}

// Held at its target against a load above the limit, the servo gives the limit and the load wins.
TEST(Servo, YieldsToALoadAboveItsLimit) {
  ModelBuilder builder("servo");
  add_rotor(builder, "servo", {});
  Actuator servo;
  servo.target = 0;
  servo.gain = {1e5, 0, 0};
  servo.bias_type = Bias::kAffine;
  servo.bias = {0, -1e5, -100};
  servo.force_range = {-2, 2};
  builder.add_actuator(servo);
  Simulation simulation(builder.build());
  simulation.ctrl()[0] = 2.5;
  const double h = simulation.timestep();
  for (int k = 0; k < 100; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], 100 * h * 0.5 / kInertia, 1e-6);
  simulation.ctrl()[0] = 1.9;
  simulation.reset();
  simulation.ctrl()[0] = 1.9;
  for (int k = 0; k < 100; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[0], 1.9 / 1e5, 1e-9);
}

// Both rotors turn by the tendon q1 + q2: (I + 2 a) qacc = torque.
TEST(Tendon, ArmatureCouplesTheJointsAndServosAreStable) {
  ModelBuilder builder("tendon");
  add_rotor(builder, "first", {});
  add_rotor(builder, "second", {});
  Tendon tendon;
  tendon.name = "t";
  tendon.joints = {0, 1};
  tendon.coefs = {1, 1};
  tendon.armature = 0.3;
  builder.add_tendon(tendon);
  Actuator servo;
  servo.name = "pull";
  servo.transmission = Transmission::kTendon;
  servo.target = 0;
  servo.gain = {0, 0, 0};
  servo.bias_type = Bias::kAffine;
  builder.add_actuator(servo);
  Model model = builder.build();
  model.actuators[2].gain = {1, 0, 0};
  Simulation motor(model);
  motor.ctrl()[2] = 2;
  for (int k = 0; k < 240; ++k) motor.step();
  const double h = motor.timestep();
  const double acceleration = 2 / (kInertia + 2 * 0.3);
  EXPECT_NEAR(motor.state().qvel[0], 240 * h * acceleration, 1e-6);
  EXPECT_NEAR(motor.state().qvel[1], 240 * h * acceleration, 1e-6);

  model.actuators[2].gain = {1e6, 0, 0};
  model.actuators[2].bias = {0, -1e6, -1e3};
  Simulation stiff(model);
  stiff.ctrl()[2] = 0.6;
  for (int k = 0; k < 480; ++k) {
    stiff.step();
    ASSERT_LT(std::abs(stiff.state().qpos[0]), 1) << k;
  }
  EXPECT_NEAR(stiff.state().qpos[0] + stiff.state().qpos[1], 0.6, 1e-8);
}

// [JOINT] Fig. 1: pushed against its stop, then left alone, the handle comes to rest where dry
// friction holds spring and weight.
TEST(Door, RestsWhereFrictionHoldsSpringAndWeight) {
  Simulation simulation(find_scene("door")->make());
  simulation.ctrl()[0] = 1;
  for (int k = 0; k < 480; ++k) {
    simulation.step();
    ASSERT_LE(simulation.state().qpos[0], 0.8 + 1e-9);
  }
  EXPECT_NEAR(simulation.state().qpos[0], 0.8, 1e-9);
  simulation.ctrl()[0] = 0;
  for (int k = 0; k < 960; ++k) simulation.step();
  const double q = simulation.state().qpos[0];
  const Body& handle = simulation.model().bodies[1];
  // Turning about y by q lowers the lever's centre: the weight's torque is m g c cos q.
  const double torque = -0.4 * q + handle.mass * 9.81 * handle.com[0] * std::cos(q);
  EXPECT_NEAR(simulation.state().qvel[0], 0, 1e-9);
  EXPECT_LE(std::abs(torque), 0.1 + 1e-6);
  EXPECT_GT(q, 0.01);
  EXPECT_LT(q, 0.79);
  const double rest = q;
  for (int k = 0; k < 240; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qpos[0], rest, 1e-11);
}

}  // namespace
}  // namespace stiction
