// Free motion keeps energy and momentum, up to the order of the integrator.
#include <gtest/gtest.h>
#include <stiction/tree.h>

#include "random_tree.h"

namespace stiction {
namespace {

/// A chain that floats: free base, ball, hinges, a slide.
ModelBuilder floating_chain(RandomTree& random) {
  ModelBuilder builder;
  int body = builder.add_body(random.body(0));
  builder.add_joint({.type = JointType::kFree, .body = body});
  for (const JointType type : {JointType::kHinge, JointType::kBall, JointType::kSlide}) {
    body = builder.add_body(random.body(body));
    Joint joint = random.joint(body, type);
    joint.armature = 0;  // a rotor without a body has momentum of its own
    builder.add_joint(joint);
  }
  return builder;
}

struct State {
  Eigen::VectorXd qpos, qvel;
};

/// qacc at (q0 (+) shift, qvel), no forces but gravity and springs.
Eigen::VectorXd acceleration(const Model& model, const State& state, TreeData& data) {
  update_kinematics(model, state.qpos, data);
  update_velocity(model, state.qvel, data);
  compute_passive_forces(model, state.qpos, state.qvel, data);
  Eigen::VectorXd qacc(model.nv);
  forward_dynamics(model, data.passive, data, qacc);
  return qacc;
}

/// The midpoint rule: second order on the manifold.
void midpoint_step(const Model& model, double h, State& state, TreeData& data) {
  State middle = state;
  middle.qvel += 0.5 * h * acceleration(model, state, data);
  integrate_positions(model, state.qvel, 0.5 * h, middle.qpos);
  state.qvel += h * acceleration(model, middle, data);
  integrate_positions(model, middle.qvel, h, state.qpos);
}

struct Drift {
  double energy = 0;
  Vector6d momentum = Vector6d::Zero();
};

Drift drift_over_a_second(const Model& model, State state, int steps) {
  TreeData data(model);
  const auto total = [&] {
    update_kinematics(model, state.qpos, data);
    update_velocity(model, state.qvel, data);
    const Energy e = energy(model, state.qpos, state.qvel, data);
    return e.potential + e.kinetic;
  };
  const double energy0 = total();
  const Vector6d momentum0 = momentum(model, data);
  for (int k = 0; k < steps; ++k) midpoint_step(model, 1.0 / steps, state, data);
  return {std::abs(total() - energy0), (momentum(model, data) - momentum0).cwiseAbs()};
}

TEST(Conservation, EnergyUnderGravityAndSpringsToSecondOrder) {
  RandomTree random(11);
  ModelBuilder builder = floating_chain(random);
  for (int j = 0; j < 4; ++j) builder.joint(j).stiffness = 5;
  const Model model = builder.build();
  State state{random.position(model), random.vector(model.nv)};
  const double coarse = drift_over_a_second(model, state, 200).energy;
  const double fine = drift_over_a_second(model, state, 400).energy;
  EXPECT_LT(coarse, 1e-2);
  EXPECT_GT(coarse / fine, 3.5);
}

TEST(Conservation, MomentumWithoutGravityToSecondOrder) {
  RandomTree random(12);
  ModelBuilder builder = floating_chain(random);
  builder.options().gravity.setZero();
  const Model model = builder.build();
  State state{random.position(model), random.vector(model.nv)};
  const Drift coarse = drift_over_a_second(model, state, 200);
  const Drift fine = drift_over_a_second(model, state, 400);
  EXPECT_LT(coarse.momentum.maxCoeff(), 1e-3);
  EXPECT_LT(fine.momentum.norm(), 1e-10 + coarse.momentum.norm() / 3.5);
}

TEST(Conservation, MomentumOfAFallingChainGrowsByItsWeight) {
  RandomTree random(13);
  const Model model = floating_chain(random).build();
  State state{random.position(model), random.vector(model.nv)};
  const Drift drift = drift_over_a_second(model, state, 400);
  EXPECT_NEAR(drift.momentum[2], 9.81 * model.total_mass(), 1e-3);
  EXPECT_LT(drift.momentum[0], 1e-3);
  EXPECT_LT(drift.momentum.tail<3>().maxCoeff(), 1e-3);
}

TEST(Conservation, CentreOfMassMovesWithTheMomentum) {
  RandomTree random(14);
  const Model model = random.builder(8).build();
  const Eigen::VectorXd qpos = random.position(model), qvel = random.vector(model.nv);
  TreeData data(model);
  update_kinematics(model, qpos, data);
  update_velocity(model, qvel, data);
  const Vector6d h = momentum(model, data);
  const auto center = [&](double t) {
    Eigen::VectorXd q = qpos;
    integrate_positions(model, qvel, t, q);
    update_kinematics(model, q, data);
    return center_of_mass(model, data);
  };
  const Eigen::Vector3d velocity = (center(1e-5) - center(-1e-5)) / 2e-5;
  EXPECT_LT((h.head<3>() - model.total_mass() * velocity).norm(), 1e-7);
}

}  // namespace
}  // namespace stiction
