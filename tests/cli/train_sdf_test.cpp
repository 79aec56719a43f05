// stiction train-sdf: the network that it writes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace stiction::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class TrainSdf : public testing::Test {
 protected:
  TrainSdf() { fs::create_directories(folder_); }
  ~TrainSdf() override { fs::remove_all(folder_); }

  fs::path folder_ =
      fs::path(testing::TempDir()) /
      (std::string("train_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

// A mesh baked into a grid: a cube of 10 cm, with cells of 5 mm.
TEST_F(TrainSdf, LearnsAGeomOfAModel) {
  const std::string model = (folder_ / "cube.xml").string();
  std::ofstream(model) << R"(<mujoco>
    <custom><text name="stiction:sdf:cube" data="grid resolution=20"/></custom>
    <asset><mesh name="m" scale="0.1 0.1 0.1"
      vertex="0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1"/></asset>
    <worldbody><geom name="cube" type="mesh" mesh="m"/><geom name="ball" size="1"/></worldbody>
    </mujoco>)";
  const std::string rest = " --model " + model + " --out " + (folder_ / "cube.nsdf").string();
  const Outcome run = run_program("train-sdf cube --steps 400 --json" + rest);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LT(json::parse(run.out)["near_rms"].get<double>(), 1e-3);
  const Outcome ball = run_program("train-sdf ball" + rest);
  EXPECT_EQ(ball.exit_code, 2);
  EXPECT_NE(ball.err.find("geom 'ball' is no signed distance solid"), std::string::npos)
      << ball.err;
  EXPECT_EQ(run_program("train-sdf none" + rest).exit_code, 2);
}

// An 8 mm thick plate, which rests with its whole base on a plane 0.1 mm below.
TEST_F(TrainSdf, AModelUsesTheNetwork) {
  const Outcome run = run_program("train-sdf \"plate thickness=0.008\" --steps 400 --json --out " +
                                  (folder_ / "plate.nsdf").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const json result = json::parse(run.out);
  EXPECT_EQ(result["steps"], 400);
  const double error = result["near_max"].get<double>();
  EXPECT_LT(result["near_rms"].get<double>(), 4e-4);
  EXPECT_GT(error, result["near_rms"].get<double>());
  std::ofstream(folder_ / "plate.xml") << R"(<mujoco>
    <custom><text name="stiction:sdf:plate" data="neural file=plate.nsdf"/></custom>
    <worldbody>
      <geom type="plane" size="1 1 1" margin="0.005"/>
      <body pos="0 0 0.0001"><freejoint/>
        <geom name="plate" type="cylinder" size="0.1 0.01" mass="0.2"/></body>
    </worldbody></mujoco>)";
  const Outcome shown = run_program("contacts --json " + (folder_ / "plate.xml").string());
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const json contacts = json::parse(shown.out)["contacts"];
  EXPECT_GT(contacts.size(), 20u);
  for (const json& contact : contacts) {
    const double x = contact["point"][0].get<double>(), y = contact["point"][1].get<double>();
    if (x * x + y * y > 0.05 * 0.05) continue;  // the base is flat up to a radius of 56 mm
    EXPECT_NEAR(contact["gap"].get<double>(), 1e-4, error);
  }
}

TEST_F(TrainSdf, RefusesWithOneLine) {
  const std::string out = " --out " + (folder_ / "x.nsdf").string();
  for (const std::string& arguments :
       {"teapot" + out, "\"bowl rim=3\"" + out, "bowl --steps 0" + out, "bowl --width 500" + out,
        "bowl --batch 100" + out, std::string("bowl --out /nowhere/x.nsdf"), std::string("bowl")}) {
    const Outcome run = run_program("train-sdf " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
  EXPECT_FALSE(fs::exists(folder_ / "x.nsdf"));
}

}  // namespace
}  // namespace stiction::test
