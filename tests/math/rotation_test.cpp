#include "math/rotation.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "math/spatial.h"

namespace stiction {
namespace {

Eigen::Vector3d random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

TEST(Rotation, SkewIsTheCrossProduct) {
  std::mt19937 random(1);
  const Eigen::Vector3d a = random_vector(random), b = random_vector(random);
  EXPECT_TRUE((skew(a) * b).isApprox(a.cross(b), 1e-14));
}

TEST(Rotation, ExponentialIsEigensAngleAxis) {
  std::mt19937 random(2);
  for (const double angle : {1e-12, 1e-6, 0.99e-4, 1.01e-4, 0.1, 1.0, 3.0, 6.0}) {
    const Eigen::Vector3d axis = random_vector(random).normalized();
    const Eigen::Quaterniond q = exp_rotation(angle * axis);
    const Eigen::Quaterniond expected(Eigen::AngleAxisd(angle, axis));
    EXPECT_NEAR((q.coeffs() - expected.coeffs()).norm(), 0, 1e-15) << angle;
    EXPECT_NEAR(q.norm(), 1, 1e-15) << angle;
  }
}

TEST(Rotation, LogarithmInvertsTheExponentialUpToHalfATurn) {
  std::mt19937 random(3);
  for (const double angle : {0.0, 1e-12, 1e-9, 1e-4, 0.5, 3.0, std::numbers::pi - 1e-9}) {
    const Eigen::Vector3d w = angle * random_vector(random).normalized();
    const Eigen::Quaterniond q = exp_rotation(w);
    EXPECT_NEAR((log_rotation(q) - w).norm(), 0, 1e-14) << angle;
    const Eigen::Quaterniond opposite(-q.w(), -q.x(), -q.y(), -q.z());
    EXPECT_NEAR((log_rotation(opposite) - w).norm(), 0, 1e-14) << angle;
  }
}

TEST(Spatial, CrossProductsAreDual) {
  std::mt19937 random(4);
  Vector6d a, b, f;
  a << random_vector(random), random_vector(random);
  b << random_vector(random), random_vector(random);
  f << random_vector(random), random_vector(random);
  EXPECT_NEAR(cross_force(a, f).dot(b), -f.dot(cross_motion(a, b)), 1e-13);
}

TEST(Spatial, CarriedTwistTurnsAndMovesWithItsBody) {
  // b is a rotation about a line through p along w; the body with twist a carries the line along.
  std::mt19937 random(5);
  Vector6d a;
  a << random_vector(random), random_vector(random);
  const Eigen::Vector3d p = random_vector(random), w = random_vector(random);
  const auto about_line = [&](double t) {
    const Eigen::Quaterniond turn = exp_rotation(t * a.tail<3>());
    const Eigen::Vector3d p_t = p + t * (a.head<3>() + a.tail<3>().cross(p));
    const Eigen::Vector3d w_t = turn * w;
    Vector6d b;
    b << p_t.cross(w_t), w_t;
    return b;
  };
  const double t = 1e-5;
  const Vector6d rate = (about_line(t) - about_line(-t)) / (2 * t);
  EXPECT_NEAR((rate - cross_motion(a, about_line(0))).norm(), 0, 1e-8);
}

TEST(Spatial, PowerDoesNotDependOnThePoint) {
  std::mt19937 random(6);
  const Eigen::Vector3d force = random_vector(random), at = random_vector(random);
  const Eigen::Vector3d d = random_vector(random);
  Vector6d twist;
  twist << random_vector(random), random_vector(random);
  EXPECT_NEAR(wrench_at(at, force).dot(twist), wrench_at(at - d, force).dot(shift_twist(twist, d)),
              1e-13);
}

}  // namespace
}  // namespace stiction
