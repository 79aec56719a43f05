#include "contact/problem_solver.h"

#include "contact/decided.h"
#include "contact/solve_islands.h"

namespace stiction {

ProblemSolver::ProblemSolver(const Problem& problem, bool leave_out)
    : problem_(problem), leave_out_(leave_out), factor_(problem), certificate_(problem, factor_) {}

void ProblemSolver::solve(const SolverOptions& options, const Budget& budget, bool record_history,
                          Solution& solution) {
  if (solved_before_) factor_.factorize();
  solved_before_ = true;
  IslandSolver solver(problem_, factor_, options, budget, record_history, islands_);
  Decided decided(problem_);
  if (leave_out_ && solution.warm) {
    decided.find(factor_, budget, solution.v, solution.lambda);
  }
  std::vector<char> changed;
  do {
    solver.solve(decided, changed, solution);
    certificate_.update(solution.lambda);
    solution.v = certificate_.v();
    changed = decided.give_back(certificate_.Jv());
  } while (!changed.empty());
  solution.report.residual = certificate_.measure(solution.lambda, solver.masses());
  solver.write(solution.report);
}

}  // namespace stiction
