#include <stiction/error.h>
#include <stiction/solve.h>

#include <utility>

#include "contact/problem_solver.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

const std::vector<std::pair<std::string, SolverOptions>>& registry() {
  static const std::vector<std::pair<std::string, SolverOptions>> all = {
      {"grip", GripOptions{}},  // the default
      {"canal", CanalOptions{}},
      {"convex", ConvexOptions{}},
      {"subadmm", SubAdmmOptions{}},
      {"subadmm_aa", SubAdmmOptions{.anderson = 10}},
      {"pgs", PgsOptions{}},
      {"pgs_cg", PgsOptions{.acceleration = SweepAcceleration::kConjugateGradients}},
      {"pj", PjOptions{}},
      {"fadmm", FadmmOptions{}},
      {"nobody", FadmmOptions{.split_subsystems = true}},
      {"implicit", ImplicitOptions{}},
      {"nnewton", NNewtonOptions{}},
      {"trdogleg", TrDoglegOptions{}},
      {"dampedsn", DampedSnOptions{}},
  };
  return all;
}

}  // namespace

const char* to_string(Status status) {
  switch (status) {
    case Status::kSolved:
      return "solved";
    case Status::kIterationLimit:
      return "iteration limit";
    case Status::kTimeLimit:
      return "time limit";
    case Status::kStalled:
      return "stalled";
    case Status::kRegularized:
      return "regularized";
    case Status::kFailed:
      return "failed";
  }
  return "unknown";
}

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& entry : registry()) all.push_back(entry.first);
    return all;
  }();
  return names;
}

SolverOptions solver_options(const std::string& name) {
  std::string known;
  for (const auto& [key, options] : registry()) {
    if (key == name) return options;
    known += (known.empty() ? "" : ", ") + key;
  }
  throw InputError("solver '" + name + "' is unknown, expected one of " + known);
}

void solve_with(const Problem& problem, const SolverOptions& options, const Budget& budget,
                bool record_history, Solution& solution) {
  ProblemSolver(problem, false).solve(options, budget, record_history, solution);
}

void solve(const Problem& problem, const std::string& solver, const Budget& budget,
           bool record_history, Solution& solution) {
  const SolverOptions options = solver_options(solver);
  validate(problem);
  if (solution.warm &&
      (solution.v.size() != problem.n() || solution.lambda.size() != problem.n_c())) {
    throw InputError("warm start: v has size " + std::to_string(solution.v.size()) +
                     " and lambda " + std::to_string(solution.lambda.size()) + ", expected " +
                     std::to_string(problem.n()) + " and " + std::to_string(problem.n_c()));
  }
  solve_with(problem, options, budget, record_history, solution);
}

}  // namespace stiction
