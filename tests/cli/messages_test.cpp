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
      {ball + "--key hihg", {"'hihg'", "its 2: high, low", "number below 2"}},
      {"contacts " + ball_ + " --key hihg", {"'hihg'", "high, low"}},
      {ball + "--key 2", {"'2'", "its 2: high, low", "number below 2"}},
      {ball + "--key -1", {"'-1'", "number below 2"}},
      {"run tower --key high", {"'high'", "and no other"}},
      {ball + "--budget 0", {"'0'", "iterations, 1 or more", "500us"}},
      {ball + "--budget -5", {"'-5'", "iterations, 1 or more", "500us"}},
      {"run tower --durations 1", {"'--durations'", "is '--duration' meant?", "run --help"}},
      {"run --durations=1 tower", {"'--durations' ", "is '--duration' meant?"}},
      {"contacts tower --max-pionts 3", {"'--max-pionts'", "'--max-points'"}},
      {"run tower --quite-another-thing",
       {"'--quite-another-thing' is not expected; stiction run"}},
      {"run tower stack", {"'stack' is not expected"}},
      {ball + "--set qvel='0 nan 0 0 0 0'", {"--set qvel[1] is 'nan', expected a finite number"}},
      {ball + "--set qvel='0 0 0 0 0 3x'", {"--set qvel[5] is '3x'"}},
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
       {"step 1: residual above the tolerance: ",
        " of 1e-08 m/s (iteration limit), worst: contact '"}},
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

// What the reader refuses, what validation does, what is no XML: one line, from every command.
TEST_F(Messages, BadFilesAreToldWithTheirLine) {
  const std::pair<std::string, std::string> wrong[] = {
      {"<mujoco>\n<worldbody><body><joint name='j' damping='-1'/><geom "
       "size='1'/></body></worldbody>"
       "</mujoco>",
       ":2: joint 'j': damping is '-1', expected >= 0\n"},
      {"<mujoco>\n\n<worldbody><body name='b'><freejoint/></body></worldbody></mujoco>",
       ":3: body 'b': moves, but its mass is 0 and its smallest inertia 0, expected both >= "
       "1e-15\n"},
      {"<robot name='r'>\n<link name='a'><inertial><mass value='-2'/></inertial></link></robot>",
       ":2: mass of link 'a': value is '-2', expected >= 0\n"},
      {"<robot name='r'><link name='a'/></robot>\n<!-- end -->\n</robot>",
       ":3: malformed XML: Start-end tags mismatch\n"},
      {"<robot name='r'><link name='a'/></robot>\nto do",
       ":2: text 'to do' outside the root element, expected none\n"},
      {"<mujoco>\n<worldbody></mujoco>", ":2: malformed XML: Start-end tags mismatch\n"},
  };
  for (const auto& [text, message] : wrong) {
    std::ofstream(ball_) << text;
    for (const std::string command : {"check ", "run --duration 0.1 ", "inspect ", "contacts "}) {
      const Outcome run = run_program(command + ball_);
      EXPECT_EQ(run.exit_code, 2) << command << text;
      EXPECT_EQ(run.err, "stiction: " + ball_ + message) << command;
    }
  }
}

// As in MuJoCo, and the only way to a keyframe without a name.
TEST_F(Messages, AKeyframeMayBeCalledByItsIndex) {
  std::ofstream(ball_) << R"(<mujoco><worldbody><body><joint type="slide"/><geom size="0.1"/></body>
    </worldbody><keyframe><key qpos="0.5"/><key name="0" qpos="0.7"/><key/></keyframe></mujoco>)";
  // A name comes first: '0' is the second one.
  for (const auto& [key, qpos] : {std::pair("0", "[0.7]"), {"1", "[0.7]"}, {"2", "[0.0]"}}) {
    const Outcome run = run_program("inspect " + ball_ + " --key " + key);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find(std::string("\"qpos\":") + qpos), std::string::npos) << key << run.out;
  }
  for (const char* command : {"run", "contacts", "inspect"}) {
    const std::string file = std::string(command) + " " + ball_;
    const std::string time = command == std::string("run") ? " --duration 0.1" : "";
    EXPECT_EQ(run_program(file + time + " --key 2").exit_code, 0) << command;
    const Outcome wrong = run_program(file + time + " --key 3");
    EXPECT_EQ(wrong.exit_code, 2) << command;
    EXPECT_NE(wrong.err.find("its 3: #0, 0, #2"), std::string::npos) << wrong.err;
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
