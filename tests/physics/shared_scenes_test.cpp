// The scenes on which other engines show their artifacts: untouched files, default settings. Some
// run shorter here than in the criterion, where the physics allows to tell earlier.
#include <gtest/gtest.h>
#include <stiction/files.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace stiction {
namespace {

constexpr char kNoShared[] = "there is no folder shared beside the repository";

class SharedScene : public testing::Test {
 protected:
  // At its keyframe, if it has one; null if the shared folder is not there.
  std::unique_ptr<Simulation> load(const std::string& name) {
    const std::string path = std::string(STICTION_SHARED_DIR) + "/scenes/" + name;
    if (!std::filesystem::exists(path)) return nullptr;
    auto simulation = std::make_unique<Simulation>(load_model(path).model);
    if (simulation->model().keyframe_index("home") >= 0) simulation->reset_to_keyframe("home");
    return simulation;
  }

  void run(Simulation& simulation, double duration) {
    while (simulation.state().time < duration - 1e-9) {
      const StepReport& report = simulation.step();
      residuals_.push_back(report.solve.residual.scaled);
      depth_ = std::max(depth_, report.max_penetration);
      for (const Miss miss : report.misses) unsettled_ += miss == Miss::kReach ? 1 : 0;
    }
  }

  double residual(double share) {
    std::sort(residuals_.begin(), residuals_.end());
    return residuals_[static_cast<size_t>(share * static_cast<double>(residuals_.size() - 1))];
  }

  // The furthest that a body has moved.
  static double moved(const Simulation& simulation, const std::vector<Pose>& start) {
    double largest = 0;
    for (int b = 1; b < static_cast<int>(start.size()); ++b) {
      largest = std::max(largest, (simulation.body_pose(b).p - start[b].p).norm());
    }
    return largest;
  }

  static std::vector<Pose> poses(const Simulation& simulation) {
    std::vector<Pose> all;
    for (int b = 0; b < static_cast<int>(simulation.model().bodies.size()); ++b) {
      all.push_back(simulation.body_pose(b));
    }
    return all;
  }

  std::vector<double> residuals_;
  double depth_ = 0;
  int unsettled_ = 0;  ///< steps whose own motion kept finding contacts
};

TEST_F(SharedScene, SlopesDoNotCreep) {
  for (const char* name : {"slope20.xml", "slope26.xml"}) {
    const std::unique_ptr<Simulation> simulation = load(name);
    if (!simulation) GTEST_SKIP() << kNoShared;
    run(*simulation, 0.5);  // it may settle on the plane first
    const std::vector<Pose> start = poses(*simulation);
    run(*simulation, 10);
    EXPECT_LT(moved(*simulation, start), 1e-6) << name;
    EXPECT_LE(residual(0.5), 1e-8);
  }
}

TEST_F(SharedScene, GraspHolds) {
  const std::unique_ptr<Simulation> simulation = load("grasp.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  run(*simulation, 0.5);
  const std::vector<Pose> start = poses(*simulation);
  run(*simulation, 2.5);
  EXPECT_LT(moved(*simulation, start) / 2, 1e-6);
  EXPECT_LE(residual(0.5), 1e-8);
}

TEST_F(SharedScene, BoxStopsWhereCoulombSaysInTwelveDirections) {
  for (int direction = 0; direction < 12; ++direction) {
    const std::unique_ptr<Simulation> simulation = load("slide.xml");
    if (!simulation) GTEST_SKIP() << kNoShared;
    const double angle = direction * M_PI / 6;
    const double h = simulation->timestep();
    const Pose start = simulation->body_pose(1);
    State state = simulation->state();
    state.qvel.head<2>() << 3 * std::cos(angle), 3 * std::sin(angle);
    simulation->set_state(state);
    double lift = 0;
    for (int k = 0; k < 200; ++k) {
      simulation->step();
      lift = std::max(lift, simulation->body_pose(1).p[2] - start.p[2]);
    }
    const double decrement = 0.5 * 9.81 * h;
    double distance = 0;
    for (double v = 3 - decrement; v > 0; v -= decrement) distance += h * v;
    const Eigen::Vector2d way = (simulation->body_pose(1).p - start.p).head<2>();
    EXPECT_NEAR(way.norm(), distance, 1e-5) << direction;
    EXPECT_LT(lift, 1e-6) << direction;
  }
}

TEST_F(SharedScene, LightBoxesCarryHeavyOnes) {
  const std::unique_ptr<Simulation> simulation = load("stack_boxes.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  const std::vector<Pose> start = poses(*simulation);
  run(*simulation, 2);
  EXPECT_LT(moved(*simulation, start), 5e-5);
  EXPECT_LE(residual(0.5), 1e-8);
  const std::unique_ptr<Simulation> heavy = load("stack_boxes_500.xml");
  const std::vector<Pose> heavy_start = poses(*heavy);
  run(*heavy, 2);
  EXPECT_LT(moved(*heavy, heavy_start), 2e-4);
}

TEST_F(SharedScene, TowerOfTenStands) {
  const std::unique_ptr<Simulation> simulation = load("stack_boxes10.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  const std::vector<Pose> start = poses(*simulation);
  run(*simulation, 2);
  EXPECT_LT(moved(*simulation, start), 2e-4);
  EXPECT_LE(residual(0.5), 1e-8);
}

// Peak penetration of MuJoCo: 15 mm.
TEST_F(SharedScene, QuadrupedsLandOnTheFloor) {
  const std::unique_ptr<Simulation> simulation = load("quad8.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  run(*simulation, 1);
  EXPECT_LT(depth_, 1.5e-3);
  EXPECT_LE(residual(0.5), 1e-8);
  EXPECT_LE(residual(0.99), 1e-6);
}

// Peak penetration of MuJoCo: 28 mm. Limbs that turn while they overlap must not be looked at for
// ever.
TEST_F(SharedScene, PiledQuadrupedsSettle) {
  const std::unique_ptr<Simulation> simulation = load("quad27.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  run(*simulation, 0.5);
  EXPECT_EQ(unsettled_, 0);
  EXPECT_LT(depth_, 2.8e-3);
  EXPECT_LE(residual(0.5), 1e-8);
  EXPECT_LE(residual(0.99), 1e-6);
}

// At rest, errors within the tolerance do not grow from step to step: where they did, forces jumped
// in the end, and a leg slipped by 25 um.
TEST_F(SharedScene, QuadrupedsAtRestKeepStill) {
  const std::unique_ptr<Simulation> simulation = load("quad8.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  simulation->reset();  // all on the floor, where it happened
  for (int k = 0; k < 2400; ++k) simulation->step();
  double largest = 0;
  for (int k = 0; k < 18000; ++k) {
    largest = std::max(largest, simulation->step().solve.residual.scaled);
  }
  EXPECT_LT(largest, 5e-9);
}

// Peak penetration of MuJoCo: 22 mm. Columns of balls fall into the cup: those below stop while
// those above still come.
TEST_F(SharedScene, PouredBallsDoNotEnterEachOther) {
  const std::unique_ptr<Simulation> simulation = load("pour45.xml");
  if (!simulation) GTEST_SKIP() << kNoShared;
  run(*simulation, 0.25);
  EXPECT_LT(depth_, 1e-3);
  EXPECT_LE(residual(0.5), 1e-8);
  EXPECT_LE(residual(0.99), 1e-6);
}

}  // namespace
}  // namespace stiction
