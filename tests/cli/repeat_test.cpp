// `stiction run --repeat`: the same bits, and what may be said beside the recording.
#include <gtest/gtest.h>
#include <stiction/files.h>
#include <stiction/simulation.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "program.h"
#include "viewer/record.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;

class Repeat : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_ = fs::temp_directory_path() / ("stiction_repeat_" + std::to_string(getpid()));
};

TEST_F(Repeat, RepeatsARecordingBitByBit) {
  const std::string tower = "run tower --duration 0.2 --budget 100us --record " + path("a.h5");
  ASSERT_EQ(run_program(tower).exit_code, 0);
  const Outcome again = run_program("run tower --repeat " + path("a.h5"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("the same bits"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("steps          48 "), std::string::npos) << again.out;
  const Outcome other = run_program("run stack --repeat " + path("a.h5"));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("another state"), std::string::npos) << other.err;
  const Outcome solver = run_program("run tower --solver pgs --repeat " + path("a.h5"));
  EXPECT_NE(solver.err.find("--solver grip"), std::string::npos) << solver.err;
}

// A program of one's own has switched a pin off and on again.
TEST_F(Repeat, RepeatsWhatWasSwitched) {
  std::ofstream(path("pin.xml")) << R"(<mujoco><worldbody>
    <body name="a"><freejoint/><geom size="0.1"/></body></worldbody>
    <equality><connect name="pin" body1="a" anchor="0.1 0 0"/></equality></mujoco>)";
  {
    Simulation simulation(load_model(path("pin.xml")).model);
    RecordingWriter writer(path("a.h5"), viewer::recording_header(simulation));
    RecordingFrame frame;
    for (int k = 0; k < 60; ++k) {
      viewer::fill_frame(simulation, frame);
      writer.add(frame);
      simulation.set_equality_active("pin", k < 20 || k > 40);
      simulation.step();
    }
  }
  const Outcome again = run_program("run " + path("pin.xml") + " --repeat " + path("a.h5"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("the same bits"), std::string::npos) << again.out;
}

// What is said and not done would be a lie; what is said again is not.
TEST_F(Repeat, ControlsAreThoseOfTheRecording) {
  std::ofstream(path("cart.xml")) << R"(<mujoco><worldbody><body>
    <joint name="x" type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
    <actuator><motor joint="x"/><general joint="x" dyntype="integrator" gainprm="0"/></actuator>
    <keyframe><key name="home" qpos="0.5" ctrl="1 0"/></keyframe></mujoco>)";
  const std::string run = "run " + path("cart.xml") + " --key home ";
  const std::string set = run + "--set ctrl='3 0' --set act=1 ";
  ASSERT_EQ(run_program(set + "--duration 0.1 --record " + path("a.h5")).exit_code, 0);
  const std::string repeat = "--repeat " + path("a.h5");
  for (const std::string& same : {set, run + "--set act=1 "}) {
    const Outcome again = run_program(same + repeat);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_NE(again.out.find("the same bits"), std::string::npos) << again.out;
  }
  const std::pair<std::string, std::string> others[] = {
      {run + "--set act=1 --set ctrl='5 0' ", "--set ctrl"},
      {run + "--set act=2 ", "another state"},
      {run, "another state"},
      {run + "--set act=1 --set qpos=0.1 ", "another state"}};
  for (const auto& [other, part] : others) {
    const Outcome refused = run_program(other + repeat);
    EXPECT_EQ(refused.exit_code, 2) << other;
    EXPECT_EQ(refused.out, "") << other;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_NE(refused.err.find(path("a.h5")), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
  }
}

}  // namespace
}  // namespace stiction::test
