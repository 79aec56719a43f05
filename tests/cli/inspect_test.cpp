// stiction inspect: what it computes, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "program.h"

namespace stiction::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr char kFreeBox[] = "inspect models/box_on_slope.xml";  // 1 kg, edges of 0.2 m, free

class Inspect : public testing::Test {
 protected:
  Inspect() { fs::create_directories(folder_); }
  ~Inspect() override { fs::remove_all(folder_); }

  std::string write(const std::string& text) const {
    const std::string path = folder_ / "states.json";
    std::ofstream(path) << text;
    return path;
  }

  fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("inspect_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Inspect, ReferenceStateOfAFreeBox) {
  const Outcome run = run_program(kFreeBox);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["sizes"]["nv"], 6);
  EXPECT_NEAR(result["total_mass"].get<double>(), 1, 1e-12);
  ASSERT_EQ(result["states"].size(), 1u);
  const json& state = result["states"][0];
  ASSERT_EQ(state["M"].size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    ASSERT_EQ(state["M"][i].size(), i + 1);
    EXPECT_NEAR(state["M"][i][i].get<double>(), i < 3 ? 1 : 0.08 / 12, 1e-12);
    EXPECT_NEAR(state["qfrc_bias"][i].get<double>(), i == 2 ? 9.81 : 0, 1e-12);
    EXPECT_NEAR(state["qacc_smooth"][i].get<double>(), i == 2 ? -9.81 : 0, 1e-12);
  }
  EXPECT_NEAR(state["xpos"][1][2].get<double>(), 0.093969262, 1e-12);
  EXPECT_NEAR(state["energy"][0].get<double>(), 9.81 * 0.093969262, 1e-12);
  EXPECT_NEAR(state["xquat"][1][0].get<double>(), std::cos(std::numbers::pi / 18), 1e-12);
}

TEST_F(Inspect, StatesInAListOrUnderStates) {
  const std::string list =
      R"([{"qpos": [0, 0, 2, 1, 0, 0, 0], "qvel": [3, 0, 0, 0, 0, 0]}, {"name": "rest"}])";
  for (const std::string& text : {list, R"({"file": "x", "states": )" + list + "}"}) {
    const std::string out = folder_ / "out.json";
    const Outcome run =
        run_program(std::string(kFreeBox) + " --states " + write(text) + " --out " + out);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    const json result = json::parse(std::ifstream(out));
    ASSERT_EQ(result["states"].size(), 2u);
    EXPECT_NEAR(result["states"][0]["energy"][0].get<double>(), 9.81 * 2, 1e-12);
    EXPECT_NEAR(result["states"][0]["energy"][1].get<double>(), 0.5 * 9, 1e-12);
    EXPECT_EQ(result["states"][1]["name"], "rest");
  }
}

TEST_F(Inspect, RefusesWithOneLine) {
  const std::string quiet = std::string(kFreeBox) + " --states ";
  const std::pair<std::string, std::string> wrong[] = {
      {"{", "not JSON"},
      {"3", "expected a list of states"},
      {"[3]", "state 0: expected an object"},
      {R"([{}, {"qpos": [1, 2]}])", "state 1: qpos has size 2, expected 7 numbers"},
      {R"([{"qvel": "fast"}])", "state 0: qvel has size string, expected 6 numbers"},
      {R"([{"qvel": [0, 0, null, 0, 0, 0]}])", "state 0: qvel[2] is null, expected a number"},
      {R"([{"qvel": [0, 0, NaN, 0, 0, 0]}])", "not JSON"},
      {R"([{"qvel": [0, 0, 1e999, 0, 0, 0]}])", "not JSON"},
      {R"([{"qpos": [0, 0, 0, 0, 0, 0, 0]}])", "quaternion of joint 'box' is zero"},
      {R"([{"qvel": [0, 0, 0, 1e200, 1e200, 0]}])", "too large"},
  };
  for (const auto& [text, message] : wrong) {
    const Outcome run = run_program(quiet + write(text));
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_EQ(run.out, "") << text;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(Inspect, RefusesUnknownKeysAndPlaces) {
  for (const std::string arguments : {" --key nowhere", " --states missing.json",
                                      " --out /nowhere/out.json", " --key a --states b.json"}) {
    const Outcome run = run_program(kFreeBox + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(Inspect, AFailedWriteKeepsTheOldFile) {
  const fs::path out = folder_ / "out.json";
  fs::create_directories(out / "full");  // a folder in the way: the rename fails
  const Outcome run = run_program(std::string(kFreeBox) + " --out " + out.string());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(fs::exists(out / "full"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1)
      << "the temporary file stayed";
}

}  // namespace
}  // namespace stiction::test
