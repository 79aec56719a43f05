// A point mass on a plane: open, stick and slip have closed forms.
#include <gtest/gtest.h>
#include <stiction/solve.h>

namespace stiction {
namespace {

constexpr double kBallMass = 2;
constexpr double kMu = 0.5;

// A body of mass 2 kg (unit rotational inertia) touched at its centre, moving at `velocity`.
Problem one_contact(const Eigen::Vector3d& velocity, double e_n) {
  Problem problem;
  Eigen::Matrix<double, 6, 6> H = Eigen::Matrix<double, 6, 6>::Identity();
  H.topLeftCorner<3, 3>() *= kBallMass;
  Eigen::Matrix<double, 6, 1> v0 = Eigen::Matrix<double, 6, 1>::Zero();
  v0.head<3>() = velocity;
  const int body = problem.add_rigid_body(H, H * v0);
  Port port;
  port.body = body;
  port.block.leftCols<3>().setIdentity();
  problem.add_constraint({.mu = kMu}, {port}, {0, 0, e_n});
  return problem;
}

Solution solved(const Problem& problem) {
  Solution solution;
  solve(problem, solver_names().front(), {.tolerance = 1e-13}, false, solution);
  return solution;
}

TEST(OneContact, OpensWithoutImpulse) {
  const Solution solution = solved(one_contact({0.3, 0, 1}, 0));
  EXPECT_TRUE(solution.lambda.isZero(1e-12));
  EXPECT_TRUE(solution.v.head<3>().isApprox(Eigen::Vector3d(0.3, 0, 1), 1e-12));
}

TEST(OneContact, SticksInsideTheCone) {
  const Solution solution = solved(one_contact({0.3, -0.2, -1}, 0));
  EXPECT_TRUE(solution.v.head<3>().isZero(1e-12));
  EXPECT_TRUE(solution.lambda.isApprox(kBallMass * Eigen::Vector3d(-0.3, 0.2, 1), 1e-12));
}

TEST(OneContact, SlipsOnTheConeAgainstTheMotion) {
  const Eigen::Vector3d velocity(3, 4, -2);
  const Solution solution = solved(one_contact(velocity, 0));
  const Eigen::Vector2d direction = velocity.head<2>().normalized();
  EXPECT_NEAR(solution.lambda[2], kBallMass * 2, 1e-12);
  EXPECT_TRUE(solution.lambda.head<2>().isApprox(-kMu * kBallMass * 2 * direction, 1e-12));
  EXPECT_TRUE(solution.v.head<2>().isApprox((5 - kMu * 2) * direction, 1e-12));
}

TEST(OneContact, SpeculativeGapLetsTheBodyComeCloser) {
  const Solution solution = solved(one_contact({0, 0, -1}, 0.4));  // gap / h = 0.4 m/s
  EXPECT_NEAR(solution.v[2], -0.4, 1e-12);
}

}  // namespace
}  // namespace stiction
