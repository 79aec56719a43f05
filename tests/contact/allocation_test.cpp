// No solver here allocates inside its iterations: twice the iterations, the same allocations.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include "contact/solvers.h"
#include "count_allocations.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace stiction {
namespace {

long allocations_of(const Problem& problem, const SolverOptions& options, int iterations) {
  Solution solution;
  const long before = allocations;
  solve_with(problem, options, {.tolerance = 0, .max_iterations = iterations}, false, solution);
  return allocations - before;
}

TEST(Allocation, IsCounted) {
  const long before = allocations;
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(100);
  EXPECT_EQ(allocations, before + 1);
  EXPECT_EQ(x.size(), 100);
}

class Allocation : public testing::TestWithParam<std::string> {};

TEST_P(Allocation, NoneInsideIterations) {
  const SolverOptions options = solver_options(GetParam());
  for (const char* kind : {"nut", "arm"}) {
    const Problem problem = generate_problem(kind, 1);
    allocations_of(problem, options, 10);  // what happens once per program happens here
    EXPECT_EQ(allocations_of(problem, options, 200), allocations_of(problem, options, 100)) << kind;
    EXPECT_EQ(allocations_of(problem, options, 8), allocations_of(problem, options, 2)) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Allocation, testing::ValuesIn(solver_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace stiction
#endif
