// What the default solver promises beside the residual: it does not care for units, places or
// threads, a good guess pays, and a problem without a solution gets bounded impulses and an honest
// status.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <algorithm>
#include <string>
#include <vector>

namespace stiction {
namespace {

Solution solved(const Problem& problem, const Budget& budget = {}) {
  Solution solution;
  solve(problem, "grip", budget, false, solution);
  return solution;
}

class GripOn : public testing::TestWithParam<const char*> {};

// Twice the Newton steps and a few more: round-off decides differently at kinks.
void expect_alike(const Solution& solution, const Solution& reference, const std::string& what) {
  EXPECT_EQ(solution.report.status, Status::kSolved) << what;
  EXPECT_LE(solution.report.residual.scaled, 1e-8) << what;
  const int steps = reference.report.factorizations;
  EXPECT_LE(solution.report.factorizations, 2 * steps + 10) << what << ", reference " << steps;
  EXPECT_GE(2 * solution.report.factorizations + 10, steps) << what << ", reference " << steps;
}

TEST_P(GripOn, MassesAndLengthsDoNotMatter) {
  for (std::uint64_t seed = 20; seed < 23; ++seed) {
    const Problem problem = generate_problem(GetParam(), seed);
    const Solution reference = solved(problem);
    for (double mass : {1e-4, 1e-2, 1e2, 1e4}) {
      const Solution scaled = solved(scaled_problem(problem, mass, 1));
      expect_alike(scaled, reference, "masses times " + std::to_string(mass));
    }
    for (double length : {1e-2, 1e-1, 1e1, 1e2}) {
      const Solution scaled = solved(scaled_problem(problem, 1, length));
      expect_alike(scaled, reference, "lengths times " + std::to_string(length));
    }
  }
}

TEST_P(GripOn, AKilometreFromTheOriginDoesNotMatter) {
  for (std::uint64_t seed = 20; seed < 23; ++seed) {
    const Problem problem = generate_problem(GetParam(), seed);
    expect_alike(solved(shifted_problem(problem, {1000, -1000, 0})), solved(problem), "1 km away");
  }
}

TEST_P(GripOn, ItsOwnSolutionIsAllButFree) {
  for (std::uint64_t seed = 20; seed < 23; ++seed) {
    const Problem problem = generate_problem(GetParam(), seed);
    Solution solution = solved(problem, {.tolerance = 1e-10});
    solution.warm = true;
    solve(problem, "grip", {}, false, solution);
    EXPECT_EQ(solution.report.status, Status::kSolved);
    EXPECT_EQ(solution.report.factorizations, 0);
  }
}

// Wherever time cuts it short, nothing pulls, and it is about as good as a few sweeps.
TEST_P(GripOn, WhatTimeCutsShortHoldsBodiesUp) {
  const Problem problem = generate_problem(GetParam(), 20);
  Solution swept;
  solve(problem, "pgs", {.max_iterations = 10}, false, swept);
  for (int looks = 1; looks < 60; ++looks) {
    const std::vector<int> clock = {looks};
    const Solution solution = solved(problem, {.clock = &clock});
    EXPECT_LT(solution.report.residual.cone_violation, 1e-12) << looks;
    EXPECT_LT(solution.report.residual.scaled, 30 * swept.report.residual.scaled) << looks;
    if (solution.report.status == Status::kSolved) break;
  }
}

// Problems that sweeps do not solve, which would leave no factorization to save.
class GripNeedsNewtonOn : public testing::TestWithParam<const char*> {};

// A load that changes by a thousandth, as from one step to the next.
TEST_P(GripNeedsNewtonOn, AGoodGuessPays) {
  int cold_steps = 0;
  int warm_steps = 0;
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    Problem problem = generate_problem(GetParam(), seed);
    Solution solution = solved(problem);
    problem.b *= 1.001;
    cold_steps += solved(problem).report.factorizations;
    solution.warm = true;
    solve(problem, "grip", {}, false, solution);
    EXPECT_EQ(solution.report.status, Status::kSolved);
    warm_steps += solution.report.factorizations;
  }
  EXPECT_LT(3 * warm_steps, 2 * cold_steps);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GripNeedsNewtonOn, testing::Values("stack", "nut", "arm"),
                         [](const auto& test) { return std::string(test.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, GripOn, testing::Values("stack", "nut", "arm", "slide"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Grip, ThreadsDoNotChangeABit) {
  for (const char* kind : {"pile", "robot", "slide"}) {
    const Problem problem = generate_problem(kind, 3, {.size = kind[0] == 'p' ? 50 : 0});
    const Solution one = solved(problem);
    for (int threads : {2, 4}) {
      const Solution more = solved(problem, {.threads = threads});
      EXPECT_EQ(more.lambda, one.lambda) << kind << ", " << threads << " threads";
      EXPECT_EQ(more.v, one.v) << kind << ", " << threads << " threads";
    }
  }
}

TEST(Grip, AWedgeIsRegularizedWithBoundedImpulses) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Problem problem = generate_problem("wedge", seed);
    const Solution solution = solved(problem);
    EXPECT_EQ(solution.report.status, Status::kRegularized) << "seed " << seed;
    const double momentum = problem.b.norm();
    EXPECT_LT(solution.lambda.norm(), 1e7 * momentum) << "seed " << seed;
    EXPECT_LT(solution.v.norm(), 10 * problem.b.norm() / problem.bodies[0].H(0, 0));
  }
}

}  // namespace
}  // namespace stiction
