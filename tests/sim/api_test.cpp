// What a user of the class may ask, add and do wrong.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/simulation.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "io/mjcf_file.h"
#include "message_of.h"
#include "scenes/scene.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Forces, PairsAndBodiesCarryTheWeight) {
  Simulation simulation(find_scene("tower")->make());
  for (int k = 0; k < 10; ++k) simulation.step();
  const std::vector<PairForce> pairs = simulation.pair_forces();
  ASSERT_EQ(pairs.size(), 10u);
  for (const PairForce& pair : pairs) {
    // Body k is cube k - 1; what stands above the interface weighs 50 + (9 - k) or so.
    const double above = 50 + (10 - pair.body2);
    EXPECT_NEAR((pair.force_W - Vector3d(0, 0, 9.81 * above)).norm(), 0, 0.02) << pair.body2;
    EXPECT_NEAR(pair.torque_W.norm(), 0, 0.02);
    EXPECT_EQ(pair.contacts, 4);
  }
  const Vector6d on_first = simulation.contact_wrench("cube0");
  EXPECT_NEAR((on_first - 9.81 * Vector6d::Unit(2)).norm(), 0, 0.03);
  for (const ContactForce& contact : simulation.contacts()) {
    EXPECT_EQ(contact.state, ContactState::kStick);
    EXPECT_LT(contact.residual, 1e-6);
  }
}

TEST(Spring, HoldsAMassAtAnyStiffness) {
  for (double stiffness : {10.0, 1e6}) {
    Simulation simulation(model_of(R"(<option timestep="0.004"/>
      <worldbody><body name="mass"><freejoint/>
        <geom type="sphere" size="0.1" mass="2"/></body></worldbody>)"));
    Spring spring;
    spring.body2 = 1;
    spring.stiffness = stiffness;
    spring.damping = 9;  // critical for the softer one
    EXPECT_EQ(simulation.add_spring(spring), 0);
    for (int k = 0; k < 3000; ++k) simulation.step();
    EXPECT_NEAR(simulation.body_pose(1).p[2], -2 * 9.81 / stiffness, 1e-7) << stiffness;
    EXPECT_LT(simulation.state().qvel.norm(), 1e-6);
  }
}

TEST(Rolling, SphereAcceleratesWithFiveSeventhsOfThePull) {
  Simulation simulation(model_of(R"(<option timestep="0.004" gravity="2 0 0"/>
    <worldbody><body name="ball"><freejoint/>
      <geom type="sphere" size="0.1" mass="2"/></body></worldbody>)"));
  Rolling rolling;
  rolling.body = 1;
  rolling.contact_W = {0, 0, -0.1};
  simulation.add_rolling(rolling);
  for (int k = 0; k < 250; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().qvel[0], 2 * 5.0 / 7, 1e-6);
  EXPECT_NEAR(simulation.body_velocity(1)[4], simulation.state().qvel[0] / 0.1, 1e-5);
}

TEST(BadInput, IsRefusedByNameAndTheStateStays) {
  Simulation simulation(find_scene("door")->make());
  for (int k = 0; k < 5; ++k) simulation.step();
  const State before = simulation.state();
  simulation.ctrl()[0] = kNan;
  const std::string nan = message_of([&] { simulation.step(); });
  EXPECT_NE(nan.find("'hand'"), std::string::npos) << nan;
  EXPECT_NE(nan.find("nan"), std::string::npos) << nan;
  EXPECT_EQ(simulation.state().qpos, before.qpos);
  EXPECT_EQ(simulation.state().step, before.step);
  simulation.ctrl()[0] = 0;

  State broken = before;
  broken.qpos[0] = kNan;
  const std::string position = message_of([&] { simulation.set_state(broken); });
  EXPECT_EQ(position.find("qpos[0] of joint "), 0u) << position;
  EXPECT_NE(position.find(" is nan"), std::string::npos) << position;
  broken.qpos.resize(3);
  EXPECT_NE(message_of([&] { simulation.set_state(broken); }).find("size 3, expected 1"),
            std::string::npos);
  broken = before;
  broken.time = kNan;
  EXPECT_NE(message_of([&] { simulation.set_state(broken); }).find("time is nan"),
            std::string::npos);
  broken = before;
  broken.impulses.assign(1, {77, Vector3d(0, kNan, 0)});
  EXPECT_NE(message_of([&] { simulation.set_state(broken); }).find("77"), std::string::npos);
  broken.impulses = {{9, Vector3d::Zero()}, {7, Vector3d::Zero()}};
  EXPECT_NE(message_of([&] {
              simulation.set_state(broken);
            }).find("impulses[1] has the id 7, expected them sorted: the one before has 9"),
            std::string::npos);
  broken.impulses = {{7, Vector3d::Zero()}, {9, Vector3d::Zero()}, {9, Vector3d::Zero()}};
  EXPECT_EQ(message_of([&] { simulation.set_state(broken); }),
            "impulses[2] has the id 9, expected each once: the one before has it, too");
  broken = before;
  broken.step = -5;
  EXPECT_NE(message_of([&] { simulation.set_state(broken); }).find("step is -5, expected 0"),
            std::string::npos);
  EXPECT_EQ(simulation.state().step, before.step);
  simulation.ctrl().resize(5);
  EXPECT_NE(message_of([&] { simulation.step(); }).find("size 5, expected 1"), std::string::npos);
  simulation.ctrl().setZero(1);
  Vector6d wrench = Vector6d::Zero();
  wrench[1] = kNan;
  EXPECT_NE(message_of([&] { simulation.apply_wrench(1, wrench); }).find("'handle'"),
            std::string::npos);
  EXPECT_EQ(simulation.state().qpos, before.qpos);

  EXPECT_NE(message_of([&] { simulation.apply_wrench(7, wrench); }).find("7"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.sensor("none"); }).find("'none'"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.contact_wrench("none"); }).find("'none'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { simulation.reset_to_keyframe("none"); }).find("'none'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { simulation.reset_to_keyframe(7); }).find("keyframe 7 does not exist"),
            std::string::npos);
  EXPECT_NE(message_of([&] { simulation.body_pose(9); }).find("9"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.body_velocity(-1); }).find("-1"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.site_pose(99); }).find("99"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.site_velocity(99); }).find("99"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.constraint_name(-5); }).find("-5"), std::string::npos);
  EXPECT_NE(message_of([&] { simulation.constraint_name(999); }).find("999"), std::string::npos);
  Spring spring;
  spring.body2 = 1;
  spring.stiffness = -3;
  EXPECT_NE(message_of([&] { simulation.add_spring(spring); }).find("-3"), std::string::npos);
  simulation.step();
  EXPECT_EQ(simulation.state().step, before.step + 1);
}

// Finite, but no number of the next state can hold what follows.
TEST(BadInput, ImpossibleMotionNamesTheJointAndTheStateStays) {
  Simulation simulation(find_scene("door")->make());
  simulation.step();
  const State before = simulation.state();
  simulation.ctrl()[0] = 1e308;
  std::string message;
  for (int k = 0; k < 10 && message.empty(); ++k) {
    message = message_of([&] { simulation.step(); });
    EXPECT_TRUE(simulation.state().qpos.allFinite());
    EXPECT_TRUE(simulation.state().qvel.allFinite());
  }
  EXPECT_NE(message.find("of joint 'latch' is "), std::string::npos) << message;
  simulation.set_state(before);
  simulation.ctrl()[0] = 0;
  simulation.step();
  EXPECT_LT(std::abs(simulation.state().qvel[0]), 10);
}

// A servo of the wrong sign: finite for long, but its energy must be too.
TEST(BadInput, MotionIsRefusedBeforeItsEnergyOverflows) {
  Simulation simulation(
      model_of("<option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'/>"
               "<geom size='.1' mass='1'/></body></worldbody>"
               "<actuator><velocity joint='j' kv='-1e5'/></actuator>"));
  simulation.ctrl()[0] = 1;
  std::string message;
  for (int k = 0; k < 1000 && message.empty(); ++k) {
    message = message_of([&] { simulation.step(); });
    const Energy energy = simulation.energy();
    ASSERT_TRUE(std::isfinite(energy.kinetic + energy.potential)) << k;
    ASSERT_TRUE(std::isfinite(simulation.report().energy)) << k;
  }
  EXPECT_NE(message.find("velocity of joint 'j' is "), std::string::npos) << message;
  EXPECT_LT(message.size(), 120u) << message;
}

TEST(BadInput, LeavesAValidRecordingOfTheLastGoodState) {
  const auto path =
      std::filesystem::temp_directory_path() / ("stiction_bad_" + std::to_string(getpid()) + ".h5");
  Simulation simulation(find_scene("door")->make());
  RecordingHeader header;
  header.nq = header.nv = header.nu = 1;
  {
    RecordingWriter writer(path.string(), header);
    RecordingFrame frame;
    const auto run = [&] {
      for (int k = 0; k < 20; ++k) {
        if (k == 10) simulation.ctrl()[0] = kNan;
        simulation.step();
        frame.qpos = simulation.state().qpos;
        frame.qvel = simulation.state().qvel;
        frame.ctrl = simulation.ctrl();
        writer.add(frame);
      }
    };
    EXPECT_THROW(run(), InputError);
  }
  const Recording recording = read_recording(path.string());
  ASSERT_EQ(recording.frames.size(), 10u);
  EXPECT_EQ(recording.frames.back().qpos, simulation.state().qpos);
  std::filesystem::remove(path);
}

TEST(BadInput, ModelsEditedByHandAreChecked) {
  Model model = find_scene("stack")->make();
  model.bodies.back().mass = -1;
  EXPECT_THROW(Simulation{model}, InputError);
  Simulation simulation(find_scene("stack")->make());
  EXPECT_THROW(simulation.add_spring({.body1 = 1, .body2 = 1, .stiffness = 1}), InputError);
}

TEST(BadInput, OptionsAreChecked) {
  const auto with = [](auto change) {
    SimulationOptions options;
    change(options);
    return message_of([&] { Simulation simulation(find_scene("door")->make(), options); });
  };
  EXPECT_NE(with([](auto& o) { o.timestep = -1; }).find("-1"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.timestep = kNan; }).find("nan"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.theta = 2; }).find("2"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.budget.tolerance = 0; }).find("0"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.budget.threads = 0; }).find("threads are 0"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.budget.max_iterations = -4; }).find("-4"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.budget.max_seconds = kNan; }).find("nan"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.budget.err_v = -2; }).find("-2"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.solver = "no"; }).find("'no'"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.recovery_speed = -1; }).find("-1"), std::string::npos);
}

TEST(Budget, ByIterationsRepeatsBitByBit) {
  Eigen::VectorXd first;
  for (int k = 0; k < 2; ++k) {
    SimulationOptions options;
    options.budget.max_iterations = 2;
    Simulation simulation(find_scene("tower")->make(), options);
    for (int step = 0; step < 60; ++step) simulation.step();
    if (k == 0) first = simulation.state().qpos;
    EXPECT_EQ(simulation.state().qpos, first);
  }
}

// Two boxes of 1 kg on each other.
const char* const kTwoBoxes = R"(
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="lower" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
    <body name="upper" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
  </worldbody>)";

TEST(Api, AStateThatIsRefusedChangesNothing) {
  Simulation simulation(model_of(kTwoBoxes));
  for (int k = 0; k < 20; ++k) simulation.step();
  const State good = simulation.state();
  State bad = good;
  bad.time = -7;
  bad.qpos.segment<4>(3).setZero();
  EXPECT_THROW(simulation.set_state(bad), InputError);
  EXPECT_EQ(simulation.state().time, good.time);
  EXPECT_EQ(simulation.state().qpos, good.qpos);
}

TEST(Api, AStepThatIsRefusedKeepsTheContactsOfTheLastGoodOne) {
  SimulationOptions options;
  options.on_trouble = TroublePolicy::kThrow;
  Simulation simulation(model_of(kTwoBoxes), options);
  for (int k = 0; k < 100; ++k) simulation.step();
  const double weight = simulation.contact_wrench("lower")[2];
  EXPECT_NEAR(weight, 9.81, 1e-6);
  Budget hopeless = simulation.options().budget;
  hopeless.tolerance = 1e-300;
  hopeless.max_iterations = 1;
  simulation.set_solver("pgs", hopeless);
  EXPECT_THROW(simulation.step(), InputError);
  EXPECT_EQ(simulation.contact_wrench("lower")[2], weight);
  EXPECT_EQ(simulation.report().step, 100);
}

// Where it enters, and the wrench before it stays.
TEST(Api, AWrenchThatIsNotFiniteIsRefusedByNameAndValue) {
  Simulation simulation(model_of(kTwoBoxes));
  Vector6d wrench = Vector6d::Zero();
  wrench[2] = -1;
  simulation.apply_wrench(2, wrench);
  wrench[2] = std::nan("");
  EXPECT_EQ(message_of([&] { simulation.apply_wrench(2, wrench); }),
            "wrench on body 'upper': entry 2 is nan, expected a finite number");
  simulation.step();
  EXPECT_NEAR(simulation.contact_wrench("upper")[2], 9.81 + 1, 1e-6);
}

const char* const kHinges = R"(
  <worldbody>
    <body><joint name="shoulder" axis="0 1 0"/><geom type="sphere" size="0.1" pos="1 0 0"/>
      <body><joint name="elbow" axis="0 1 0" frictionloss="1"/>
        <geom type="sphere" size="0.1" pos="2 0 0"/></body></body>
  </worldbody>)";

TEST(BadInput, NumbersOfAStateAreRefusedWithTheNameOfTheirJoint) {
  Simulation simulation(model_of(kHinges));
  const auto with = [&](Eigen::VectorXd State::*part, double value) {
    State state = simulation.state();
    (state.*part)[1] = value;
    return message_of([&] { simulation.set_state(state); });
  };
  EXPECT_EQ(with(&State::qpos, kNan), "qpos[1] of joint 'elbow' is nan, expected a finite number");
  EXPECT_EQ(with(&State::qvel, kNan), "qvel[1] of joint 'elbow' is nan, expected a finite number");
  // No step could start from it: the square of a velocity is in its energy.
  EXPECT_EQ(with(&State::qvel, -1e300),
            "qvel[1] of joint 'elbow' is -1e+300, expected -1e+100 to 1e+100");
  EXPECT_EQ(with(&State::qpos, 1e101),
            "qpos[1] of joint 'elbow' is 1e+101, expected -1e+100 to 1e+100");
  simulation.step();
}

TEST(Api, DryFrictionIsNamedByItsJoint) {
  Simulation simulation(model_of(kHinges));
  simulation.step();
  ASSERT_EQ(simulation.problem().constraints.size(), 1u);
  EXPECT_EQ(simulation.constraint_name(0), "friction of joint 'elbow'");
}

}  // namespace
}  // namespace stiction
