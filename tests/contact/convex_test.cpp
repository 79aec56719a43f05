// The soft convex model against its closed forms for one point mass.
#include "contact/convex.h"

#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <cmath>

#include "contact/sample_problems.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kMass = 2;
constexpr double kGravity = 9.81;

Solution solved(const Vector3d& velocity, double mu, double gap) {
  const double h = ConvexOptions{}.h;
  Problem problem;
  const int body = add_moving_body(problem, kMass, velocity);
  problem.add_constraint({.mu = mu}, {frame_port(body, Vector3d::Zero(), 1)}, {0, 0, gap / h});
  Solution solution;
  solve(problem, "convex", {}, false, solution);
  return solution;
}

// lambda = beta m / (beta + m) times the projection of -v0 on the cone, with beta = m d / (1 - d).
TEST(Convex, TakesTheImpedanceOfTheExactImpulse) {
  const double d = 0.9;
  const Solution stick = solved({0.1, 0, -1}, 0.5, 0);
  EXPECT_TRUE(stick.lambda.isApprox(kMass * d * Vector3d(-0.1, 0, 1), 1e-9));
  EXPECT_EQ(stick.report.status, Status::kRegularized);

  const double mu = 0.5;
  const Solution slip = solved({3, 0, -1}, mu, 0);
  const Vector3d axis(-mu, 0, 1);  // the cone's edge nearest to -v0
  const Vector3d projection = axis * axis.dot(Vector3d(-3, 0, 1)) / axis.squaredNorm();
  EXPECT_TRUE(slip.lambda.isApprox(kMass * d * projection, 1e-9));
  EXPECT_GT(slip.v[2], 0.5) << "the gliding that exact contact does not have";
}

// At rest R f = -k gap: MuJoCo's static penetration g (1 - d) / (d k).
TEST(Convex, SinksAsFarAsMuJoCoDoes) {
  const ConvexOptions options;
  double gap = -1e-4;
  for (int k = 0; k < 50; ++k) {
    const double d = soft_impedance(options, gap);
    const double stiffness = d / std::pow(options.d_width * options.timeconst, 2);
    gap = -kGravity * (1 - d) / (d * stiffness);
  }
  EXPECT_LT(gap, -1e-4);
  const Solution solution = solved({0, 0, -kGravity * options.h}, 0.5, gap);
  EXPECT_NEAR(solution.v[2], 0, 1e-9);
}

TEST(Convex, ImpedanceIsMuJoCosDefaultCurve) {
  const ConvexOptions options;
  EXPECT_DOUBLE_EQ(soft_impedance(options, 0), 0.9);
  EXPECT_DOUBLE_EQ(soft_impedance(options, -0.0005), 0.925);
  EXPECT_DOUBLE_EQ(soft_impedance(options, -0.00025), 0.90625);
  EXPECT_DOUBLE_EQ(soft_impedance(options, -0.01), 0.95);
}

}  // namespace
}  // namespace stiction
