// Solvers on generated problems: what each must reach, on modest counts of fresh cases.
#include <gtest/gtest.h>
#include <stiction/solve.h>

namespace stiction {
namespace {

struct Expectation {
  const char* solver;
  const char* kind;
  int size;          // 0: the kind's own
  double tolerance;  // scaled residual, m/s
  int cases;
  int solved;  // at least
};

void PrintTo(const Expectation& e, std::ostream* out) { *out << e.solver << " on " << e.kind; }

class Generated : public testing::TestWithParam<Expectation> {};

TEST_P(Generated, ReachesItsTolerance) {
  const Expectation& expected = GetParam();
  int solved = 0;
  for (int k = 0; k < expected.cases; ++k) {
    const Problem problem = generate_problem(expected.kind, static_cast<std::uint64_t>(100 + k),
                                             {.size = expected.size});
    Solution solution;
    solve(problem, expected.solver, {.tolerance = expected.tolerance}, false, solution);
    EXPECT_TRUE(solution.v.allFinite());
    EXPECT_TRUE(solution.lambda.allFinite());
    EXPECT_LT(solution.report.residual.dynamics, 1e-8);
    const bool reached = solution.report.residual.scaled <= expected.tolerance;
    // The status never promises more than the certificate.
    EXPECT_EQ(solution.report.status == Status::kSolved, reached);
    solved += reached ? 1 : 0;
  }
  EXPECT_GE(solved, expected.solved);
}

// numerics.md has what to expect: the strict method solves all, CANAL not strong friction and big
// piles, PGS only to a coarse tolerance.
const std::vector<Expectation> kExpectations = {
    {"grip", "stack", 0, 1e-8, 10, 10},  {"grip", "nut", 0, 1e-8, 10, 10},
    {"grip", "arm", 0, 1e-8, 10, 10},    {"grip", "slide", 0, 1e-8, 10, 10},
    {"grip", "pile", 50, 1e-8, 3, 3},    {"grip", "dish", 0, 1e-8, 2, 2},
    {"grip", "robot", 0, 1e-8, 5, 5},    {"grip", "tower", 0, 1e-8, 3, 3},
    {"grip", "empty", 0, 1e-8, 3, 3},    {"canal", "one", 0, 1e-8, 9, 9},
    {"canal", "nut", 0, 1e-8, 100, 96},  {"canal", "arm", 0, 1e-8, 100, 97},
    {"canal", "stack", 0, 1e-8, 50, 45}, {"canal", "slide", 0, 1e-8, 50, 41},
    {"canal", "tower", 0, 1e-8, 3, 3},   {"canal", "discs", 0, 1e-8, 5, 5},
    {"canal", "empty", 0, 1e-8, 3, 3},   {"pgs", "one", 0, 1e-8, 9, 9},
    {"pgs", "empty", 0, 1e-8, 3, 3},     {"pgs", "slide", 0, 1e-6, 10, 8},
    {"pgs", "pile", 50, 1e-4, 3, 3},
};

INSTANTIATE_TEST_SUITE_P(Kinds, Generated, testing::ValuesIn(kExpectations),
                         [](const auto& tested) {
                           return std::string(tested.param.solver) + "_" + tested.param.kind;
                         });

// Infeasible: whatever a solver says, it is finite, and it is not "solved".
TEST(Infeasible, WedgesAreNeverCalledSolved) {
  for (const std::string& solver : solver_names()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Solution solution;
      solve(generate_problem("wedge", seed), solver, {.max_seconds = 1}, false, solution);
      EXPECT_NE(solution.report.status, Status::kSolved) << solver << " " << seed;
      EXPECT_TRUE(solution.v.allFinite()) << solver;
      EXPECT_TRUE(solution.lambda.allFinite()) << solver;
    }
  }
}

}  // namespace
}  // namespace stiction
