// The builder's bookkeeping.
#include <gtest/gtest.h>

#include "robot.h"

namespace stiction {
namespace {

TEST(ModelBuilder, SortsJointsByBodyAndRenumbersReferences) {
  const Model model = robot().build();
  ASSERT_EQ(model.nq, 7 + 4 + 1);
  ASSERT_EQ(model.nv, 6 + 3 + 1);
  EXPECT_EQ(model.na, 1);
  EXPECT_EQ(model.nu(), 2);
  EXPECT_EQ(model.joint_index("root"), 0);
  EXPECT_EQ(model.joint_index("hip"), 1);
  EXPECT_EQ(model.joint_index("knee"), 2);
  EXPECT_EQ(model.joint_index("elbow"), -1);
  EXPECT_EQ(model.joints[2].qpos_begin, 11);
  EXPECT_EQ(model.joints[2].dof_begin, 9);
  EXPECT_EQ(model.bodies[2].dof_begin, 6);
  EXPECT_EQ(model.bodies[2].dof_count, 3);
  EXPECT_EQ(model.bodies[3].root, 1);
  EXPECT_EQ(model.tendons[0].joints[0], 2);
  EXPECT_EQ(model.actuators[0].target, 2);
  EXPECT_EQ(model.actuators[1].target, 0);  // a tendon, not a joint
  EXPECT_EQ(model.equalities[0].object1, 2);
  EXPECT_EQ(model.sensors[0].object, 2);
  EXPECT_EQ(model.total_mass(), 6);
}

TEST(ModelBuilder, ReferencePositions) {
  const Model model = robot().build();
  const Pose& X = model.bodies[1].X_PB;
  Eigen::VectorXd expected(12);
  expected << 1, 2, 3, X.q.w(), X.q.x(), X.q.y(), X.q.z(), 1, 0, 0, 0, 0.25;
  EXPECT_TRUE(model.qpos0.isApprox(expected));
  EXPECT_TRUE(model.keyframes[0].qpos.isApprox(expected));
  EXPECT_EQ(model.keyframes[0].qvel.size(), 10);
}

TEST(ModelBuilder, GeomDensityGivesMassAndInertia) {
  // Two cubes side by side are a box.
  ModelBuilder builder;
  const int body = builder.add_body({.name = "pair"});
  builder.add_joint({.type = JointType::kFree, .body = body});
  const Box cube{{0.5, 0.5, 0.5}};
  builder.add_geom(
      {.body = body, .shape = cube, .X_BG = {{0.5, 0, 0}, Eigen::Quaterniond::Identity()}}, 3);
  builder.add_geom(
      {.body = body, .shape = cube, .X_BG = {{1.5, 0, 0}, Eigen::Quaterniond(0, 1, 0, 0)}}, 3);
  const Model model = builder.build();
  EXPECT_NEAR(model.bodies[1].mass, 6, 1e-12);
  EXPECT_TRUE(model.bodies[1].com.isApprox(Eigen::Vector3d(1, 0, 0), 1e-12));
  const Eigen::Vector3d principal = Eigen::Vector3d(1 + 1, 4 + 1, 4 + 1) * 6 / 12;
  EXPECT_TRUE(model.bodies[1].inertia.isApprox(Eigen::Matrix3d(principal.asDiagonal()), 1e-12));
}

}  // namespace
}  // namespace stiction
