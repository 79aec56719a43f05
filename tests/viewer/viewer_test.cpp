// The parts of the server that need no network: who may speak, what may be said, what is sent.
#include <gtest/gtest.h>
#include <stiction/error.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/mjcf_file.h"
#include "scenes/scene.h"
#include "viewer/drag.h"
#include "viewer/guard.h"
#include "viewer/messages.h"
#include "viewer/record.h"
#include "viewer/replay.h"

namespace stiction::viewer {
namespace {

using Eigen::Vector3d;

Model tower() { return find_scene("tower")->make(); }

TEST(Guard, HostMustNameThisServer) {
  EXPECT_TRUE(host_is_ours("localhost:4747", "127.0.0.1", 4747));
  EXPECT_TRUE(host_is_ours("localhost", "127.0.0.1", 4747));
  EXPECT_TRUE(host_is_ours("127.0.0.1:4747", "127.0.0.1", 4747));
  EXPECT_TRUE(host_is_ours("[::1]:4747", "::1", 4747));
  EXPECT_TRUE(host_is_ours("192.168.1.7:4747", "0.0.0.0", 4747));
  EXPECT_TRUE(host_is_ours("robot.lab:4747", "robot.lab", 4747));
  EXPECT_FALSE(host_is_ours("evil.example:4747", "0.0.0.0", 4747));
  EXPECT_FALSE(host_is_ours("localhost:80", "127.0.0.1", 4747));
  EXPECT_FALSE(host_is_ours("localhost.evil.example", "127.0.0.1", 4747));
  EXPECT_FALSE(host_is_ours("[::1", "::1", 4747));
  EXPECT_FALSE(host_is_ours("", "127.0.0.1", 4747));
}

TEST(Guard, OriginMustBeThePageThatThisHostServed) {
  EXPECT_TRUE(origin_is_ours("", "localhost:4747"));
  EXPECT_TRUE(origin_is_ours("http://localhost:4747", "localhost:4747"));
  EXPECT_FALSE(origin_is_ours("http://localhost:8000", "localhost:4747"));
  EXPECT_FALSE(origin_is_ours("https://evil.example", "localhost:4747"));
  EXPECT_FALSE(origin_is_ours("null", "localhost:4747"));
}

TEST(Messages, CommandsAreRead) {
  const Model model = tower();
  EXPECT_EQ(parse_command(R"({"type":"pause"})", model).kind, CommandKind::kPause);
  EXPECT_EQ(parse_command(R"({"type":"speed","speed":0.5})", model).speed, 0.5);
  const Command solver =
      parse_command(R"({"type":"solver","solver":"pgs","iterations":20,"tolerance":1e-6})", model);
  EXPECT_EQ(solver.solver, "pgs");
  EXPECT_EQ(solver.iterations, 20);
  EXPECT_EQ(solver.tolerance, 1e-6);
  const Command drag =
      parse_command(R"({"type":"drag","body":3,"point":[0,0.1,0],"target":[1,2,3]})", model);
  EXPECT_EQ(drag.body, 3);
  EXPECT_EQ(drag.target, Vector3d(1, 2, 3));
}

TEST(Messages, AnythingElseIsRefused) {
  const Model model = tower();
  for (const char* text :
       {"", "nonsense", "[]", "{}", R"({"type":7})", R"({"type":"explode"})", R"({"type":"speed"})",
        R"({"type":"speed","speed":-1})", R"({"type":"speed","speed":1e300})",
        R"({"type":"solver","solver":"magic","iterations":1,"tolerance":1e-6})",
        R"({"type":"solver","solver":"pgs","iterations":-1,"tolerance":1e-6})",
        R"({"type":"solver","solver":"pgs","iterations":1,"tolerance":0})",
        R"({"type":"drag","body":0,"point":[0,0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":11,"point":[0,0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":1,"point":[0,0],"target":[0,0,0]})",
        R"({"type":"drag","body":1,"point":[0,0,0],"target":[0,0,1e30]})",
        R"({"type":"drag","body":1,"point":[0,0,"x"],"target":[0,0,0]})"}) {
    EXPECT_THROW(parse_command(text, model), InputError) << text;
  }
}

template <class T>
T at(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Offsets as in docs/viewer.md, which the page reads by as well.
TEST(Messages, FramesHoldPosesAndContactsWhereThePageLooks) {
  Simulation simulation(tower());
  simulation.step();
  FrameStats stats;
  stats.residual = 1e-9;
  const std::string frame = encode_frame(simulation, stats);
  EXPECT_EQ(frame.substr(0, 4), "STF1");
  EXPECT_DOUBLE_EQ(at<double>(frame, 8), 1.0 / 240);
  EXPECT_FLOAT_EQ(at<float>(frame, 24), 1e-9f);
  ASSERT_EQ(at<std::uint32_t>(frame, 68), 11u);               // bodies
  ASSERT_EQ(at<std::uint32_t>(frame, 72), 40u);               // contacts
  ASSERT_EQ(at<std::uint32_t>(frame, 76), 70u);               // positions
  EXPECT_FLOAT_EQ(at<float>(frame, 84 + 28 * 10 + 8), 1.9f);  // height of the top cube
  double weight = 0;  // what the floor carries: the normal force is the third of force_W
  for (int k = 0; k < 40; ++k) {
    const size_t contact = 84 + 28 * 11 + 56 * k;
    if (at<std::uint32_t>(frame, contact + 44) != 0) continue;  // not the world's
    weight += at<float>(frame, contact + 32);
  }
  EXPECT_NEAR(weight, 59 * 9.81, 1e-3 * 59 * 9.81);
}

TEST(Messages, TheSceneIsJsonWithEveryGeom) {
  const Model model = tower();
  const auto message =
      nlohmann::json::parse(scene_message("a \"name\"", "", "", scene_json(model)));
  EXPECT_EQ(message["title"], "a \"name\"");
  EXPECT_EQ(message["scene"]["geoms"].size(), model.geoms.size());
  EXPECT_EQ(message["scene"]["bodies"][0]["moves"], false);
  EXPECT_EQ(message["scene"]["bodies"][1]["moves"], true);
  EXPECT_EQ(message["solvers"].size(), solver_names().size());
}

Recording record_tower(double duration) {
  Simulation simulation(tower());
  Recording recording;
  recording.header = recording_header(simulation);
  while (simulation.state().time < duration) {
    simulation.step();
    recording.frames.emplace_back();
    fill_frame(simulation, recording.frames.back());
  }
  return recording;
}

// What a frame says of contacts can be read without the model: names, bodies, the worst by name.
TEST(Record, ContactsHaveNamesAndBodies) {
  Model model = tower();
  model.geoms[1].name.clear();
  model.bodies[2].name.clear();
  Simulation simulation(std::move(model));
  const RecordingHeader header = recording_header(simulation);
  EXPECT_EQ(header.geoms[1], "geom #1");
  EXPECT_EQ(header.bodies[2], "body #2");
  RecordingFrame frame;
  for (int k = 0; k < 10; ++k) {
    simulation.step();
    fill_frame(simulation, frame);
    EXPECT_EQ(frame.worst_constraint, simulation.report().worst_constraint);
    EXPECT_LE(frame.worst_constraint.size(), header.name_length);
    EXPECT_EQ(frame.residual_by_type[0], simulation.report().solve.residual.contact);
    EXPECT_EQ(frame.dynamics_defect, simulation.report().solve.residual.dynamics);
  }
  ASSERT_EQ(frame.contacts.size(), 40u);
  for (const RecordedContact& contact : frame.contacts) {
    EXPECT_EQ(contact.body1, simulation.model().geoms[contact.geom1].body);
    EXPECT_EQ(contact.body2, simulation.model().geoms[contact.geom2].body);
  }
}

// Sixty frames a second of what rests are cheap: a minute of the tower, 40 contacts, stays far
// below what one second of unpacked frames would take.
// A weight on the limit of its slide, another on a pin, and a switch that is off.
TEST(Record, SensorsAndForcesHaveNamesAndPlaces) {
  SimulationOptions options;
  options.theta = 0.5;
  options.on_trouble = TroublePolicy::kRetry;
  Simulation simulation(model_of(R"(<option gravity="0 0 -10"/><worldbody>
    <body name="hung"><freejoint name="root"/><geom size=".1" mass="2"/></body>
    <body pos="1 0 0"><joint name="z" type="slide" axis="0 0 1" range="0 1" limited="true"/>
      <geom size=".1" mass="3"/></body></worldbody>
    <equality><connect name="pin" body1="hung" anchor="0 0 0"/>
      <connect body1="hung" anchor="0 0 1" active="false"/></equality>
    <sensor><framepos name="where" objtype="body" objname="hung"/>
      <jointlimitfrc name="push" joint="z"/></sensor>)"),
                        options);
  for (int k = 0; k < 5; ++k) simulation.step();
  const RecordingHeader header = recording_header(simulation);
  EXPECT_EQ(header.theta, 0.5);
  EXPECT_EQ(header.on_trouble, "retry");
  EXPECT_EQ(header.joints, (std::vector<std::string>{"root", "z"}));
  EXPECT_EQ(header.joint_qpos, (std::vector{0, 7}));
  EXPECT_EQ(header.joint_dofs, (std::vector{0, 6}));
  EXPECT_EQ(header.equalities, (std::vector<std::string>{"pin", "equality #1"}));
  EXPECT_EQ(header.sensor_types, (std::vector<std::string>{"framepos", "jointlimitfrc"}));
  EXPECT_EQ(header.sensor_begins, (std::vector{0, 3}));
  EXPECT_EQ(header.sensor_size, 4);
  RecordingFrame frame;
  fill_frame(simulation, frame);
  EXPECT_EQ(frame.eq_active, (std::vector<char>{1, 0}));
  EXPECT_NEAR(frame.sensordata[3], 30, 1e-3);
  EXPECT_NEAR(frame.joint_limit_force[6], 30, 1e-3);
  EXPECT_NEAR(frame.equality_force(2, 0), 20, 1e-3);
  EXPECT_EQ(frame.equality_force.col(1).norm(), 0);
  EXPECT_EQ(frame.status, 0);
  EXPECT_FALSE(frame.missed_by[0]);
}

TEST(Record, AMissedStepSaysWhy) {
  SimulationOptions options;
  options.solver = "pgs";
  options.budget.max_iterations = 1;
  Simulation simulation(tower(), options);
  simulation.step();
  RecordingFrame frame;
  fill_frame(simulation, frame);
  EXPECT_TRUE(frame.missed);
  EXPECT_EQ(frame.missed_by, (std::array{true, false, false, false, false}));
  EXPECT_EQ(frame.status, 1);
}

TEST(Replay, WhatRestsCostsNothing) {
  Recording recording = record_tower(1);
  const size_t one = encode_recording(recording, "tower", "").size();
  const std::vector<RecordingFrame> second = recording.frames;
  for (int k = 1; k < 60; ++k) {
    for (RecordingFrame frame : second) {
      frame.time += k;
      recording.frames.push_back(frame);
    }
  }
  EXPECT_LT(encode_recording(recording, "tower", "").size(), 40 * one);
  EXPECT_LT(encode_recording(recording, "tower", "").size(), 1'000'000u);
}

// A minute of the first demo is to stay below 10 MB, the page of 0.8 MB included. Its dishes lie
// still; here one is pushed about all the time, so that no contact is where it was.
TEST(Replay, AMinuteOfMovingDishesIsSmall) {
  Simulation simulation(find_scene("dishes")->make());
  Recording recording;
  recording.header = recording_header(simulation);
  double next = 0;
  while (simulation.state().time < 1) {
    Vector6d push = Vector6d::Zero();
    push[0] = 8 * std::sin(12 * simulation.state().time);
    simulation.apply_wrench(1, push);
    simulation.step();
    if (simulation.state().time < next) continue;
    next += 1.0 / 60;
    recording.frames.emplace_back();
    fill_frame(simulation, recording.frames.back());
  }
  const size_t second = encode_recording(recording, "dishes", "").size();
  recording.frames.resize(1);
  const size_t start = encode_recording(recording, "dishes", "").size();
  EXPECT_LT(replay_page("").size() + start + 60 * (second - start), 10'000'000u) << second - start;
}

TEST(Replay, NeedsFramesAndAScene) {
  Recording recording = record_tower(0.01);
  Recording blind = recording;
  blind.header.scene.clear();
  EXPECT_THROW(encode_recording(blind, "tower", ""), InputError);
  recording.frames.clear();
  EXPECT_THROW(encode_recording(recording, "tower", ""), InputError);
}

TEST(Replay, ThePageHoldsItOnce) {
  const std::string page = replay_page("QUJD");
  const size_t at = page.find("id=\"recording\">QUJD</script>");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, page.rfind("<script>"));
}

// A free body feels its whole mass at its centre; pulled there, it comes to the mouse and stays.
TEST(Drag, BringsABodyToTheMouse) {
  Model model = tower();
  model.options.gravity.setZero();
  Simulation simulation(model);
  EXPECT_NEAR(mass_at(simulation, 10, Vector3d::Zero()), 50, 1e-9);
  Drag drag{.body = 10, .point = Vector3d::Zero(), .target = Vector3d(0, 0, 2.4), .mass = 50};
  for (int k = 0; k < 480; ++k) {
    simulation.apply_wrench(10, drag_wrench(simulation, drag));
    simulation.step();
  }
  EXPECT_LT((simulation.body_pose(10).p - drag.target).norm(), 1e-3);
}

}  // namespace
}  // namespace stiction::viewer
