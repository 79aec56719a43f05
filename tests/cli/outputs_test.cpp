// The files that commands write: never over what they read, refused before the work where they
// cannot be written, and missed loudly where a disk is full at its end.
#include <gtest/gtest.h>
#include <stiction/files.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// While it lives, no file grows beyond so many bytes, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class Outputs : public testing::Test {
 protected:
  Outputs() {
    fs::create_directories(folder_);
    std::ofstream(file("m.xml")) << R"(<mujoco>
      <custom><text name="stiction:sdf:cup" data="bowl"/></custom>
      <worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/>
        <geom name="cup" type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>)";
    std::ofstream(file("s.json")) << R"([{"qpos": [0, 0, 1, 1, 0, 0, 0]}])";
    fs::create_symlink("m.xml", file("link.xml"));
    EXPECT_EQ(run_program("run slide --duration 0.02 --record " + file("g.h5")).exit_code, 0);
    EXPECT_EQ(run_program("solve --generate one --write " + file("one.h5")).exit_code, 0);
  }
  ~Outputs() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string contents() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string path = entry.path().string();
      files.push_back(path + (entry.is_regular_file() ? ": " + read(path) : ""));
    }
    std::sort(files.begin(), files.end());
    std::string all;
    for (const std::string& one : files) all += one + '\n';
    return all;
  }
  // In one line that has these parts, and nothing in the folder has changed.
  void expect_refused(const std::string& arguments, const std::vector<std::string>& parts) const {
    const std::string before = contents();
    const Outcome run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << arguments << '\n' << run.err;
    for (const std::string& part : parts) {
      EXPECT_NE(run.err.find(part), std::string::npos)
          << part << " is not in " << run.err << arguments;
    }
    EXPECT_TRUE(contents() == before) << arguments;
  }

  fs::path folder_ = fs::temp_directory_path() / ("stiction_outputs_" + std::to_string(getpid()));
};

TEST_F(Outputs, AreNeverWrittenOverAnInput) {
  const std::string m = file("m.xml");
  const std::string g = file("g.h5");
  const std::string one = file("one.h5");
  const std::string states = file("s.json");
  const std::string run = "run " + m + " --duration 0.02 ";
  const std::string spelt = folder_.string() + "/../" + folder_.filename().string() + "/m.xml";
  const std::string relative = fs::relative(m, STICTION_SOURCE_DIR).string();
  for (const std::string& same : {m, file("link.xml"), spelt, relative}) {
    expect_refused(run + "--report " + same, {"FILE and --report are both '" + same + "'"});
  }
  const std::pair<std::string, std::vector<std::string>> refused[] = {
      {run + "--record " + m, {"FILE", "--record", m}},
      {run + "--plot energy --plot-file " + m, {"FILE", "--plot-file", m}},
      {"run " + file("link.xml") + " --duration 0.02 --report " + m, {"FILE", "--report", m}},
      {"run slide --repeat " + g + " --report " + g, {"--repeat", "--report", g}},
      {"run slide --repeat " + g + " --plot energy --plot-file " + g, {"--repeat", "--plot-file"}},
      {"solve " + one + " --write " + one, {"FILE", "--write", one}},
      {"solve " + one + " --plot " + one, {"FILE", "--plot", one}},
      {"contacts " + m + " --svg " + m, {"FILE", "--svg", m}},
      {"contacts " + m + " --png " + m, {"FILE", "--png", m}},
      {"contacts " + m + " --state " + states + " --svg " + states, {"--state", "--svg", states}},
      {"inspect " + m + " --out " + m, {"FILE", "--out", m}},
      {"inspect " + m + " --states " + states + " --out " + states, {"--states", "--out", states}},
      {"replay " + g + " --html " + g, {"RECORDING", "--html", g}},
      {"render " + g + " --png " + g, {"RECORDING", "--png", g}},
      {"render " + g + " --mp4 " + g, {"RECORDING", "--mp4", g}},
      {"train-sdf cup --steps 1 --model " + m + " --out " + m, {"--model", "--out", m}},
  };
  for (const auto& [arguments, parts] : refused) expect_refused(arguments, parts);
}

TEST_F(Outputs, AreNeverWrittenOverAnotherOutput) {
  const std::string x = file("x");
  fs::create_symlink("nothing", file("link"));
  const std::string behind = file("nothing");
  for (const std::string& command :
       {"run slide --duration 0.02 --record " + file("link") + " --report " + behind,
        "solve --generate one --solver pgs --write " + x + " --plot " + x,
        "contacts slide --svg " + x + " --png " + x}) {
    expect_refused(command, {"are both '"});
  }
  // Which steps are the worst is not known before.
  const std::string dumps = " --duration 0.02 --dump-worst 1 --dump-to " + folder_.string();
  expect_refused("run slide --record " + file("slide-step-3.h5") + dumps,
                 {"--record", "slide-step-3.h5", "--dump-worst"});
  fs::copy_file(file("g.h5"), file("slide-step-2.h5"));
  expect_refused("run slide --repeat " + file("slide-step-2.h5") + " --dump-worst 1 --dump-to " +
                     folder_.string(),
                 {"--repeat", "slide-step-2.h5", "--dump-worst"});
  EXPECT_EQ(run_program("run slide --record " + file("slide-step-x.h5") + dumps).exit_code, 0);
}

TEST_F(Outputs, ThatCannotBeWrittenAreRefusedBeforeTheRun) {
  const std::string run = "run slide --duration 0.02 --record " + file("a.h5") + " ";
  for (const std::string& bad : {folder_.string(), std::string("/proc/a"), file("no/x")}) {
    expect_refused(run + "--report " + bad, {"--report: '" + bad + "'"});
    expect_refused(run + "--plot energy --plot-file " + bad, {"--plot-file: '" + bad + "'"});
    expect_refused("run slide --duration 0.02 --record " + bad, {"--record: '" + bad + "'"});
    expect_refused("solve --generate one --write " + bad, {"--write: '" + bad + "'"});
    expect_refused("contacts slide --svg " + bad, {"--svg: '" + bad + "'"});
  }
  expect_refused(run + "--dump-worst 1 --dump-to /proc", {"--dump-to: '/proc/slide-step-"});
  fs::create_directories(file("demo/replay.html"));
  expect_refused("demo slide --headless --duration 0.02 --out " + file("demo"),
                 {"--out: '" + file("demo/replay.html") + "'"});
}

TEST_F(Outputs, ThatNeedGnuplotAreRefusedBeforeTheRunWithoutIt) {
  const std::string before = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  expect_refused("run slide --duration 0.02 --plot energy --plot-file " + file("a.png") +
                     " --record " + file("a.h5"),
                 {file("a.png") + ": gnuplot is missing"});
  setenv("PATH", before.c_str(), 1);
}

TEST_F(Outputs, OfARunThatIsRefusedForAnotherReasonAreNotTouched) {
  const std::string files =
      " --record " + file("a.h5") + " --plot energy --plot-file " + file("a.png");
  expect_refused("run slide --set speed=1 --report " + file("a.json") + files, {"speed"});
  expect_refused("run slide --set speed=1 --report " + file("s.json") + files, {"speed"});
  expect_refused("run slide --report " + file("a.json") + files + " --repeat " + file("one.h5"),
                 {"one.h5"});
}

TEST_F(Outputs, ThatFailAtTheEndLeaveTheSummaryAndTheOthers) {
  const std::string run = "run slide --duration 0.02 --record " + file("a.h5");
  const std::string plot = " --plot energy --plot-file ";
  const std::pair<std::string, std::string> full[] = {
      {plot + file("a.png") + " --report /dev/full", "a.png"},
      {plot + "/dev/full --report " + file("a.json"), "a.json"}};
  for (const auto& [flags, other] : full) {
    const Outcome outcome = run_program(run + flags);
    EXPECT_EQ(outcome.exit_code, 2) << flags;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("/dev/full"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("  steps          5 of"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("  recording      "), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("/dev/full"), std::string::npos) << outcome.out;
    EXPECT_GT(fs::file_size(file(other)), 100u);
    const Outcome as_json = run_program(run + flags + " --json");
    EXPECT_EQ(as_json.exit_code, 2);
    EXPECT_EQ(json::parse(as_json.out).at("steps"), 5);
  }
}

// The run ends where its recording does, but no step was refused.
TEST_F(Outputs, ARecordingThatFillsTheDiskIsToldAsSuch) {
  const SmallDisk disk(1'000'000);
  const Outcome run = run_program("run slide --dt 1e-4 --duration 100 --record " + file("a.h5") +
                                  " --report " + file("a.json"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(file("a.h5") + ": cannot be added to: "), std::string::npos) << run.err;
  EXPECT_EQ(run.out.find("refused"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("  stopped        at t = "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(", where the recording could not be written\n"), std::string::npos)
      << run.out;
  const json report = json::parse(read(file("a.json")));
  EXPECT_FALSE(report.contains("refused"));
  EXPECT_EQ("stiction: " + report.at("recording_failed").get<std::string>() + "\n", run.err);
  const Recording recording = read_recording(file("a.h5"));
  EXPECT_GT(recording.frames.size(), 1u);
  EXPECT_LE(recording.frames.size(), report.at("steps").get<size_t>() + 1);
}

}  // namespace
}  // namespace stiction::test
