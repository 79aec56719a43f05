// Every study's quick run, and what it claims about iterations, residuals and orders. Claims on
// time are left to the full runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.h"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;

// Per study, what is claimed and not so here; the studies' pages say why.
const std::vector<std::pair<std::string, std::string>> kNotHere = {
    {"dish-single", "Grip to 1e-10 in fewer factorizations than CANAL to 1e-8"},
    {"dish-single", "First-order methods end far above the Newton methods"},
    {"inner-newton", "Grip takes fewer steps than CANAL"},
    {"bolt-single", "First-order methods end far above the Newton methods"},
    {"balls", "Local minima are rare"}};

class Studies : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    out_ = fs::temp_directory_path() / ("stiction_studies_" + std::to_string(getpid()));
  }
  void TearDown() override { fs::remove_all(out_); }
  fs::path out_;
};

TEST_P(Studies, QuickRunHoldsItsClaims) {
  const Outcome run =
      run_program("study " + GetParam() + " --quick --json --out '" + out_.string() + "'");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json result = nlohmann::json::parse(run.out);
  ASSERT_FALSE(result["claims"].empty());
  int checked = 0;
  for (const nlohmann::json& claim : result["claims"]) {
    if (claim["timed"].get<bool>()) continue;
    ++checked;
    const std::pair<std::string, std::string> named(GetParam(), claim["name"]);
    const bool excepted = std::find(kNotHere.begin(), kNotHere.end(), named) != kNotHere.end();
    EXPECT_TRUE(excepted || claim["verdict"].get<std::string>().starts_with("holds"))
        << claim.dump(2);
  }
  EXPECT_GT(checked, 0);
  for (const char* ending : {".md", ".csv", ".png"}) {
    EXPECT_GT(fs::file_size(out_ / (GetParam() + ending)), 100u) << ending;
  }
  for (const auto& entry : fs::directory_iterator(out_)) {
    EXPECT_TRUE(entry.path().filename().string().starts_with(GetParam())) << entry.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Quick, Studies,
                         testing::Values("dish-single", "inner-newton", "bolt-single", "dish-slide",
                                         "friction", "scaling", "balls", "door", "panda-box",
                                         "laikago", "truth"),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(StudyCommand, ListsWhatTheTestsRun) {
  const Outcome run = run_program("study --list");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 11);
}

TEST(StudyCommand, BadInputIsOneLineAndExitCodeTwo) {
  const Outcome unknown = run_program("study nonsense");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("'nonsense' is unknown"), std::string::npos) << unknown.err;
  const Outcome folder = run_program("study door --quick --out /proc/nowhere");
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_NE(folder.err.find("/proc/nowhere: cannot be written"), std::string::npos) << folder.err;
  EXPECT_EQ(run_program("study").exit_code, 2);
}

// The study is under way when there is a folder for unfinished results, and takes much longer.
TEST(StudyCommand, CtrlCLeavesNothingAndSaysSo) {
  const fs::path out =
      fs::temp_directory_path() / ("stiction_interrupted_" + std::to_string(getpid()));
  const auto under_way = [&] { return fs::exists(out) && !fs::is_empty(out); };
  const std::string command = "study dish-single --out '" + out.string() + "'";
  const Outcome study = interrupt_program(command, under_way);
  EXPECT_EQ(study.exit_code, 130);
  EXPECT_NE(study.err.find("interrupted"), std::string::npos) << study.err;
  EXPECT_FALSE(fs::exists(out));

  fs::create_directories(out);
  EXPECT_EQ(interrupt_program(command, under_way).exit_code, 130);
  EXPECT_TRUE(fs::is_empty(out));  // it was there before
  fs::remove(out);
}

}  // namespace
}  // namespace stiction::test
