// Joint columns, Jacobians and rates against finite differences on the manifold.
#include <gtest/gtest.h>
#include <stiction/tree.h>

#include "math/spatial.h"
#include "random_tree.h"

namespace stiction {
namespace {

class RandomKinematics : public testing::TestWithParam<int> {
 protected:
  RandomKinematics() {
    update_kinematics(model_, qpos_, data_);
    update_velocity(model_, qvel_, data_);
  }

  TreeData moved(const Eigen::VectorXd& direction, double t) const {
    Eigen::VectorXd q = qpos_;
    integrate_positions(model_, direction, t, q);
    TreeData data(model_);
    update_kinematics(model_, q, data);
    update_velocity(model_, qvel_, data);
    return data;
  }

  RandomTree random_{static_cast<unsigned>(100 + GetParam())};
  Model model_ = random_.builder(GetParam()).build();
  int body_ = static_cast<int>(model_.bodies.size()) - 1;
  Eigen::VectorXd qpos_ = random_.position(model_);
  Eigen::VectorXd qvel_ = random_.vector(model_.nv);
  TreeData data_{model_};
};

TEST_P(RandomKinematics, PointJacobianIsTheDerivativeOfThePose) {
  const Eigen::Vector3d p_B = random_.vector();
  const Eigen::Vector3d p_W = data_.p_WB[body_] + data_.R_WB[body_] * p_B;
  Matrix6Xd jacobian(6, model_.nv);
  point_jacobian(data_, body_, p_W, jacobian);
  const double t = 1e-5;
  for (int i = 0; i < model_.nv; ++i) {
    const TreeData plus = moved(Eigen::VectorXd::Unit(model_.nv, i), t);
    const TreeData minus = moved(Eigen::VectorXd::Unit(model_.nv, i), -t);
    const Eigen::Vector3d linear =
        (plus.p_WB[body_] + plus.R_WB[body_] * p_B - minus.p_WB[body_] - minus.R_WB[body_] * p_B) /
        (2 * t);
    const Eigen::Vector3d angular =
        log_rotation(plus.q_WB[body_] * minus.q_WB[body_].conjugate()) / (2 * t);
    EXPECT_LT((jacobian.col(i).head<3>() - linear).norm(), 1e-8);
    EXPECT_LT((jacobian.col(i).tail<3>() - angular).norm(), 1e-8);
  }
}

TEST_P(RandomKinematics, TwistIsTheSumOfTheColumns) {
  for (int b = 1; b <= body_; ++b) {
    Matrix6Xd jacobian(6, model_.nv);
    point_jacobian(data_, b, data_.p_WO[b], jacobian);
    EXPECT_LT((data_.V[b] - jacobian * qvel_).norm(), 1e-12);
  }
}

TEST_P(RandomKinematics, RatesOfTwistsAboutAFixedPoint) {
  const double t = 1e-5;
  const TreeData plus = moved(qvel_, t), minus = moved(qvel_, -t);
  for (int b = 1; b <= body_; ++b) {
    const Eigen::Vector3d O = data_.p_WO[b];
    const Vector6d rate =
        (shift_twist(plus.V[b], O - plus.p_WO[b]) - shift_twist(minus.V[b], O - minus.p_WO[b])) /
        (2 * t);
    EXPECT_LT((data_.Vdot0[b] - rate).norm(), 1e-7);
  }
}

TEST_P(RandomKinematics, ForcesGoBackThroughTheTransposedJacobian) {
  const Eigen::Vector3d p_W = random_.vector(), force = random_.vector(), torque = random_.vector();
  Eigen::VectorXd qfrc = Eigen::VectorXd::Zero(model_.nv);
  add_force(data_, body_, p_W, force, torque, qfrc);
  Matrix6Xd jacobian(6, model_.nv);
  point_jacobian(data_, body_, p_W, jacobian);
  Vector6d wrench;
  wrench << force, torque;
  EXPECT_LT((qfrc - jacobian.transpose() * wrench).norm(), 1e-12);
}

TEST_P(RandomKinematics, DifferenceUndoesIntegration) {
  Eigen::VectorXd q = qpos_;
  const Eigen::VectorXd v = 2 * random_.vector(model_.nv);
  integrate_positions(model_, v, 0.5, q);
  EXPECT_LT((position_difference(model_, qpos_, q) - 0.5 * v).norm(), 1e-13);
  for (const Joint& joint : model_.joints) {
    if (joint.type == JointType::kBall) {
      EXPECT_NEAR(q.segment<4>(joint.qpos_begin).norm(), 1, 1e-15);
    }
  }
}

TEST_P(RandomKinematics, InertiasAreThoseOfTheBodies) {
  for (int b = 1; b <= body_; ++b) {
    const Eigen::Vector3d c = data_.p_WBcm[b] - data_.p_WO[b];
    const Eigen::Matrix3d R = data_.R_WB[b];
    const double m = model_.bodies[b].mass;
    Matrix6d expected;
    expected << m * Eigen::Matrix3d::Identity(), -m * skew(c), m * skew(c),
        R * model_.bodies[b].inertia * R.transpose() - m * skew(c) * skew(c);
    EXPECT_LT((data_.inertia[b].matrix() - expected).norm(), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RandomKinematics, testing::Values(1, 2, 3, 4, 6, 9, 13));

}  // namespace
}  // namespace stiction
