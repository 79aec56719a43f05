// A cube held by friction alone, at twice what Coulomb asks for. Eight contacts carry what two
// could: which of them do is not unique, but a cube that a single corner holds would turn.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "scenes/scene.h"

namespace stiction {
namespace {

constexpr double kPress = 10;     // N per finger, at mu = 1
constexpr double kWeight = 9.81;  // N
constexpr int kCube = 3;

class Grasp : public testing::Test {
 protected:
  Grasp() : simulation_(find_scene("grasp")->make()) { simulation_.reset_to_keyframe("start"); }

  Simulation simulation_;
};

TEST_F(Grasp, PadsShareTheLoadFromTheFirstStepOn) {
  for (int k = 0; k < 20; ++k) {
    simulation_.step();
    ASSERT_EQ(simulation_.contacts().size(), 8u);
    for (const PairForce& pair : simulation_.pair_forces()) {
      EXPECT_NEAR(std::abs(pair.force_W.x()), kPress, 1e-4 * kPress) << k;
      EXPECT_NEAR(pair.force_W.z(), kWeight / 2, 0.05 * kWeight) << k;  // not unique
    }
    // A quarter of the pad's share would be fair; a tenth of that says that nobody is idle.
    for (const ContactForce& contact : simulation_.contacts()) {
      EXPECT_GT(std::abs(contact.force_W.x()), kPress / 40) << k;
      EXPECT_EQ(contact.state, ContactState::kStick) << k;
    }
  }
}

// Nearly all of 2 mu F. That some share of it slips and turns the cube would be a solution as well,
// but none that a hand knows.
TEST_F(Grasp, HoldsWhatCoulombLetsItHold) {
  for (const double share : {0.98, 0.995}) {
    simulation_.reset_to_keyframe("start");
    Vector6d pull = Vector6d::Zero();
    pull[2] = kWeight - share * 2 * kPress;
    simulation_.apply_wrench(kCube, pull);
    const Pose start = simulation_.body_pose(kCube);
    for (int k = 0; k < 240; ++k) simulation_.step();
    EXPECT_LT((simulation_.body_pose(kCube).p - start.p).norm(), 2e-6) << share;
  }
}

TEST_F(Grasp, DoesNotCreep) {
  for (int k = 0; k < 120; ++k) simulation_.step();
  const Pose start = simulation_.body_pose(kCube);
  for (int k = 0; k < 480; ++k) simulation_.step();
  const Pose end = simulation_.body_pose(kCube);
  EXPECT_LT((end.p - start.p).norm(), 2e-6);  // 1 um/s
  EXPECT_LT(start.q.angularDistance(end.q), 2e-5);
}

}  // namespace
}  // namespace stiction
