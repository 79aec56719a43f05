// `stiction solve` as a user types it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class SolveCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("stiction_solve_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

json solved(const std::string& arguments) {
  const Outcome run = run_program("solve " + arguments + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out);
}

TEST_F(SolveCommand, JsonHasAllFields) {
  const json list = solved("--generate tower --solver pgs,pgs");
  ASSERT_EQ(list.size(), 2u);
  for (const json& entry : list) {
    EXPECT_EQ(entry.at("solver"), "pgs");
    EXPECT_TRUE(entry.at("status").is_string());
    EXPECT_GT(entry.at("iterations"), 0);
    EXPECT_GE(entry.at("factorizations"), 0);
    EXPECT_GT(entry.at("time_s"), 0.0);
    EXPECT_GE(entry.at("residual_paper"), 0.0);
    EXPECT_GE(entry.at("residual_scaled"), 0.0);
    EXPECT_GE(entry.at("err_v"), 0.0);
    EXPECT_EQ(entry.at("contacts"), 40);
    EXPECT_EQ(entry.at("dof"), 60);
    EXPECT_EQ(entry.size(), 10u);
  }
}

TEST_F(SolveCommand, AllNamesEverySolverOnce) {
  const json list = solved("--generate one --seed 1 --solver all");
  std::vector<std::string> names;
  for (const json& entry : list) names.push_back(entry.at("solver"));
  EXPECT_GE(names.size(), 2u);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST_F(SolveCommand, WritesAndReadsBack) {
  const std::string file = path("stack.hdf5");
  EXPECT_EQ(run_program("solve --generate stack --seed 3 --write " + file).exit_code, 0);
  const json generated = solved("--generate stack --seed 3 --solver pgs --iterations 50");
  const json read = solved(file + " --solver pgs --iterations 50");
  EXPECT_EQ(read[0].at("residual_scaled"), generated[0].at("residual_scaled"));
  EXPECT_EQ(read[0].at("contacts"), generated[0].at("contacts"));
}

TEST_F(SolveCommand, WarmStartsFromTheStoredSolution) {
  const std::string file = path("slide.hdf5");
  const Outcome written =
      run_program("solve --generate slide --seed 2 --solver pgs --tol 1e-10 --write " + file);
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const json warm = solved(file + " --solver pgs --warm --tol 1e-9");
  EXPECT_EQ(warm[0].at("status"), "solved");
  EXPECT_EQ(warm[0].at("iterations"), 0);
}

TEST_F(SolveCommand, TimeBudgetEndsTheSolve) {
  const json list = solved(
      "--generate pile --seed 1 --size 100 --solver pgs --tol 0 --iterations 1000000 "
      "--budget 20ms");
  EXPECT_EQ(list[0].at("status"), "time limit");
}

TEST_F(SolveCommand, PlotsAPicture) {
  const std::string file = path("it's a plot.png");
  const Outcome run = run_program(
      "solve --generate stack --seed 3 --solver all --iterations 30 --plot \"" + file + "\"");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::ifstream picture(file, std::ios::binary);
  std::string head(4, ' ');
  picture.read(head.data(), 4);
  EXPECT_EQ(head, "\x89PNG");
  EXPECT_GT(fs::file_size(file), 5000u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(SolveCommand, WithoutGnuplotSaysSo) {
  const std::string before = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  const Outcome run = run_program("solve --generate one --plot " + path("a.png"));
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("gnuplot is missing"), std::string::npos) << run.err;
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SolveCommand, WrongUseIsOneLineAndExitCode2) {
  for (const char* arguments : {"",
                                "no_such_file.hdf5",
                                "--generate castle",
                                "--generate one --solver nonsense",
                                "--generate one --budget 10",
                                "--generate one --budget -1s",
                                "--generate one --budget 1h",
                                "--generate one --tol x",
                                "--generate one --tol -1",
                                "--generate one --tol nan",
                                "--generate one --iterations 0",
                                "--generate one --threads 0",
                                "--generate one --size -3",
                                "--generate one --mu nan",
                                "--generate one file.hdf5",
                                "README.md",
                                "--generate robot --local --write x.hdf5",
                                "--generate one --write no/folder/x.hdf5",
                                "--generate one --plot no/folder/x.png",
                                "--generate one --seed -1"}) {
    SCOPED_TRACE(arguments);
    const Outcome run = run_program(std::string("solve ") + arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.err.rfind("stiction: ", 0), 0u) << run.err;
  }
}

}  // namespace
}  // namespace stiction::test
