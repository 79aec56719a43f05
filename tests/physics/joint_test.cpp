// Joint limits, dry friction and couplings against closed forms. One hinge: a rod of moment of
// inertia I about a vertical axis, so that gravity does no work.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/simulation.h>

#include <cmath>

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

TEST(JointFriction, HoldsBelowTheBoundExactly) {
  Joint joint;
  joint.frictionloss = 0.2;
  Simulation simulation = rotor(joint);
  simulation.ctrl()[0] = 0.1999;
  for (int k = 0; k < 480; ++k) simulation.step();
  EXPECT_LT(std::abs(simulation.state().qpos[0]), 1e-8);
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
  for (int k = 0; k < 480; ++k) simulation.step();
  const Pose X_WC = simulation.body_pose(coupler);
  const Pose X_WR = simulation.body_pose(right);
  const Eigen::Vector3d gap = X_WC.p + X_WC.q * loop.anchor1 - X_WR.p - X_WR.q * loop.anchor2;
  // Each step closes what the step before opened: what is left is one step's curvature, v^2 h^2 / 2
  // along the links.
  EXPECT_LT(gap.norm(), 1e-4);
  EXPECT_GT(std::abs(simulation.state().qpos[0]), 0.1);
}

}  // namespace
}  // namespace stiction
