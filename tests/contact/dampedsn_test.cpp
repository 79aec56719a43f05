// The strict surrogate (20) and damped Newton on it.
#include "contact/dampedsn.h"

#include <gtest/gtest.h>
#include <stiction/solve.h>

#include "contact/operators.h"
#include "contact/root_rows.h"
#include "contact/sample_problems.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

class SurrogateTest : public testing::Test {
 protected:
  SurrogateTest()
      : problem_(generate_problem("robot", 4)),
        factor_(problem_),
        m_(RootRows(problem_, factor_).masses()),
        surrogate_(problem_, factor_, m_) {
    v_ = problem_.b;
    factor_.solve_in_place(v_);
    lambda_ = VectorXd::Zero(problem_.n_c());
  }

  Problem problem_;
  DynamicsFactor factor_;
  VectorXd m_;
  StrictSurrogate surrogate_;
  VectorXd v_;
  VectorXd lambda_;
};

TEST_F(SurrogateTest, DerivativeMatchesFiniteDifferences) {
  surrogate_.set(lambda_, 7);
  const double h = 1e-7;
  const VectorXd direction = VectorXd::Random(problem_.n());
  surrogate_.evaluate(v_ + h * direction);
  const VectorXd after = surrogate_.r();
  surrogate_.evaluate(v_ - h * direction);
  const VectorXd slope = (after - surrogate_.r()) / (2 * h);
  surrogate_.evaluate(v_);
  VectorXd product(problem_.n());
  surrogate_.multiply_M(direction, product);
  EXPECT_LT((product - slope).norm(), 1e-6 * slope.norm());
}

TEST_F(SurrogateTest, TransposedProductIsTheTranspose) {
  surrogate_.set(lambda_, 7);
  surrogate_.evaluate(v_);
  const VectorXd x = VectorXd::Random(problem_.n());
  const VectorXd y = VectorXd::Random(problem_.n());
  VectorXd Mx(problem_.n());
  VectorXd Mty(problem_.n());
  surrogate_.multiply_M(x, Mx);
  surrogate_.multiply_M_transposed(y, Mty);
  EXPECT_NEAR(y.dot(Mx), Mty.dot(x), 1e-10 * Mx.norm() * y.norm());
}

TEST_F(SurrogateTest, NewtonStepSolvesTheLinearisedEquation) {
  surrogate_.set(lambda_, 7);
  surrogate_.evaluate(v_);
  ASSERT_TRUE(surrogate_.linearise());
  VectorXd d = surrogate_.r();
  surrogate_.solve_newton(d);
  VectorXd Md(problem_.n());
  surrogate_.multiply_M(d, Md);
  EXPECT_LT((Md - surrogate_.r()).norm(), 1e-9 * surrogate_.r().norm());
}

TEST(DampedSn, CountsInnerStepsAndFailures) {
  const Problem problem = ball_column(5, {3, 0, -2}, 0.4);
  DampedSnOptions options;
  Solution solution;
  solve_with(problem, options, {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
  EXPECT_GT(solution.report.factorizations, 0);
  EXPECT_LT(solution.report.failed_loops, solution.report.iterations);

  options.inner_iterations = 0;  // no step allowed: every loop must count as failed
  options.iterations = 3;
  solve_with(problem, options, {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.iterations, 3);
  EXPECT_EQ(solution.report.failed_loops, 3);
  EXPECT_EQ(solution.report.factorizations, 0);
  EXPECT_NE(solution.report.status, Status::kSolved);
}

}  // namespace
}  // namespace stiction
