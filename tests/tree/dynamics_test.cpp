// The algorithms against each other, on random trees.
#include <gtest/gtest.h>
#include <stiction/tree.h>

#include <Eigen/Cholesky>

#include "random_tree.h"

namespace stiction {
namespace {

class RandomDynamics : public testing::TestWithParam<int> {
 protected:
  RandomDynamics() {
    update_kinematics(model_, qpos_, data_);
    update_velocity(model_, qvel_, data_);
    compute_mass_matrix(model_, data_);
    compute_bias(model_, data_);
  }

  RandomTree random_{static_cast<unsigned>(GetParam())};
  Model model_ = random_.builder(1 + GetParam()).build();
  Eigen::VectorXd qpos_ = random_.position(model_);
  Eigen::VectorXd qvel_ = random_.vector(model_.nv);
  TreeData data_{model_};
};

double relative(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (b.size() == 0) return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

TEST_P(RandomDynamics, ArticulatedBodiesSolveTheEquationOfMotion) {
  const Eigen::VectorXd tau = 10 * random_.vector(model_.nv);
  Eigen::VectorXd qacc(model_.nv);
  forward_dynamics(model_, tau, data_, qacc);
  const Eigen::VectorXd balance = dense_mass_matrix(data_) * qacc + data_.bias;
  EXPECT_LT(relative(balance, tau), 1e-10);
}

TEST_P(RandomDynamics, ArticulatedBodiesUndoNewtonEuler) {
  const Eigen::VectorXd qacc = 10 * random_.vector(model_.nv);
  Eigen::VectorXd tau(model_.nv), again(model_.nv);
  inverse_dynamics(model_, qacc, data_, tau);
  EXPECT_LT(relative(dense_mass_matrix(data_) * qacc + data_.bias, tau), 1e-12);
  forward_dynamics(model_, tau, data_, again);
  EXPECT_LT(relative(again, qacc), 1e-9);
}

TEST_P(RandomDynamics, MassMatrixIsPositiveDefiniteAndGivesTheKineticEnergy) {
  const Eigen::MatrixXd M = dense_mass_matrix(data_);
  EXPECT_EQ(M.llt().info(), Eigen::Success);
  const double kinetic = energy(model_, qpos_, qvel_, data_).kinetic;
  EXPECT_NEAR(0.5 * qvel_.dot(M * qvel_), kinetic, 1e-11 * std::max(1.0, kinetic));
}

TEST_P(RandomDynamics, BranchFactorizationSolvesAsDenseOne) {
  factorize(data_);
  Eigen::VectorXd x = random_.vector(model_.nv);
  const Eigen::VectorXd expected = dense_mass_matrix(data_).ldlt().solve(x);
  solve_in_place(data_, x);
  EXPECT_LT(relative(x, expected), 1e-9);
}

TEST_P(RandomDynamics, FactorsMultiplyToTheMassMatrix) {
  factorize(data_);
  Eigen::MatrixXd L = Eigen::MatrixXd::Identity(model_.nv, model_.nv);
  Eigen::VectorXd D(model_.nv);
  for (int i = 0; i < model_.nv; ++i) {
    const int end = data_.layout.row_begin[i + 1] - 1;
    for (int k = data_.layout.row_begin[i]; k < end; ++k) L(i, data_.layout.col[k]) = data_.L[k];
    D[i] = data_.L[end];
    EXPECT_EQ(data_.D_inv[i], 1 / D[i]);
  }
  const Eigen::MatrixXd M = dense_mass_matrix(data_);
  EXPECT_LT((L.transpose() * D.asDiagonal() * L - M).norm(), 1e-12 * std::max(1.0, M.norm()));
}

TEST_P(RandomDynamics, GravityIsTheGradientOfItsPotential) {
  update_velocity(model_, Eigen::VectorXd::Zero(model_.nv), data_);
  compute_bias(model_, data_);
  const double h = 1e-5;
  for (int i = 0; i < model_.nv; ++i) {
    const auto potential = [&](double t) {
      Eigen::VectorXd q = qpos_;
      integrate_positions(model_, Eigen::VectorXd::Unit(model_.nv, i), t, q);
      TreeData data(model_);
      update_kinematics(model_, q, data);
      return energy(model_, q, qvel_, data).potential;
    };
    EXPECT_NEAR(data_.bias[i], (potential(h) - potential(-h)) / (2 * h), 1e-6);
  }
}

/// Sizes from a single body to nv of about 60.
INSTANTIATE_TEST_SUITE_P(Sizes, RandomDynamics,
                         testing::Values(0, 1, 2, 3, 5, 8, 12, 16, 20, 24, 28, 31));

TEST(RandomDynamics, TheTreesAreAsLargeAndVariedAsClaimed) {
  int largest = 0;
  std::array<int, 4> kinds{};
  for (const int n : {0, 1, 2, 3, 5, 8, 12, 16, 20, 24, 28, 31}) {
    const Model model = RandomTree(static_cast<unsigned>(n)).builder(1 + n).build();
    largest = std::max(largest, model.nv);
    for (const Joint& joint : model.joints) ++kinds[static_cast<int>(joint.type)];
  }
  EXPECT_GE(largest, 50);
  for (const int count : kinds) EXPECT_GE(count, 5);
}

/// One hinge, one rod: everything is known.
TEST(Pendulum, ClosedForm) {
  const double m = 2, l = 0.7, I = 0.3, armature = 0.05, angle = 0.4, rate = 1.5;
  ModelBuilder builder;
  const int rod =
      builder.add_body({.mass = m, .com = {0, 0, -l}, .inertia = I * Eigen::Matrix3d::Identity()});
  builder.add_joint({.body = rod, .axis = {0, 1, 0}, .armature = armature});
  const Model model = builder.build();
  TreeData data(model);
  const Eigen::VectorXd qpos = Eigen::VectorXd::Constant(1, angle);
  const Eigen::VectorXd qvel = Eigen::VectorXd::Constant(1, rate);
  update_kinematics(model, qpos, data);
  update_velocity(model, qvel, data);
  compute_mass_matrix(model, data);
  compute_bias(model, data);
  EXPECT_NEAR(data.M[0], I + m * l * l + armature, 1e-14);
  EXPECT_NEAR(data.bias[0], m * 9.81 * l * std::sin(angle), 1e-13);
  const Energy e = energy(model, qpos, qvel, data);
  EXPECT_NEAR(e.potential, -m * 9.81 * l * std::cos(angle), 1e-13);
  EXPECT_NEAR(e.kinetic, 0.5 * data.M[0] * rate * rate, 1e-13);
}

/// The same arm a kilometre away: forces and M must not lose digits to the distance.
TEST(Precision, FarFromTheOrigin) {
  RandomTree random(7);
  ModelBuilder builder;
  builder.add_body(random.body(0));
  builder.add_joint(random.joint(1, JointType::kFree));
  for (int b = 2; b <= 6; ++b) {
    builder.add_body(random.body(b - 1));
    builder.add_joint(random.joint(b, b == 4 ? JointType::kBall : JointType::kHinge));
  }
  const Model model = builder.build();
  Eigen::VectorXd qpos = random.position(model);
  // Representable, so that both places have exactly the same pose.
  for (int k = 0; k < 3; ++k) qpos[k] = std::round(qpos[k] * 1024) / 1024;
  const Eigen::VectorXd qvel = random.vector(model.nv);
  TreeData near(model), far(model);
  Eigen::VectorXd qpos_far = qpos;
  qpos_far.head<3>().array() += 1024.0;
  for (auto [q, data] : {std::pair{&qpos, &near}, std::pair{&qpos_far, &far}}) {
    update_kinematics(model, *q, *data);
    update_velocity(model, qvel, *data);
    compute_mass_matrix(model, *data);
    compute_bias(model, *data);
  }
  // Positions at 1 km have a rounding of 1e-13 m; about the world origin M would lose six digits.
  EXPECT_LT((near.M - far.M).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((near.bias - far.bias).cwiseAbs().maxCoeff(), 1e-11);
}

}  // namespace
}  // namespace stiction
