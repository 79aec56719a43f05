// What every command of the program promises: help, version, and one line with exit code 2 for
// anything that is wrong.
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

namespace stiction::test {
namespace {

/// The commands of the examples at the end of a help text, without the program's name.
std::vector<std::string> examples_of(const std::string& help) {
  std::vector<std::string> examples;
  std::istringstream lines(help.substr(std::min(help.find("Examples:"), help.size())));
  const std::regex example("  stiction (.*?)(   .*)?");
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, example)) examples.push_back(match[1]);
  }
  return examples;
}

TEST(Program, WithoutArgumentsShowsTheHelp) {
  const Outcome bare = run_program("");
  const Outcome help = run_program("--help");
  EXPECT_EQ(bare.exit_code, 0);
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(bare.out, help.out);
  EXPECT_NE(help.out.find("check"), std::string::npos);
  EXPECT_EQ(help.err, "");
}

// Live views run until Ctrl-C; tests/viewer has them.
bool is_live(const std::string& example) {
  return example.starts_with("view") || example == "demo";
}

TEST(Program, ExamplesOfTheHelpRun) {
  const std::vector<std::string> examples = examples_of(run_program("--help").out);
  ASSERT_GE(examples.size(), 2u);
  for (const std::string& example : examples) {
    if (is_live(example)) continue;
    const Outcome run = run_program(example);
    EXPECT_EQ(run.exit_code, 0) << "stiction " << example << '\n' << run.err;
    EXPECT_NE(run.out, "") << "stiction " << example;
  }
}

TEST(Program, VersionIsOneLine) {
  const Outcome run = run_program("--version");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(std::regex_match(run.out, std::regex("stiction \\d+\\.\\d+\\.\\d+\n"))) << run.out;
}

class WrongUse : public testing::TestWithParam<const char*> {};

TEST_P(WrongUse, IsOneLineAndExitCode2) {
  const Outcome run = run_program(GetParam());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(run.err.rfind("stiction: ", 0), 0u) << run.err;
}

INSTANTIATE_TEST_SUITE_P(Arguments, WrongUse,
                         testing::Values("nonsense", "--nonsense", "''", "check",
                                         "check --nonsense models/box_on_slope.xml",
                                         "check models/box_on_slope.xml extra",
                                         "check models/no_such_file.xml", "check models",
                                         "check ''", "check dev"));

TEST(Program, NamesWhatIsWrong) {
  EXPECT_NE(run_program("check models/no_such_file.xml").err.find("no_such_file.xml"),
            std::string::npos);
  EXPECT_NE(run_program("check a b").err.find("b"), std::string::npos);
}

TEST(Program, FullDiskIsAnError) {
  const Outcome run = run_program("check models/box_on_slope.xml >/dev/full");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

}  // namespace
}  // namespace stiction::test
