// The public collection of contact problems: all that any of Siconos's solvers solved, by ours.
#include <gtest/gtest.h>
#include <stiction/files.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace stiction {
namespace {

TEST(Collection, DefaultSolverReachesTheVelocityErrorWhereAnySolverDid) {
  const std::filesystem::path folder = std::filesystem::path(STICTION_SHARED_DIR) / "problems";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "../shared is missing";
  std::ifstream index(folder / "index.csv");
  std::string line;
  std::getline(index, line);
  int count = 0;
  while (std::getline(index, line)) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (cells[15] == "0") continue;  // solvers_ok
    ++count;
    const Problem problem = read_problem((folder / (cells[0] + ".hdf5")).string()).problem;
    Budget budget;
    budget.err_v = 1e-8;
    Solution solution;
    solve(problem, solver_names().front(), budget, false, solution);
    EXPECT_EQ(solution.report.status, Status::kSolved) << cells[0];
    EXPECT_LE(solution.report.residual.err_v, 1e-8) << cells[0];
    EXPECT_LE(solution.report.residual.scaled, 1e-8) << cells[0];
  }
  EXPECT_EQ(count, 39);
}

}  // namespace
}  // namespace stiction
