// Flags that would change nothing, and values that no flag takes: refused before anything is
// written.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "program.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;

class Flags : public testing::Test {
 protected:
  Flags() {
    fs::create_directories(folder_);
    std::ofstream(file("ball.xml")) << R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body name="a" pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody>
      <equality><connect body1="a" anchor="0 0 0"/></equality></mujoco>)";
    EXPECT_EQ(run_program("run slide --duration 0.02 --record " + file("slide.h5")).exit_code, 0);
    EXPECT_EQ(run_program("solve --generate one --write " + file("one.h5")).exit_code, 0);
  }
  ~Flags() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void expect_refused(const std::string& arguments, const std::vector<std::string>& parts) const {
    const auto files = std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    const Outcome run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << arguments << '\n' << run.err;
    EXPECT_LT(run.err.size(), 250u) << run.err;
    for (const std::string& part : parts) {
      EXPECT_NE(run.err.find(part), std::string::npos)
          << part << " is not in " << run.err << arguments;
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), files)
        << arguments;
  }

  fs::path folder_ = fs::temp_directory_path() / ("stiction_flags_" + std::to_string(getpid()));
};

TEST_F(Flags, ThatWouldChangeNothingAreRefused) {
  const std::string slide = file("slide.h5");
  const std::string ball = file("ball.xml");
  expect_refused("run slide --duration 0.01 --repeat " + slide, {"--repeat", "--duration"});
  expect_refused("run slide --plot-file " + file("a.png"), {"--plot-file", "--plot"});
  expect_refused("run slide --dump-to " + folder_.string(), {"--dump-to", "--dump-worst"});
  expect_refused("run slide --record-every 0", {"--record-every", "--record"});
  for (const char* command : {"run ", "check ", "inspect ", "contacts ", "view --no-browser "}) {
    expect_refused(command + ball + " --floating", {ball, "floating base", "<mujoco>", "<robot>"});
  }
  for (const char* command : {"run slide", "contacts slide", "view --no-browser slide"}) {
    expect_refused(command + std::string(" --floating"), {"--floating", "'slide'", "a scene"});
  }
  expect_refused("run " + ball + " --set eq_active=1 --set eq_active=0", {"--set eq_active twice"});
  expect_refused("run slide --set qvel='1 0 0 0 0 0' --set qvel='1 0 0 0 0 0'",
                 {"--set qvel twice"});
  for (const char* flag : {"--solver pgs", "--speed 2", "--paused", "--no-wait", "--dt 0.1"}) {
    expect_refused("view --no-browser " + slide + " " + flag,
                   {slide, "is a recording", std::string(flag).substr(0, 4)});
  }
  for (const char* flag : {"--port 0", "--host localhost", "--speed 2", "--paused", "--no-wait"}) {
    expect_refused("demo slide --headless --duration 0.02 --out " + file("demo") + " " + flag,
                   {"--headless", std::string(flag).substr(0, 6)});
  }
  expect_refused("demo slide --out " + file("demo"), {"--out", "--headless"});
  expect_refused("demo slide --list", {"--list", "NAME"});
  expect_refused("study friction --list", {"--list", "NAME"});
  expect_refused("study --all --list", {"--list", "--all"});
  for (const char* flag : {"--seed 1", "--size 2", "--mass-ratio 2", "--mu 1"}) {
    expect_refused("solve " + file("one.h5") + " " + flag,
                   {"--generate", std::string(flag).substr(0, 4)});
  }
  expect_refused("solve --generate nut --mass-ratio 5", {"'nut'", "mass ratio"});
  const std::string train = "train-sdf bowl --steps 1 --out " + file("a.nsdf");
  expect_refused(train + " --thread-width 24", {"--thread-width", "'bowl'", "no thread"});
  expect_refused(train + " --plain", {"--plain", "'bowl'", "no thread"});
  expect_refused(
      "train-sdf 'bolt size=M48' --steps 1 --plain --thread-width 24 --out " + file("a.nsdf"),
      {"--thread-width", "--plain"});
  const std::string write = "solve --generate one --write " + file("two.h5");
  for (const std::string& flag :
       {"--plot " + file("a.png"), std::string("--json"), std::string("--warm"),
        std::string("--tol 1e-3"), std::string("--budget 1s"), std::string("--iterations 3"),
        std::string("--threads 2")}) {
    expect_refused(write + " " + flag, {flag.substr(0, flag.find(' ')), "--write", "--solver"});
  }
  expect_refused("render " + slide + " --mp4 " + file("a.mp4") + " --time 0", {"--time", "--mp4"});
}

TEST_F(Flags, WithValuesThatMakeNoSenseAreRefusedByName) {
  const std::string run = "run slide --record " + file("a.h5") + " ";
  const std::string solve = "solve --generate one --plot " + file("a.png") + " ";
  const std::string train = "train-sdf bowl --out " + file("a.nsdf") + " ";
  const std::string render = "render " + file("slide.h5") + " --png " + file("a.png") + " ";
  const std::vector<std::pair<std::string, std::vector<std::string>>> flags = {
      {run, {"--duration", "--dt", "--theta", "--tol", "--record-every", "--threads"}},
      {run, {"--dump-worst"}},
      {"view slide --no-browser --no-wait --duration 0.02 ", {"--port", "--speed"}},
      {"contacts slide --svg " + file("a.svg") + " ", {"--max-points"}},
      {solve, {"--seed", "--size", "--mass-ratio", "--mu", "--tol", "--iterations", "--threads"}},
      {train, {"--steps", "--branches", "--width", "--thread-width", "--batch", "--seed"}},
      {render, {"--time"}},
  };
  for (const auto& [command, names] : flags) {
    for (const std::string& name : names) {
      for (const char* value : {"-1", "nan", "inf", "''", "text", "1,5", "1e400", "1e999999"}) {
        expect_refused(command + name + " " + value, {name + ": is '", "expected "});
      }
    }
  }
  for (const char* budget : {"-1", "nan", "inf", "text", "1e300"}) {
    expect_refused(run + "--budget " + budget, {"--budget is '"});
    expect_refused(solve + "--budget " + budget, {"--budget is '"});
  }
  for (const std::string& empty :
       {run + "--solver", run + "--budget", run + "--key", run + "--dump-worst 1 --dump-to",
        std::string("view slide --no-browser --no-wait --duration 0.02 --key"),
        "demo slide --headless --out " + file("demo") + " --budget",
        std::string("contacts slide --key"), std::string("inspect models/box_on_slope.xml --key"),
        std::string("run slide --repeat"), std::string("contacts slide --state"),
        std::string("inspect models/box_on_slope.xml --states"),
        std::string("inspect models/box_on_slope.xml --out"), "replay " + file("slide.h5 --html"),
        "render " + file("slide.h5 --mp4"), std::string("view slide --host"),
        std::string("study friction --quick --out"), std::string("demo --headless --out"),
        train + "--model", std::string("solve --generate")}) {
    expect_refused(empty + " ''", {empty.substr(empty.rfind("--")), "is empty, expected "});
  }
}

TEST_F(Flags, ThatAskForTooManyStepsOrNoneLeaveNothing) {
  const std::string run =
      "run slide --record " + file("a.h5") + " --report " + file("a.json") + " ";
  expect_refused(run + "--duration 1e300",
                 {"--duration 1e+300 is 2.4e+302 steps", "expected 1 to"});
  expect_refused(run + "--duration 1e-9", {"expected 1 to"});
  expect_refused(run + "--dt 1e-300", {"time step is 1e-300, expected 1e-12 or more"});
  expect_refused(run + "--repeat " + file("one.h5"), {file("one.h5")});
  expect_refused("demo slide --headless --set speed=1 --out " + file("demo"), {"'speed'"});
  std::ofstream(file("short.xml")) << "<mujoco><option timestep='1e-300'/></mujoco>";
  expect_refused("contacts " + file("short.xml"), {"time step is 1e-300, expected 1e-12 or more"});
}

// What follows the value of an option is not a second value of it.
TEST_F(Flags, MayComeBeforeTheFile) {
  EXPECT_EQ(run_program("run --set qvel='1 0 0 0 0 0' slide --duration 0.02").exit_code, 0);
  EXPECT_EQ(run_program("run --duration 0.02 --plot-file " + file("a.png") + " --plot energy slide")
                .exit_code,
            0);
  EXPECT_EQ(run_program("solve --solver pgs " + file("one.h5")).exit_code, 0);
}

}  // namespace
}  // namespace stiction::test
