// The first-order solvers (SubADMM and its variants, Gauss-Seidel, Jacobi, ADMM without the split):
// closed forms of one constraint of every type, agreement among them, indifference to scale.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include "contact/sample_problems.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

class FirstOrder : public testing::TestWithParam<const char*> {
 protected:
  Solution solved(const Problem& problem, double tolerance) const {
    Solution solution;
    solve(problem, GetParam(), {.tolerance = tolerance, .max_iterations = 20000}, false, solution);
    EXPECT_EQ(solution.report.status, Status::kSolved) << GetParam();
    return solution;
  }
};

Problem point_on_floor(const Vector3d& velocity, double e_n) {
  Problem problem;
  const int body = add_moving_body(problem, 2, velocity);
  problem.add_constraint({.mu = 0.5}, {frame_port(body, Vector3d::Zero(), 1)}, {0, 0, e_n});
  return problem;
}

TEST_P(FirstOrder, OneContactOpens) {
  const Solution solution = solved(point_on_floor({0.3, 0, 1}, 0), 1e-12);
  EXPECT_TRUE(solution.lambda.isZero(1e-11));
}

TEST_P(FirstOrder, OneContactSticks) {
  const Solution solution = solved(point_on_floor({0.2, -0.1, -1}, 0.4), 1e-12);
  EXPECT_TRUE(solution.v.head<3>().isApprox(Vector3d(0, 0, -0.4), 1e-10));
  EXPECT_TRUE(solution.lambda.isApprox(2 * Vector3d(-0.2, 0.1, 0.6), 1e-10));
}

TEST_P(FirstOrder, OneContactSlips) {
  const Solution solution = solved(point_on_floor({3, 4, -2}, 0), 1e-12);
  const Eigen::Vector2d direction(0.6, 0.8);
  EXPECT_NEAR(solution.lambda[2], 4, 1e-10);
  EXPECT_TRUE(solution.lambda.head<2>().isApprox(-0.5 * 4 * direction, 1e-10));
  EXPECT_TRUE(solution.v.head<2>().isApprox((5 - 0.5 * 2) * direction, 1e-10));
}

// A 2 kg point: v = speed + lambda / 2.
TEST_P(FirstOrder, UnilateralStopsTheApproach) {
  const Constraint limit{.type = ConstraintType::kUnilateral};
  EXPECT_NEAR(solved(scalar_constraint(limit, -1, 0.25), 1e-12).v[0], -0.25, 1e-10);
  EXPECT_NEAR(solved(scalar_constraint(limit, 1, 0.25), 1e-12).v[0], 1, 1e-10);
}

TEST_P(FirstOrder, EqualityHolds) {
  const Constraint equality{.type = ConstraintType::kEquality};
  EXPECT_NEAR(solved(scalar_constraint(equality, 0.7, -0.2), 1e-12).v[0], 0.2, 1e-10);
}

TEST_P(FirstOrder, SoftConstraintFollowsItsLaw) {
  const Constraint soft{.type = ConstraintType::kSoft, .k = 5, .c = 3};
  // lambda = -5 e - 3 v with v = speed + lambda / 2.
  const double e = 0.1, speed = 0.7;
  const double lambda = -(5 * e + 3 * speed) / (1 + 3 / 2.0);
  EXPECT_NEAR(solved(scalar_constraint(soft, speed, e), 1e-12).lambda[0], lambda, 1e-10);
}

TEST_P(FirstOrder, JointFrictionHoldsOrYields) {
  const Constraint friction{.type = ConstraintType::kJointFriction, .bound = 1};
  EXPECT_NEAR(solved(scalar_constraint(friction, 0.4, 0), 1e-12).v[0], 0, 1e-10);
  EXPECT_NEAR(solved(scalar_constraint(friction, -0.9, 0), 1e-12).v[0], -0.4, 1e-10);
}

TEST_P(FirstOrder, JointLimitKeepsTheRange) {
  const Constraint limit{.type = ConstraintType::kJointLimit, .lower = -0.1, .upper = 0.3};
  EXPECT_NEAR(solved(scalar_constraint(limit, 1, 0), 1e-12).v[0], 0.3, 1e-10);
  EXPECT_NEAR(solved(scalar_constraint(limit, -1, 0), 1e-12).v[0], -0.1, 1e-10);
  EXPECT_NEAR(solved(scalar_constraint(limit, 0.2, 0), 1e-12).v[0], 0.2, 1e-10);
}

// Three balls that stick: all stop.
TEST_P(FirstOrder, ColumnOfBallsComesToRest) {
  const Solution solution = solved(ball_column(3, {0.02, 0.01, -0.5}, 0.8), 1e-9);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(solution.v[6 * k + 2], 0, 1e-7);
}

// A nut's velocity is unique even where its impulses are not: compare with CANAL, which shares
// nothing with these solvers.
TEST_P(FirstOrder, AgreesWithCanal) {
  const Problem problem = generate_problem("nut", 5, {.size = 12});
  Solution reference;
  solve(problem, "canal", {.tolerance = 1e-9}, false, reference);
  ASSERT_EQ(reference.report.status, Status::kSolved);
  EXPECT_TRUE(solved(problem, 1e-9).v.isApprox(reference.v, 1e-4));
}

TEST_P(FirstOrder, MassesOnlyScaleImpulses) {
  const Problem problem = ball_column(3, {0.3, 0.1, -0.5}, 0.3);
  const Problem heavy = scaled_problem(problem, 1e4, 1);
  const Budget budget{.tolerance = 0, .max_iterations = 25};
  Solution a, b;
  solve(problem, GetParam(), budget, false, a);
  solve(heavy, GetParam(), budget, false, b);
  EXPECT_TRUE(b.lambda.isApprox(1e4 * a.lambda, 1e-9));
  EXPECT_NEAR(b.report.residual.scaled, a.report.residual.scaled,
              1e-6 * a.report.residual.scaled + 1e-14);
}

TEST_P(FirstOrder, WarmStartAtTheSolutionNeedsNoIteration) {
  const Problem problem = ball_column(3, {0.3, 0.1, -0.5}, 0.3);
  Solution solution = solved(problem, 1e-10);
  solution.warm = true;
  solve(problem, GetParam(), {.tolerance = 1e-9}, false, solution);
  EXPECT_EQ(solution.report.iterations, 0);
}

INSTANTIATE_TEST_SUITE_P(Solvers, FirstOrder,
                         testing::Values("subadmm", "subadmm_aa", "pgs", "pgs_cg", "pj", "fadmm",
                                         "nobody"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace stiction
