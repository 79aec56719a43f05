// `stiction run` as a user types it: the report, the files it leaves, and what it refuses.
#include <gtest/gtest.h>
#include <stiction/files.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class RunCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("stiction_run_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

// A ball that a motor makes ever faster, until no number holds its position.
TEST_F(RunCommand, ARunThatIsRefusedLeavesItsReport) {
  std::ofstream(path("fast.xml")) << R"(<mujoco><worldbody>
    <body><joint name="x" type="slide"/><geom type="sphere" size="0.1" mass="1"/></body>
    </worldbody><actuator><motor joint="x" gear="1e90"/></actuator></mujoco>)";
  const std::string to = path("report.json");
  const Outcome run =
      run_program("run " + path("fast.xml") + " --set ctrl=1e12 --duration 1 --report " + to);
  EXPECT_EQ(run.exit_code, 2);
  std::ifstream file(to);
  const json report = json::parse(file);
  EXPECT_GT(report.at("steps"), 0);
  EXPECT_NE(run.err.find(report.at("refused").get<std::string>()), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("refused        a step at t = "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("steps          "), std::string::npos) << run.out;
}

TEST_F(RunCommand, ARunWhoseFirstStepIsRefusedLeavesItsReportToo) {
  const Outcome run = run_program("run tower --solver pgs --budget 1 --on-trouble throw --json" +
                                  (" --report " + path("report.json")));
  EXPECT_EQ(run.exit_code, 2);
  std::ifstream file(path("report.json"));
  const json report = json::parse(file);
  EXPECT_EQ(report, json::parse(run.out));
  EXPECT_EQ(report.at("steps"), 0);
  EXPECT_EQ(run.err, "stiction: " + report.at("refused").get<std::string>() + "\n");
}

// Two balls of 0.1 m that start 0.15 m apart overlap by 0.05 m, and by less from step to step.
TEST_F(RunCommand, TheDeepestPenetrationIsToldWithItsStepAndContact) {
  std::ofstream(path("balls.xml")) << R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body><freejoint/><geom name="left" type="sphere" size="0.1" mass="1"/></body>
    <body pos="0.15 0 0"><freejoint/><geom name="right" type="sphere" size="0.1" mass="1"/></body>
    </worldbody></mujoco>)";
  const std::string command =
      "run " + path("balls.xml") + " --duration 0.1 --report " + path("report.json");
  const Outcome run = run_program(command);
  EXPECT_NE(run.out.find("penetration    50 mm at most (step 1, contact 'left' - 'right')\n"),
            std::string::npos)
      << run.out;
  std::ifstream file(path("report.json"));
  const json depth = json::parse(file).at("penetration");
  EXPECT_NEAR(depth.at("max").get<double>(), 0.05, 1e-12);
  EXPECT_EQ(depth.at("max_step"), 1);
  EXPECT_EQ(depth.at("max_contact"), "contact 'left' - 'right'");
}

TEST_F(RunCommand, NothingThatTouchesIsNeitherDeepNorWorst) {
  std::ofstream(path("ball.xml")) << R"(<mujoco><worldbody>
    <body><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>)";
  const Outcome run =
      run_program("run " + path("ball.xml") + " --duration 0.1 --report " + path("report.json"));
  EXPECT_NE(run.out.find(": 1 body, 6 dof\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("worst 0.0e+00 m/s\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("penetration    none\n"), std::string::npos) << run.out;
  std::ifstream file(path("report.json"));
  const json depth = json::parse(file).at("penetration");
  EXPECT_EQ(depth.at("max"), 0);
  EXPECT_TRUE(depth.at("max_step").is_null());
}

// However long they are: robots' files have names of a hundred letters.
TEST_F(RunCommand, NamesInTheSummaryAreNotCut) {
  const std::string name(300, 'n');
  std::ofstream(path("ball.xml")) << "<mujoco><worldbody><geom type='plane' size='1 1 1' name='f"
                                  << name << "'/><body pos='0 0 0.1'><freejoint/><geom name='b"
                                  << name
                                  << "' type='sphere' size='0.1'/></body></worldbody></mujoco>";
  const Outcome run = run_program("run " + path("ball.xml") + " --duration 0.1");
  EXPECT_NE(run.out.find("contact 'f" + name + "' - 'b" + name + "')\n"), std::string::npos)
      << run.out;
}

// Which of our own files is for what is not for users to know by heart.
TEST_F(RunCommand, ARecordingIsNoModel) {
  ASSERT_EQ(run_program("run slide --duration 0.02 --record " + path("a.h5")).exit_code, 0);
  const Outcome run = run_program("run " + path("a.h5"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("a.h5: an HDF5 file, expected MJCF or URDF"), std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("stiction replay"), std::string::npos) << run.err;
}

// Five hundred hours of a box, ended when some seconds of it are on the disk (an empty recording
// has half a megabyte): all that was asked for is there, of the steps until then.
TEST_F(RunCommand, ASignalEndsTheRunInGoodOrder) {
  const std::string files = " --record " + path("out.h5") + " --report " + path("out.json") +
                            " --plot energy --plot-file " + path("out.png");
  for (const auto& [signal, name] : {std::pair(SIGINT, "SIGINT"), std::pair(SIGTERM, "SIGTERM")}) {
    SCOPED_TRACE(name);
    const auto recording = [&] {
      return fs::exists(path("out.h5")) && fs::file_size(path("out.h5")) > 1'000'000;
    };
    const Outcome run = interrupt_program("run slide --duration 1.8e6" + files, recording, signal);
    EXPECT_EQ(run.exit_code, 128 + signal) << run.err;
    EXPECT_NE(run.out.find("by " + std::string(name) + " at t = "), std::string::npos) << run.out;
    EXPECT_GT(fs::file_size(path("out.png")), 100u);
    std::ifstream file(path("out.json"));
    const json report = json::parse(file);
    EXPECT_EQ(report.at("interrupted").at("signal"), name);
    const double time = report.at("interrupted").at("time");
    const long steps = report.at("steps");
    EXPECT_GT(steps, 0);
    EXPECT_NEAR(time, static_cast<double>(steps) / 240, 1e-6 * time);
    const Outcome again = run_program("run slide --json --repeat " + path("out.h5"));
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(json::parse(again.out).at("steps"), steps);  // the last one is in the recording, too
    fs::remove(path("out.h5"));
  }
}

TEST_F(RunCommand, ReportHasAllFields) {
  const Outcome run = run_program("run slide --duration 0.1 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json report = json::parse(run.out);
  EXPECT_EQ(report.at("steps"), 24);
  EXPECT_EQ(report.at("steps_missed"), 0);
  for (const auto& [reason, count] : report.at("steps_missed_by").items()) EXPECT_EQ(count, 0);
  EXPECT_TRUE(report.at("first_missed_step").is_null());
  EXPECT_EQ(report.at("steps_by_status").at("solved"), 24);
  EXPECT_EQ(report.at("steps_retried"), 0);
  for (const char* key : {"median", "p99", "max"}) {
    EXPECT_GE(report.at("residual_scaled").at(key), 0.0);
  }
  EXPECT_GE(report.at("penetration").at("max"), 0.0);
  EXPECT_GE(report.at("penetration").at("late_mean"), 0.0);
  EXPECT_EQ(report.at("equality_error").at("max"), 0.0);
  EXPECT_EQ(report.at("contacts_mean"), 4.0);
  EXPECT_GT(report.at("time_per_step_us").at("median"), 0.0);
  EXPECT_GT(report.at("time_per_step_us").at("p99"), 0.0);
  EXPECT_GE(report.at("time_per_step_us").at("stages").size(), 7u);
  EXPECT_GT(report.at("energy").at("start"), report.at("energy").at("end"));
  const json& box = report.at("bodies").at(0);
  EXPECT_EQ(box.at("name"), "box");
  EXPECT_EQ(box.at("start").at("linvel").at(0), 3.0);
  EXPECT_LT(box.at("end").at("linvel").at(0), 3.0);
  EXPECT_GT(box.at("end").at("pos").at(0), 0.2);
}

// Ten steps: the median is midway between the fifth and the sixth, p99 at 8.91 from the first.
TEST_F(RunCommand, MediansOfAnEvenNumberAreMeansOfTheMiddleTwo) {
  const Outcome run = run_program("run tower --dt 0.01 --duration 0.1 --solver pgs --budget 5 " +
                                  ("--json --record " + path("a.h5")));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::vector<double> residuals;
  for (const RecordingFrame& frame : read_recording(path("a.h5")).frames) {
    if (frame.time > 0) residuals.push_back(frame.residual);
  }
  ASSERT_EQ(residuals.size(), 10u);
  std::sort(residuals.begin(), residuals.end());
  const double median = (residuals[4] + residuals[5]) / 2;
  ASSERT_GT(residuals[5], (1 + 1e-4) * residuals[4]);
  const json report = json::parse(run.out).at("residual_scaled");
  EXPECT_NEAR(report.at("median"), median, 1e-6 * median);  // kept in single precision
  const double p99 = 0.09 * residuals[8] + 0.91 * residuals[9];
  EXPECT_NEAR(report.at("p99"), p99, 1e-6 * p99);
}

// The report's settings are flags: with them the run is the same to the last bit.
TEST_F(RunCommand, ReportHasTheSettingsThatRepeatIt) {
  const Outcome run = run_program("run slide --duration 0.1 --theta 0.5 --tol 1e-9 --budget 30 " +
                                  ("--set qvel='2 0 0 0 0 0' --json --record " + path("a.h5")));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json report = json::parse(run.out);
  const json& settings = report.at("settings");
  EXPECT_EQ(settings.at("file"), "slide");
  EXPECT_EQ(settings.at("theta"), 0.5);
  EXPECT_EQ(settings.at("tol"), 1e-9);
  EXPECT_EQ(settings.at("on_trouble"), "warn");
  EXPECT_EQ(settings.at("threads"), 1);
  EXPECT_NE(run_program("--version").out.find(settings.at("version").get<std::string>()),
            std::string::npos);
  const auto flag = [&settings](const char* name) {
    return std::string(" --") + name + " " + settings.at(name).dump();
  };
  const std::string flags = flag("solver") + flag("tol") + flag("dt") + flag("theta") +
                            flag("budget") + flag("key") + " --set " +
                            settings.at("set").at(0).dump();
  const Outcome again = run_program("run slide" + flags + " --repeat " + path("a.h5"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const Outcome other = run_program("run slide --repeat " + path("a.h5"));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("--theta 0.5 --budget 30"), std::string::npos) << other.err;
}

TEST_F(RunCommand, SaysWhyStepsAreMissed) {
  const std::string hopeless = "run tower --duration 0.1 --solver pgs --budget 1 --report ";
  const Outcome run = run_program(hopeless + path("report.json"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(
      run.out.find("24 missed the tolerance 1e-08, the first is step 1\n"
                   "  missed by      residual above the tolerance: 24 (iteration limit 24)\n"),
      std::string::npos)
      << run.out;
  std::ifstream file(path("report.json"));
  const json report = json::parse(file);
  EXPECT_EQ(report.at("steps_missed"), 24);
  EXPECT_EQ(report.at("steps_missed_by").at("residual"), 24);
  EXPECT_EQ(report.at("first_missed_step"), 1);
  EXPECT_EQ(report.at("steps_missed_by").at("reach"), 0);
  EXPECT_EQ(report.at("steps_by_status").at("iteration limit"), 24);
  const Outcome rescued = run_program(hopeless + path("again.json") + " --on-trouble fallback");
  EXPECT_NE(rescued.out.find("solved again   24 of 24 steps (--on-trouble fallback)"),
            std::string::npos)
      << rescued.out;
}

// Two boxes on a pin each, of which one lets go.
TEST_F(RunCommand, EqualitiesCanBeSwitched) {
  std::ofstream(path("pins.xml")) << R"(<mujoco><worldbody>
    <body name="a"><freejoint/><geom size="0.1"/></body>
    <body name="b" pos="1 0 0"><freejoint/><geom size="0.1"/></body></worldbody>
    <equality><connect body1="a" anchor="0 0 0"/><connect body1="b" anchor="0 0 0"/></equality>
    </mujoco>)";
  const std::string pins = "run " + path("pins.xml") + " --duration 0.1 --json --set eq_active=";
  const Outcome run = run_program(pins + "'0 1'");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json bodies = json::parse(run.out).at("bodies");
  EXPECT_LT(bodies.at(0).at("end").at("pos").at(2), -0.04);
  EXPECT_NEAR(bodies.at(1).at("end").at("pos").at(2), 0, 1e-9);
  EXPECT_NE(run_program(pins + "'0 2'").err.find("eq_active[1] is 2, expected 0 or 1"),
            std::string::npos);
  EXPECT_NE(run_program(pins + "1").err.find("eq_active has size 1, expected 2"),
            std::string::npos);
}

// A weld that wants the body a quarter of a metre beside the rail on which it slides.
TEST_F(RunCommand, SaysHowFarEqualitiesStayOpen) {
  std::ofstream(path("stuck.xml")) << R"(<mujoco><worldbody>
    <body name="cart"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
    <equality><weld name="off" body1="cart" relpose="0 0.25 0 1 0 0 0"/></equality></mujoco>)";
  const Outcome run =
      run_program("run " + path("stuck.xml") + " --duration 0.1 --report " + path("report.json"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("equalities     open by 2.5e-01 m or rad at most (step "),
            std::string::npos);
  EXPECT_NE(run.out.find(", equality 'off')"), std::string::npos) << run.out;
  std::ifstream file(path("report.json"));
  const json error = json::parse(file).at("equality_error");
  EXPECT_NEAR(error.at("max"), 0.25, 1e-9);
  EXPECT_NEAR(error.at("late_mean"), 0.25, 1e-6);  // kept in single precision
  EXPECT_EQ(error.at("max_equality"), "equality 'off'");
  EXPECT_EQ(run_program("run slide --duration 0.1").out.find("equalities"), std::string::npos);
}

// An equality that holds a hinge 0.3 rad beyond its limit, or as far as it gets against it.
TEST_F(RunCommand, SaysHowFarJointsAreOutsideTheirLimits) {
  std::ofstream(path("bent.xml")) << R"(<mujoco><compiler angle="radian"/><worldbody><body>
    <joint name="knee" axis="0 1 0" range="-1 .2"/><geom size="0.1" pos="0.3 0 0"/></body>
    </worldbody><equality><joint joint1="knee" polycoef="0.5 0 0 0 0"/></equality></mujoco>)";
  const Outcome run =
      run_program("run " + path("bent.xml") + " --set qpos=0.5 --duration 0.1 --report " +
                  path("report.json") + " --record " + path("a.h5"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  double most = 0;
  for (const RecordingFrame& frame : read_recording(path("a.h5")).frames) {
    if (frame.time > 0) most = std::max(most, frame.qpos[0] - 0.2);
  }
  ASSERT_GT(most, 0.01);
  std::ifstream file(path("report.json"));
  const json outside = json::parse(file).at("limit_violation");
  EXPECT_NEAR(outside.at("max").get<double>(), most, 1e-12);
  EXPECT_EQ(outside.at("joint"), "joint 'knee'");
  EXPECT_GE(outside.at("step"), 1);
  EXPECT_NE(run.out.find("  limits         exceeded by "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(", joint 'knee')\n"), std::string::npos) << run.out;
}

TEST_F(RunCommand, JointsWithinTheirLimitsAreNotTold) {
  std::ofstream(path("legs.xml")) << R"(<mujoco><compiler angle="radian"/><worldbody>
    <body><joint name="a" axis="0 1 0" range="-1 1"/><geom size="0.1" pos="0.3 0 0"/></body>
    <body><joint name="b" type="ball" range="0 1"/><geom size="0.1" pos="0.3 0 0"/></body>
    </worldbody></mujoco>)";
  // Nine tenths of a radian, and eleven for the ball.
  const std::string legs = "run " + path("legs.xml") + " --dt 1e-4 --duration 1e-3 --json --set ";
  const Outcome run = run_program(legs + "qpos='0.9 0.9004471 0 0.4349656 0'");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("limit_violation").at("max"), 0.0);
  EXPECT_TRUE(json::parse(run.out).at("limit_violation").at("step").is_null());
  const Outcome bent = run_program(legs + "qpos='0.9 -0.8525245 0 -0.5226872 0'");
  const json outside = json::parse(bent.out).at("limit_violation");
  EXPECT_NEAR(outside.at("max").get<double>(), 0.1, 1e-3);
  EXPECT_EQ(outside.at("joint"), "joint 'b'");
}

TEST_F(RunCommand, AGroundThatFallsThroughAnotherIsWarnedOf) {
  std::ofstream(path("field.xml")) << R"(<mujoco>
    <asset><hfield name="h" nrow="2" ncol="2" size="1 1 0.2 0.1" elevation="0 0 0 1"/></asset>
    <worldbody><geom type="plane" size="3 3 .1"/><body pos="0 0 0.1"><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="hfield" hfield="h"/></body>
    </worldbody></mujoco>)";
  const Outcome run = run_program("run " + path("field.xml") + " --duration 0.1");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("pass through each other: plane - height field"), std::string::npos)
      << run.err;
}

TEST_F(RunCommand, LeavesARecordingAPictureAndTheWorstProblems) {
  const Outcome run =
      run_program("run tower --duration 0.1 --record " + path("out.h5") + " --report " +
                  path("out.json") + " --plot energy,residual --plot-file " + path("out.png") +
                  " --dump-worst 2 --dump-to " + folder_.string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* name : {"out.h5", "out.json", "out.png"}) {
    EXPECT_GT(fs::file_size(path(name)), 100u) << name;
  }
  int problems = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().filename().string().rfind("tower-step-", 0) != 0) continue;
    ++problems;
    const Outcome solved = run_program("solve " + entry.path().string() + " --json");
    ASSERT_EQ(solved.exit_code, 0) << solved.err;
    EXPECT_EQ(json::parse(solved.out).at(0).at("contacts"), 40);
  }
  EXPECT_EQ(problems, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 5);
}

// The file has the step's problem and what its solve began with: so many sweeps from there leave so
// much of the error.
TEST_F(RunCommand, TheWorstProblemReproducesItsResidual) {
  const Outcome run = run_program("run tower --duration 0.2 --solver pgs --budget 5 --json" +
                                  (" --dump-worst 1 --dump-to " + folder_.string()));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json report = json::parse(run.out)["residual_scaled"];
  const std::string file = path("tower-step-" + report["max_step"].dump() + ".h5");
  const auto residual = [&file](const std::string& flags) {
    const Outcome solved =
        run_program("solve " + file + " --solver pgs --iterations 5 --json" + flags);
    EXPECT_EQ(solved.exit_code, 0) << solved.err;
    return json::parse(solved.out).at(0).at("residual_scaled").get<double>();
  };
  const double max = report["max"];
  EXPECT_GT(max, 1e-6);
  EXPECT_NEAR(residual(" --warm"), max, 1e-12 * max);
  EXPECT_GT(std::abs(residual("") - max), 1e-3 * max);
}

TEST_F(RunCommand, LongRunsNeedNoMoreMemory) {
  const auto kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
  };
  ASSERT_EQ(run_program("run slide --dt 1e-5 --duration 0.7").exit_code, 0);
  const long before = kilobytes();
  const Outcome run = run_program("run slide --dt 1e-5 --duration 3 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["steps"], 300000);
  EXPECT_LT(kilobytes() - before, 8000);
}

TEST_F(RunCommand, AFileIsForOneThing) {
  const std::string x = path("x");
  const std::string same = folder_.string() + "/../" + folder_.filename().string() + "/x";
  const std::string relative = fs::relative(folder_, STICTION_SOURCE_DIR).string() + "/x";
  for (const std::string& flags :
       {"--record " + x + " --report " + relative, "--record " + x + " --report " + x,
        "--record " + x + " --report " + same, "--plot energy --plot-file " + x + " --report " + x,
        "--repeat " + x + " --record " + x}) {
    const Outcome run = run_program("run slide " + flags);
    EXPECT_EQ(run.exit_code, 2) << flags;
    EXPECT_NE(run.err.find("are both"), std::string::npos) << run.err;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(RunCommand, RefusesBadRequestsInOneLine) {
  const std::vector<std::string> bad = {"--plot nonsense",
                                        "--duration -1",
                                        "--dt -1",
                                        "--set qvel=1",
                                        "--set speed=1",
                                        "--key nokey",
                                        "--record no/such/folder/x.h5",
                                        "--solver nosolver",
                                        "--record-every -1 --record " + path("x.h5"),
                                        "--record-every 0.1",
                                        "--tol 0",
                                        "--dt 0",
                                        "--dt nan",
                                        "--duration 0",
                                        "--duration 1e-9",
                                        "--duration 1e30",
                                        "--report no/such/folder/x.json",
                                        "--plot energy --plot-file no/such/folder/x.png",
                                        "--dump-worst 1 --dump-to no/such/folder",
                                        "--threads 0",
                                        "--budget 0us",
                                        "--theta 1.5",
                                        "--theta -0.1",
                                        "--theta nan",
                                        "--set eq_active=1",
                                        "--on-trouble panic"};
  for (const std::string& flags : bad) {
    const bool has_duration = flags.find("--duration") != std::string::npos;
    const Outcome run =
        run_program("run slide " + std::string(has_duration ? "" : "--duration 0.02 ") + flags);
    EXPECT_EQ(run.exit_code, 2) << flags;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << flags << '\n' << run.err;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace stiction::test
