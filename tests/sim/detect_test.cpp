// Detection: what it keeps from step to step costs no memory, and shows in no bit.
#include "sim/detect.h"

#include <gtest/gtest.h>
#include <stiction/builder.h>

#include "count_allocations.h"
#include "scenes/scene.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace stiction {
namespace {

// One of every convex shape, all near each other and on the ground.
Model heap() {
  ModelBuilder builder("heap");
  builder.add_geom({.name = "ground", .shape = Plane{}});
  const Shape shapes[] = {Sphere{0.1}, Capsule{0.05, 0.1}, Cylinder{0.08, 0.1},
                          Box{{0.1, 0.08, 0.1}}, Ellipsoid{{0.1, 0.07, 0.1}}};
  for (int k = 0; k < 20; ++k) {
    const Eigen::Vector3d p(0.1 * (k % 4), 0.1 * (k / 4 % 2), 0.09 + 0.12 * (k / 8));
    const int body =
        builder.add_body({.X_PB = {p, Eigen::Quaterniond(1, 0.1 * k, 0.2, 0).normalized()}});
    builder.add_joint({.type = JointType::kFree, .body = body});
    builder.add_geom({.body = body, .shape = shapes[k % 5]}, 1000.0);
  }
  return builder.build();
}

TEST(Detection, AllocatesNothingOnceItsBuffersHaveGrown) {
  const Model model = heap();
  const Structure structure(model);
  ContactDetector detector(model, structure, {});
  TreeData tree(model);
  update_kinematics(model, model.qpos0, tree);
  update_velocity(model, Eigen::VectorXd::Zero(model.nv), tree);
  std::vector<ContactForce> contacts;
  for (int k = 0; k < 3; ++k) detector.detect(tree, 0.01, contacts);
  EXPECT_GT(contacts.size(), 40u);
  const long before = allocations;
  for (int k = 0; k < 5; ++k) detector.detect(tree, 0.01, contacts);
  EXPECT_EQ(allocations, before);
}

TEST(Detection, IsTheSameForADetectorThatSawOtherStates) {
  const Model model = heap();
  const Structure structure(model);
  ContactDetector fresh(model, structure, {});
  ContactDetector used(model, structure, {});
  TreeData tree(model);
  Eigen::VectorXd qpos = model.qpos0;
  std::vector<ContactForce> first, second;
  for (int k = 0; k <= 20; ++k) {
    for (int body = 0; body < 20; ++body) qpos[7 * body + k % 3] += 0.002 * ((body + k) % 5 - 2);
    update_kinematics(model, qpos, tree);
    used.detect(tree, 0, second);
  }
  fresh.detect(tree, 0, first);
  ASSERT_EQ(first.size(), second.size());
  for (size_t k = 0; k < first.size(); ++k) {
    EXPECT_EQ(first[k].id, second[k].id);
    EXPECT_EQ(first[k].p_W, second[k].p_W);
    EXPECT_EQ(first[k].R_CW, second[k].R_CW);
    EXPECT_EQ(first[k].gap, second[k].gap);
  }
}

}  // namespace
}  // namespace stiction
#endif
