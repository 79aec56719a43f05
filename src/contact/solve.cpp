#include <stiction/error.h>
#include <stiction/solve.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "contact/islands.h"
#include "contact/solvers.h"

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

// One island from start to report.
void solve_island(const Problem& problem, const SolverOptions& options, const Budget& budget,
                  double error_limit, bool record_history, Deadline& deadline, Solution& solution) {
  if (problem.constraints.empty() && problem.b.isZero(0)) {
    solution.lambda.resize(0);
    solution.v = problem.b;
    return;
  }
  const DynamicsFactor factor(problem);
  if (problem.constraints.empty()) {
    solution.lambda.resize(0);
    solution.v = problem.b;
    factor.solve_in_place(solution.v);
    return;
  }
  ResidualEvaluator residual(problem, factor);
  Monitor monitor(residual, budget, deadline, default_iterations(options), record_history,
                  error_limit);
  Start start;
  start.warm = solution.warm;
  if (solution.warm) {
    start.v = solution.v;
    start.lambda = solution.lambda;
  } else {
    start.lambda = VectorXd::Zero(problem.n_c());
    start.v = problem.b;
    factor.solve_in_place(start.v);
  }
  std::visit(Solver{problem, factor, start, monitor}, options);
  monitor.finish(solution);
}

// What err_v of the whole allows in m/s; infinity if it was not asked for.
double velocity_error_limit(const Problem& problem, double err_v) {
  if (!std::isfinite(err_v)) return err_v;
  const DynamicsFactor factor(problem);
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

// Constraints of island k and of all after it, at least 1.
std::vector<double> constraints_left(const std::vector<Island>& islands) {
  std::vector<double> left(islands.size());
  double count = 0;
  for (size_t k = islands.size(); k-- > 0;) {
    count += static_cast<double>(islands[k].constraints.size());
    left[k] = std::max(count, 1.0);
  }
  return left;
}

// Norms over all rows, from the islands' norms; `count` undoes the division by constraints.
void merge_residual(const Residual& part, double count, double total, Residual& whole) {
  const auto add = [&](double Residual::*field) {
    whole.*field = std::hypot(whole.*field, part.*field * count / total);
  };
  const auto keep_larger = [&](double Residual::*field) {
    whole.*field = std::max(whole.*field, part.*field);
  };
  add(&Residual::paper);
  add(&Residual::scaled);
  add(&Residual::contact);
  add(&Residual::unilateral);
  add(&Residual::equality);
  add(&Residual::soft);
  add(&Residual::joint_friction);
  add(&Residual::joint_limit);
  keep_larger(&Residual::cone_violation);
  keep_larger(&Residual::penetration_rate);
  keep_larger(&Residual::complementarity);
  keep_larger(&Residual::dynamics);
  // err_v is relative to the largest free velocity of the whole.
  const auto absolute = [](const Residual& r) {
    return r.err_v * (r.free_velocity > 0 ? r.free_velocity : 1);
  };
  const double error = std::max(absolute(whole), absolute(part));
  keep_larger(&Residual::free_velocity);
  whole.err_v = error / (whole.free_velocity > 0 ? whole.free_velocity : 1);
}

// Record k of the whole from record k of every island, or its last.
void merge_history(const std::vector<Island>& islands, const std::vector<Solution>& parts,
                   size_t constraints, std::vector<IterationRecord>& history) {
  for (size_t k = 0; k < parts.size(); ++k) {
    const std::vector<IterationRecord>& part = parts[k].report.history;
    if (part.size() > history.size()) history.resize(part.size());
  }
  for (size_t r = 0; r < history.size(); ++r) {
    IterationRecord& whole = history[r];
    for (size_t k = 0; k < parts.size(); ++k) {
      const std::vector<IterationRecord>& part = parts[k].report.history;
      if (part.empty()) continue;
      const IterationRecord& record = part[std::min(r, part.size() - 1)];
      const double share =
          static_cast<double>(islands[k].constraints.size()) / static_cast<double>(constraints);
      whole.residual = std::hypot(whole.residual, share * record.residual);
      whole.seconds += record.seconds;
      whole.factorizations += record.factorizations;
      whole.iteration = std::max(whole.iteration, record.iteration);
    }
  }
}

// The whole is as good as its worst island.
void merge_reports(const std::vector<Island>& islands, const std::vector<Solution>& parts,
                   size_t constraints, SolveReport& report) {
  report = SolveReport{};
  double worst = -1;
  for (size_t k = 0; k < parts.size(); ++k) {
    const SolveReport& part = parts[k].report;
    report.status = std::max(report.status, part.status);
    report.iterations = std::max(report.iterations, part.iterations);
    report.factorizations += part.factorizations;
    report.failed_loops += part.failed_loops;
    report.newton_accepted += part.newton_accepted;
    if (islands[k].constraints.empty()) continue;
    const double count = static_cast<double>(islands[k].constraints.size());
    merge_residual(part.residual, count, static_cast<double>(constraints), report.residual);
    if (part.residual.worst_value > worst) {
      worst = part.residual.worst_value;
      report.residual.worst_constraint = islands[k].constraints[part.residual.worst_constraint];
      report.residual.worst_value = worst;
    }
  }
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
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Island> islands = split_islands(problem);
  if (budget.clock && budget.clock->size() != islands.size()) {
    throw InputError("clock has " + std::to_string(budget.clock->size()) + " numbers, expected " +
                     std::to_string(islands.size()) + ", one per island");
  }
  std::vector<Solution> parts(islands.size());
  for (size_t k = 0; k < islands.size(); ++k) {
    parts[k].warm = solution.warm;
    if (!solution.warm) continue;
    parts[k].v = solution.v(islands[k].dofs);
    parts[k].lambda = solution.lambda(islands[k].rows);
  }
  const std::vector<double> left = constraints_left(islands);
  const double error_limit = velocity_error_limit(problem, budget.err_v);
  std::vector<int> clock(islands.size(), Deadline::kNever);
#pragma omp parallel for schedule(dynamic) num_threads(budget.threads) if (islands.size() > 1)
  for (size_t k = 0; k < islands.size(); ++k) {
    // What is left of the time, shared by size.
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double share = static_cast<double>(islands[k].constraints.size()) / left[k];
    Deadline deadline(std::max(0.0, budget.max_seconds - spent) * (share > 0 ? share : 1));
    if (budget.clock) deadline = Deadline::repeated(budget.clock->at(k));
    solve_island(islands[k].problem(), options, budget, error_limit, record_history, deadline,
                 parts[k]);
    clock[k] = deadline.looks();
  }
  solution.v.resize(problem.n());
  solution.lambda.resize(problem.n_c());
  merge_reports(islands, parts, problem.constraints.size(), solution.report);
  for (size_t k = 0; k < islands.size(); ++k) {
    solution.v(islands[k].dofs) = parts[k].v;
    solution.lambda(islands[k].rows) = parts[k].lambda;
  }
  const auto now = std::chrono::steady_clock::now();
  solution.report.seconds = std::chrono::duration<double>(now - begin).count();
  merge_history(islands, parts, problem.constraints.size(), solution.report.history);
  const bool cut_short =
      std::any_of(clock.begin(), clock.end(), [](int looks) { return looks != Deadline::kNever; });
  if (cut_short) solution.report.clock = std::move(clock);
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
