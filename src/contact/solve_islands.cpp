#include "contact/solve_islands.h"

#include <stiction/error.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "contact/parallel_for.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// One line per solver: its options pick its function.
struct Solver {
  const Problem& P;
  const DynamicsFactor& A;
  const Start& start;
  Monitor& monitor;

  void operator()(const GripOptions& o) { solve_grip(P, A, o, start, monitor); }
  void operator()(const CanalOptions& o) { solve_canal(P, A, o, start, monitor); }
  void operator()(const ConvexOptions& o) { solve_convex(P, A, o, start, monitor); }
  void operator()(const SubAdmmOptions& o) { solve_subadmm(P, A, o, start, monitor); }
  void operator()(const PgsOptions& o) { solve_pgs(P, A, o, start, monitor); }
  void operator()(const PjOptions& o) { solve_pj(P, A, o, start, monitor); }
  void operator()(const FadmmOptions& o) { solve_fadmm(P, A, o, start, monitor); }
  void operator()(const ImplicitOptions& o) { solve_implicit(P, A, o, start, monitor); }
  void operator()(const NNewtonOptions& o) { solve_nnewton(P, A, o, start, monitor); }
  void operator()(const TrDoglegOptions& o) { solve_trdogleg(P, A, o, start, monitor); }
  void operator()(const DampedSnOptions& o) { solve_dampedsn(P, A, o, start, monitor); }
};

int default_iterations(const SolverOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.iterations; }, options);
}

// Infinity if err_v was not asked for.
double velocity_error_limit(const Problem& problem, const DynamicsFactor& factor, double err_v) {
  if (!std::isfinite(err_v)) return err_v;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd v = problem.b;
  VectorXd Jv(problem.n_c());
  factor.solve_in_place(v);
  multiply_J(problem, v, V, Jv);
  double free_velocity = 0;
  for (const Constraint& c : problem.constraints) {
    if (c.type != ConstraintType::kContact) continue;
    const Eigen::Vector3d u = rows_of(c, Jv) + rows_of(c, problem.e);
    free_velocity = std::max(free_velocity, u.norm());
  }
  return err_v * free_velocity;
}

// Constraints of island k and of all after it.
std::vector<double> constraints_left(const std::vector<Island>& islands) {
  std::vector<double> left(islands.size());
  double count = 0;
  for (size_t k = islands.size(); k-- > 0;) {
    count += static_cast<double>(islands[k].constraints.size());
    left[k] = count;
  }
  return left;
}

}  // namespace

IslandSolver::IslandSolver(const Problem& problem, const DynamicsFactor& factor,
                           const SolverOptions& options, const Budget& budget, bool record_history,
                           std::vector<Island>& islands)
    : problem_(problem),
      factor_(factor),
      options_(options),
      budget_(budget),
      record_history_(record_history),
      islands_(islands),
      error_limit_(velocity_error_limit(problem, factor, budget.err_v)),
      masses_(VectorXd::Ones(static_cast<Eigen::Index>(problem.constraints.size()))),
      status_(problem.constraints.size(), Status::kSolved) {}

void IslandSolver::solve(const Decided& decided, const std::vector<char>& changed,
                         Solution& solution) {
  IslandLabels labels = label_islands(problem_, decided.left_out());
  const std::vector<char> settled = decided.settled(labels);
  split_islands(problem_, std::move(labels), settled, islands_);
  if (!changed.empty()) {
    std::erase_if(islands_, [&](const Island& island) {
      return std::ranges::none_of(island.constraints, [&](int i) { return changed[i] != 0; });
    });
  }
  if (!solution.warm) solution.lambda = VectorXd::Zero(problem_.n_c());
  const std::vector<double> left = constraints_left(islands_);
  std::vector<Solution> parts(islands_.size());
  std::vector<int> looks(islands_.size(), Deadline::kNever);
  if (budget_.clock && budget_.clock->size() < clock_.size() + islands_.size()) {
    throw InputError("clock has " + std::to_string(budget_.clock->size()) +
                     " numbers, expected more: one per island");
  }
  parallel_for(static_cast<int>(islands_.size()), budget_.threads, [&](int k) {
    const Island& island = islands_[k];
    const Problem& problem = island.problem();
    Deadline end = deadline(k, static_cast<double>(island.constraints.size()) / left[k]);
    std::optional<DynamicsFactor> part_factor;
    if (!island.whole) part_factor.emplace(problem, factor_, island.subsystems);
    const DynamicsFactor& factor = island.whole ? factor_ : *part_factor;
    ResidualEvaluator residual(problem, factor);
    Monitor monitor(residual, budget_, end, default_iterations(options_), record_history_,
                    error_limit_);
    Start start{{}, solution.lambda(island.rows), solution.warm};
    if (solution.warm) {
      start.v = solution.v(island.dofs);
    } else {
      start.v = problem.b;
      factor.solve_in_place(start.v);
    }
    std::visit(Solver{problem, factor, start, monitor}, options_);
    monitor.finish(parts[k]);
    masses_(island.constraints) = residual.masses();
    looks[k] = end.looks();
  });
  for (size_t k = 0; k < islands_.size(); ++k) merge(islands_[k], parts[k], solution);
  merge_history(parts);
  clock_.insert(clock_.end(), looks.begin(), looks.end());
}

// What is left of the time, shared by size.
Deadline IslandSolver::deadline(size_t island, double share) const {
  if (budget_.clock) return Deadline::repeated(budget_.clock->at(clock_.size() + island));
  return Deadline(std::max(0.0, budget_.max_seconds - seconds()) * share);
}

void IslandSolver::merge(const Island& island, const Solution& part, Solution& solution) {
  solution.lambda(island.rows) = part.lambda;
  for (const int i : island.constraints) status_[i] = part.report.status;
  report_.iterations = std::max(report_.iterations, part.report.iterations);
  report_.factorizations += part.report.factorizations;
  report_.failed_loops += part.report.failed_loops;
  report_.newton_accepted += part.report.newton_accepted;
}

// Record k of the whole from record k of every island, or its last.
void IslandSolver::merge_history(const std::vector<Solution>& parts) {
  std::vector<IterationRecord>& history = report_.history;
  history.clear();
  for (const Solution& part : parts) {
    if (part.report.history.size() > history.size()) history.resize(part.report.history.size());
  }
  for (size_t r = 0; r < history.size(); ++r) {
    IterationRecord& whole = history[r];
    for (size_t k = 0; k < parts.size(); ++k) {
      const std::vector<IterationRecord>& part = parts[k].report.history;
      if (part.empty()) continue;
      const IterationRecord& record = part[std::min(r, part.size() - 1)];
      const double share = static_cast<double>(islands_[k].constraints.size()) /
                           static_cast<double>(problem_.constraints.size());
      whole.residual = std::hypot(whole.residual, share * record.residual);
      whole.seconds += record.seconds;
      whole.factorizations += record.factorizations;
      whole.iteration = std::max(whole.iteration, record.iteration);
    }
  }
}

void IslandSolver::write(SolveReport& report) {
  if (budget_.clock && budget_.clock->size() != clock_.size()) {
    throw InputError("clock has " + std::to_string(budget_.clock->size()) + " numbers, expected " +
                     std::to_string(clock_.size()) + ", one per island");
  }
  const Residual residual = report.residual;
  report = std::move(report_);
  report.residual = residual;
  for (const Status status : status_) report.status = std::max(report.status, status);
  report.seconds = seconds();
  const bool cut_short =
      std::ranges::any_of(clock_, [](int looks) { return looks != Deadline::kNever; });
  if (cut_short) report.clock = std::move(clock_);
}

}  // namespace stiction
