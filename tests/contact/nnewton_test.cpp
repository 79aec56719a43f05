// Fischer-Burmeister functions: zero exactly where the laws hold, and their derivatives.
#include "contact/nnewton.h"

#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <random>
#include <vector>

#include "contact/fischer_burmeister.h"
#include "contact/implicit_edges.h"
#include "contact/sample_problems.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kRootMass = 1.4;
constexpr double kE = 0.11;

std::vector<Constraint> all_types() {
  return {
      {.type = ConstraintType::kContact, .mu = 0.7},
      {.type = ConstraintType::kContact, .mu = 0},
      {.type = ConstraintType::kUnilateral, .rows = 1},
      {.type = ConstraintType::kEquality, .rows = 3},
      {.type = ConstraintType::kSoft, .rows = 3, .k = 3, .c = 0.4},
      {.type = ConstraintType::kJointFriction, .rows = 1, .bound = 0.3},
      {.type = ConstraintType::kJointLimit, .rows = 1, .lower = -0.2, .upper = 0.5},
  };
}

Vector3d offset_of(const Constraint& constraint) {
  return constraint.type == ConstraintType::kSoft ? Vector3d::Constant(kE) : Vector3d::Zero();
}

Vector3d random_rows(std::mt19937& random, int rows) {
  std::normal_distribution<double> normal;
  Vector3d x = Vector3d::Zero();
  for (int r = 0; r < rows; ++r) x[r] = normal(random);
  return x;
}

// Pairs that obey the law come from [TOD11]'s hybrid variables, an independent construction.
TEST(FischerBurmeister, VanishesExactlyWhereTheLawHolds) {
  std::mt19937 random(3);
  for (const Constraint& constraint : all_types()) {
    const Vector3d e = offset_of(constraint);
    const HybridLaw law{&constraint, kRootMass, e};
    for (int trial = 0; trial < 200; ++trial) {
      const Vector3d x = random_rows(random, constraint.rows);
      const Vector3d p = hybrid_impulse(law, x);
      const Vector3d q = p + x;
      // In a square root, round-off of 1e-16 becomes 1e-8.
      EXPECT_TRUE(fischer_burmeister(constraint, kRootMass, e, 0, p, q).phi.isZero(1e-7));
      const Vector3d off = random_rows(random, constraint.rows);
      const Vector3d p_wrong = random_rows(random, constraint.rows);
      // (p, q) obeys the law if and only if p = f(q - p).
      const double violation = (p_wrong - hybrid_impulse(law, off - p_wrong)).norm();
      if (violation < 1e-3) continue;
      EXPECT_GT(fischer_burmeister(constraint, kRootMass, e, 0, p_wrong, off).phi.norm(),
                1e-2 * violation);
    }
  }
}

TEST(FischerBurmeister, DerivativesMatchFiniteDifferences) {
  std::mt19937 random(5);
  const double h = 1e-6;
  for (const Constraint& constraint : all_types()) {
    const Vector3d e = offset_of(constraint);
    for (double tau : {0.0, 0.3}) {
      const auto phi = [&](const Vector3d& p, const Vector3d& q) {
        return fischer_burmeister_phi(constraint, kRootMass, e, tau, p, q);
      };
      for (int trial = 0; trial < 100; ++trial) {
        const Vector3d p = random_rows(random, constraint.rows);
        const Vector3d q = random_rows(random, constraint.rows);
        const FbValue value = fischer_burmeister(constraint, kRootMass, e, tau, p, q);
        EXPECT_TRUE(value.phi.isApprox(phi(p, q), 1e-14));
        for (int c = 0; c < constraint.rows; ++c) {
          const Vector3d d = h * Vector3d::Unit(c);
          EXPECT_TRUE(((phi(p + d, q) - phi(p - d, q)) / (2 * h) - value.P.col(c)).isZero(1e-5));
          EXPECT_TRUE(((phi(p, q + d) - phi(p, q - d)) / (2 * h) - value.Q.col(c)).isZero(1e-5));
        }
      }
    }
  }
}

TEST(FischerBurmeister, StaysFiniteAtItsCornerAndWithoutBounds) {
  for (const Constraint& constraint : all_types()) {
    const FbValue value = fischer_burmeister(constraint, kRootMass, Vector3d::Zero(), 0,
                                             Vector3d::Zero(), Vector3d::Zero());
    EXPECT_TRUE(value.phi.allFinite() && value.P.allFinite() && value.Q.allFinite());
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const Constraint one_sided{
      .type = ConstraintType::kJointLimit, .rows = 1, .lower = -infinity, .upper = 0.5};
  const auto phi = [&](double p, double q) {
    return fischer_burmeister(one_sided, 1, Vector3d::Zero(), 0, {p, 0, 0}, {q, 0, 0}).phi[0];
  };
  EXPECT_NEAR(phi(0, -3), 0, 1e-15);
  EXPECT_NEAR(phi(-2, 0.5), 0, 1e-15);
  EXPECT_GT(std::abs(phi(2, -3)), 0.1);
}

TEST(NNewton, ConvergesFasterThanLinearlyOnSlidingBalls) {
  const Problem problem = ball_column(6, {3, 1, -2}, 0.3);
  Solution solution;
  solve(problem, "nnewton", {.tolerance = 1e-11}, true, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
  EXPECT_LE(solution.report.iterations, 30);
  const auto& history = solution.report.history;
  ASSERT_GE(history.size(), 3u);
  EXPECT_LT(history.back().residual, 1e-2 * history[history.size() - 2].residual);
}

TEST(NNewton, WarmStartAtTheSolutionNeedsNoIteration) {
  const Problem problem = ball_column(4, {3, 1, -2}, 0.2);
  Solution solution;
  solve(problem, "nnewton", {.tolerance = 1e-11}, false, solution);
  ASSERT_EQ(solution.report.status, Status::kSolved);
  solution.warm = true;
  solve(problem, "nnewton", {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.iterations, 0);
}

}  // namespace
}  // namespace stiction
