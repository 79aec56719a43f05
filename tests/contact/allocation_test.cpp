// No solver here allocates inside its iterations: twice the iterations, the same allocations.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <cstddef>

#include "contact/solvers.h"

// Counts every allocation of this program, Eigen's included, which go past operator new. The
// sanitizers bring a malloc of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static long allocations = 0;
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

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
