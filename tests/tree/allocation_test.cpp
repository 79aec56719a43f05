// After TreeData is built, nothing in the tree layer allocates.
#include <gtest/gtest.h>
#include <stiction/tree.h>

#include "count_allocations.h"
#include "random_tree.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace stiction {
namespace {

TEST(Allocation, EigenVectorsAreCounted) {
  const long before = allocations;
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(100);
  EXPECT_EQ(allocations, before + 1);
  EXPECT_EQ(x.size(), 100);
}

TEST(Allocation, NoneAfterConstruction) {
  RandomTree random(21);
  ModelBuilder builder = random.builder(12);
  builder.options().density = 1;
  const int site = builder.add_site({.body = 5, .shape = Sphere{0.01}});
  builder.add_actuator({.transmission = Transmission::kSite, .target = site});
  const Model model = builder.build();
  TreeData data(model);
  Eigen::VectorXd qpos = random.position(model), x(model.nv);
  const Eigen::VectorXd qvel = random.vector(model.nv), ctrl = random.vector(1), act(0);
  Matrix6Xd jacobian(6, model.nv);

  const long before = allocations;
  update_kinematics(model, qpos, data);
  update_velocity(model, qvel, data);
  compute_mass_matrix(model, data);
  factorize(data);
  compute_bias(model, data);
  compute_passive_forces(model, qpos, qvel, data);
  compute_actuator_forces(model, qpos, qvel, ctrl, act, model.options.timestep, data);
  x = data.passive + data.actuation - data.bias;
  solve_in_place(data, x);
  forward_dynamics(model, qvel, data, x);
  inverse_dynamics(model, qvel, data, x);
  point_jacobian(data, 5, Eigen::Vector3d::Zero(), jacobian);
  integrate_positions(model, qvel, 0.01, qpos);
  (void)energy(model, qpos, qvel, data);
  (void)momentum(model, data);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace stiction
#endif
