// Contacts of signed distance solids allocate nothing once the buffers have grown.
#include <gtest/gtest.h>
#include <stiction/sdf.h>

#include "count_allocations.h"
#include "geometry/collide.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace stiction {
namespace {

TEST(SdfAllocation, NoneFromStepToStep) {
  auto grid = std::make_shared<HeightGrid>();
  grid->rows = grid->cols = 3;
  grid->half_extent = {1, 1};
  grid->base = 1;
  grid->heights.assign(9, 0.0);
  const SdfPointer bowl = make_dish("bowl", bowl_shape());
  std::vector<Shape> solids = {
      SdfSolid{make_bolt("bolt", {})}, SdfSolid{make_nut("nut", {})}, SdfSolid{bowl},
      SdfSolid{make_neural("network", train_network(*bowl, {.steps = 2, .branches = 2}))}};
  std::vector<Shape> others = {Plane{},
                               Sphere{0.02},
                               Capsule{0.01, 0.02},
                               Cylinder{0.02, 0.02},
                               Box{{0.02, 0.02, 0.02}},
                               Ellipsoid{{0.02, 0.03, 0.02}},
                               HeightField{grid}};
  others.insert(others.end(), solids.begin(), solids.end());
  for (Shape& shape : solids) prepare_for_collision(shape);
  for (Shape& shape : others) prepare_for_collision(shape);
  std::vector<ContactPoint> contacts;
  size_t found = 0;
  const auto collide_all = [&] {
    for (const Shape& a : others) {
      for (const Shape& b : solids) {
        contacts.clear();
        ASSERT_TRUE(
            collide(a, {}, b, {Eigen::Matrix3d::Identity(), {0, 0, 0.005}}, 0.002, contacts));
        found += contacts.size();
      }
    }
  };
  collide_all();
  EXPECT_GT(found, 1000u);
  const long before = allocations;
  collide_all();
  EXPECT_EQ(allocations, before);
  const std::vector<double> counted(100, 1.0);
  EXPECT_EQ(allocations, before + 1) << counted[0];
}

}  // namespace
}  // namespace stiction
#endif
