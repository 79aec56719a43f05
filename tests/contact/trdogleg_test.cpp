// Trust-region dogleg in the strict augmented Lagrangian.
#include "contact/trdogleg.h"

#include <gtest/gtest.h>
#include <stiction/solve.h>

#include "contact/sample_problems.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

TEST(TrDogleg, FiveBallsStopTogether) {
  const Problem problem = ball_column(5, {0, 0, -2}, 0.5);
  Solution solution;
  solve(problem, "trdogleg", {.tolerance = 1e-11}, false, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
  EXPECT_TRUE(solution.v.isZero(1e-9));
  EXPECT_NEAR(solution.lambda[2], 2 * 15, 1e-8);
}

// With a beta far beyond what plain Newton bears, the radius must do its work.
TEST(TrDogleg, SurvivesAStiffStart) {
  const Problem problem = ball_column(5, {3, 1, -2}, 0.5);
  TrDoglegOptions options;
  options.s = 1e5;
  Solution solution;
  solve_with(problem, options, {.tolerance = 1e-9}, false, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
  EXPECT_GT(solution.report.factorizations, 0);
}

TEST(TrDogleg, WarmStartAtTheSolutionNeedsNoLoop) {
  const Problem problem = ball_column(4, {3, 1, -2}, 0.2);
  Solution solution;
  solve(problem, "trdogleg", {.tolerance = 1e-11}, false, solution);
  ASSERT_EQ(solution.report.status, Status::kSolved);
  solution.warm = true;
  solve(problem, "trdogleg", {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.iterations, 0);
  EXPECT_EQ(solution.report.factorizations, 0);
}

}  // namespace
}  // namespace stiction
