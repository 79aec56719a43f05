// What people are told when they mistype, or when something has no name.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "program.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;

// A ball 70 mm deep in the floor; neither geom nor joint has a name.
constexpr char kDeepBall[] = R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body name="ball" pos="0 0 0.03"><freejoint/><geom size="0.1"/></body></worldbody>
  <keyframe><key name="high" qpos="0 0 1 1 0 0 0"/><key name="low"/></keyframe></mujoco>)";

class Messages : public testing::Test {
 protected:
  Messages() { std::ofstream(ball_) << kDeepBall; }
  ~Messages() override { fs::remove(ball_); }

  std::string ball_ =
      (fs::path(testing::TempDir()) / ("ball_" + std::to_string(getpid()) + ".xml")).string();
};

TEST_F(Messages, SayWhatIsWrongAndWhatWasExpected) {
  const std::string ball = "run " + ball_ + " --duration 0.1 ";
  const std::pair<std::string, std::vector<std::string>> wrong[] = {
      {"bogus", {"'bogus'", "demo, run, view", "train-sdf"}},
      {"run towr", {"towr", "no such file or scene", "'tower'", "demo --list"}},
      {"contacts towr", {"'tower'"}},
      {"run nothing/like/it.xml", {"no such file"}},
      {ball + "--key hihg", {"'hihg'", "high, low"}},
      {"contacts " + ball_ + " --key hihg", {"'hihg'", "high, low"}},
      {"run tower --key high", {"'high'", "and no other"}},
      {ball + "--budget 0", {"'0'", "iterations, 1 or more", "500us"}},
      {ball + "--budget -5", {"'-5'", "iterations, 1 or more", "500us"}},
      {ball + "--record ''", {"--record", "is empty"}},
      {ball + "--report ''", {"--report", "is empty"}},
      {"solve --generate one --local", {"--local", "--write"}},
      {"solve --generate stack --size 0", {"--size", "1"}},
      {"solve --generate stack --mass-ratio 0", {"--mass-ratio"}},
      {"solve --generate stack --mu -1", {"--mu"}},
      {"solve --generate stack --iterations 0", {"--iterations"}},
      {"solve --generate stack --seed -1", {"--seed"}},
      {ball + "--set qpos='0 0 0 0 0 0 0'", {"quaternion of joint of body 'ball'"}},
      {"run tower --duration 0.1 --solver pgs --budget 1 --on-trouble throw",
       {"step 1: residual ", " m/s is above the tolerance 1e-08, worst: contact '"}},
  };
  for (const auto& [arguments, parts] : wrong) {
    const Outcome run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_LT(run.err.size(), 250u) << run.err;
    for (const std::string& part : parts) {
      EXPECT_NE(run.err.find(part), std::string::npos) << part << " is not in " << run.err;
    }
  }
}

TEST_F(Messages, NanosecondsAreADuration) {
  EXPECT_EQ(run_program("run " + ball_ + " --duration 0.1 --budget 1ns").exit_code, 0);
}

TEST_F(Messages, LengthsHaveAUnitThatFitsAndThingsWithoutANameThatOfTheirBody) {
  const Outcome run = run_program("run " + ball_ + " --duration 0.01");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("penetration    70 mm at most"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("contact body 'world' - body 'ball'"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("iterations after its sweeps"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace stiction::test
