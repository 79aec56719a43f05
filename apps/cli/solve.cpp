// stiction solve: one contact problem, any solvers, how well and how fast.
#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/solve.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "options.h"
#include "outputs.h"
#include "text.h"

namespace stiction::cli {
namespace {

constexpr char kSolveExamples[] =
    "Grip's iterations are those of its loop; the sweeps before it are not counted. Stuck, it is\n"
    "rescued up to eight times here, but once in a step of stiction run.\n\n"
    "Examples:\n"
    "  stiction solve --generate tower --solver all\n"
    "  stiction solve --generate stack --seed 3 --solver canal,pgs --tol 1e-6 --json\n"
    "  stiction solve --generate pile --seed 1 --size 100 --budget 500ms --plot /tmp/pile.png\n"
    "  stiction solve --generate dish --write /tmp/dish.hdf5\n"
    "  stiction solve /tmp/dish.hdf5 --warm\n";

struct SolveArguments {
  std::string file;
  std::string kind;
  std::int64_t seed = 0;
  GenerateOptions generate;
  std::vector<std::string> solvers;
  double tolerance = 1e-8;
  std::string budget = "10s";
  int iterations = 0;
  int threads = 1;
  bool warm = false;
  bool json = false;
  bool local = false;
  std::string plot;
  std::string write;
};

std::vector<std::string> chosen_solvers(const std::vector<std::string>& asked) {
  if (asked.empty()) return {solver_names().front()};
  std::vector<std::string> chosen;
  std::string known;
  for (const std::string& name : solver_names()) known += (known.empty() ? "" : ", ") + name;
  for (const std::string& name : asked) {
    const auto& all = solver_names();
    if (name == "all") {
      chosen.insert(chosen.end(), all.begin(), all.end());
    } else if (std::find(all.begin(), all.end(), name) != all.end()) {
      chosen.push_back(name);
    } else {
      throw InputError("--solver is '" + name + "', expected all or some of " + known);
    }
  }
  return chosen;
}

Budget make_budget(const SolveArguments& arguments) {
  Budget budget;
  budget.tolerance = arguments.tolerance;
  budget.err_v = arguments.tolerance;
  budget.max_seconds = parse_seconds(arguments.budget);
  budget.max_iterations = arguments.iterations;
  budget.threads = arguments.threads;
  return budget;
}

StoredProblem get_problem(const SolveArguments& arguments) {
  if (arguments.file.empty() == arguments.kind.empty()) {
    throw InputError("solve: expected either a FILE or --generate KIND");
  }
  if (!arguments.file.empty()) return read_problem(arguments.file);
  StoredProblem stored;
  stored.problem = generate_problem(arguments.kind, static_cast<std::uint64_t>(arguments.seed),
                                    arguments.generate);
  return stored;
}

struct Run {
  std::string solver;
  Solution solution;
};

// Warm: from the file's guess, or from the answer of a first solve that is not counted.
Run run_solver(const StoredProblem& stored, const std::string& solver, const Budget& budget,
               bool warm, bool record) {
  Run run;
  run.solver = solver;
  if (warm && stored.has_guess) {
    run.solution = stored.guess;
  } else if (warm) {
    solve(stored.problem, solver, budget, false, run.solution);
  }
  run.solution.warm = warm;
  solve(stored.problem, solver, budget, record, run.solution);
  return run;
}

int contacts_of(const Problem& problem) {
  return static_cast<int>(
      std::count_if(problem.constraints.begin(), problem.constraints.end(),
                    [](const auto& c) { return c.type == ConstraintType::kContact; }));
}

void print_json(const Problem& problem, const std::vector<Run>& runs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Run& run : runs) {
    const SolveReport& report = run.solution.report;
    list.push_back({{"solver", run.solver},
                    {"status", to_string(report.status)},
                    {"iterations", report.iterations},
                    {"factorizations", report.factorizations},
                    {"time_s", report.seconds},
                    {"residual_paper", report.residual.paper},
                    {"residual_scaled", report.residual.scaled},
                    {"err_v", report.residual.err_v},
                    {"contacts", contacts_of(problem)},
                    {"dof", problem.n()}});
  }
  std::cout << list.dump(2) << '\n';
}

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.1f us", 1e6 * seconds);
  } else if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.3f ms", 1e3 * seconds);
  } else {
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  }
  return text;
}

std::string name_of(const SolveArguments& arguments) {
  return arguments.file.empty() ? arguments.kind + " " + std::to_string(arguments.seed)
                                : arguments.file;
}

void print_table(const SolveArguments& arguments, const Problem& problem,
                 const std::vector<Run>& runs) {
  std::cout << name_of(arguments) << ": " << contacts_of(problem) << " contacts, "
            << problem.constraints.size() << " constraints, " << problem.n() << " dof\n";
  char line[160];
  std::snprintf(line, sizeof line, "%-10s %-15s %10s %14s %12s %10s %10s %10s\n", "solver",
                "status", "iterations", "factorizations", "time", "paper", "scaled", "err_v");
  std::cout << line;
  for (const Run& run : runs) {
    const SolveReport& report = run.solution.report;
    std::snprintf(line, sizeof line, "%-10s %-15s %10d %14d %12s %10.2e %10.2e %10.2e\n",
                  run.solver.c_str(), to_string(report.status), report.iterations,
                  report.factorizations, time_text(report.seconds).c_str(), report.residual.paper,
                  report.residual.scaled, report.residual.err_v);
    std::cout << line;
  }
}

void plot(const SolveArguments& arguments, const std::vector<Run>& runs) {
  PlotPanel over_time{"time [ms]", "scaled residual [m/s]", true, true, {}};
  PlotPanel over_iterations{"iteration", "scaled residual [m/s]", true, true, {}};
  for (const Run& run : runs) {
    PlotLine time{run.solver, {}, {}};
    PlotLine iteration{run.solver, {}, {}};
    for (const IterationRecord& record : run.solution.report.history) {
      time.x.push_back(1e3 * record.seconds);
      time.y.push_back(record.residual);
      // From 1, so that the start has a place on a logarithmic axis.
      iteration.x.push_back(record.iteration + 1);
      iteration.y.push_back(record.residual);
    }
    over_time.lines.push_back(time);
    over_iterations.lines.push_back(iteration);
  }
  plot_png(arguments.plot, name_of(arguments), {over_time, over_iterations});
}

void run_solve(const SolveArguments& arguments) {
  check_files({{"FILE", arguments.file}},
              {{"--write", arguments.write}, {"--plot", arguments.plot}});
  const Budget budget = make_budget(arguments);
  const std::vector<std::string> solvers = chosen_solvers(arguments.solvers);
  const StoredProblem stored = get_problem(arguments);
  const ProblemForm form = arguments.local ? ProblemForm::kLocal : ProblemForm::kGlobal;
  if (!arguments.write.empty() && arguments.solvers.empty()) {
    write_problem(arguments.write, stored.problem, form,
                  stored.has_guess ? &stored.guess : nullptr);
    std::cout << arguments.write << ": " << contacts_of(stored.problem) << " contacts, "
              << stored.problem.n() << " dof\n";
    return;
  }
  std::vector<Run> runs;
  for (const std::string& solver : solvers) {
    runs.push_back(run_solver(stored, solver, budget, arguments.warm, !arguments.plot.empty()));
  }
  if (!arguments.write.empty()) {
    write_problem(arguments.write, stored.problem, form, &runs.front().solution);
  }
  if (!arguments.plot.empty()) plot(arguments, runs);
  if (arguments.json) {
    print_json(stored.problem, runs);
  } else {
    print_table(arguments, stored.problem, runs);
  }
}

// --write without --solver solves nothing.
void refuse_solver_options(const CLI::App& command) {
  for (const std::string name :
       {"--tol", "--budget", "--iterations", "--threads", "--warm", "--json", "--plot"}) {
    if (command.count(name) == 0) continue;
    throw InputError(name + " is given beside --write without --solver, which solves nothing");
  }
}

}  // namespace

void add_solve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("solve", "Solve one contact problem and say how well");
  auto arguments = std::make_shared<SolveArguments>();
  SolveArguments& a = *arguments;
  std::string kinds;
  for (const std::string& kind : problem_kinds()) kinds += (kinds.empty() ? "" : ", ") + kind;
  std::string names;
  for (const std::string& name : solver_names()) names += (names.empty() ? "" : ", ") + name;
  command->add_option("FILE", a.file, "FCLIB problem, HDF5");
  CLI::Option* generate =
      command->add_option("--generate", a.kind, "make a problem instead: " + kinds)
          ->check(not_empty("the kind of a problem"));
  command->add_option("--seed", a.seed, "seed of --generate")
      ->check(integer_in(0, std::numeric_limits<std::int64_t>::max()))
      ->needs(generate);
  command->add_option("--size", a.generate.size, "contacts, bodies or parts of --generate")
      ->check(integer_in(1, 1000000))
      ->needs(generate);
  command
      ->add_option("--mass-ratio", a.generate.mass_ratio,
                   "heavy over light, of --generate stack, pile or tower")
      ->check(number_in(1e-6, 1e6))
      ->needs(generate);
  command->add_option("--mu", a.generate.mu, "friction coefficient of --generate")
      ->check(number_in(0, 100))
      ->needs(generate);
  command->add_option("--solver", a.solvers, "all, or some of " + names)
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option(
          "--tol", a.tolerance,
          "to reach, of the scaled residual (m/s) and of err_v; 0: as far as the budget goes")
      ->check(number_in(0, std::numeric_limits<double>::infinity()))
      ->capture_default_str();
  command->add_option("--budget", a.budget, "time for one solver: 200ns, 500us, 10ms, 2s")
      ->capture_default_str();
  command->add_option("--iterations", a.iterations, "limit instead of the solver's own")
      ->check(integer_in(1, std::numeric_limits<int>::max()));
  command->add_option("--threads", a.threads)->check(integer_in(1, 256))->capture_default_str();
  command->add_flag("--warm", a.warm, "start from the file's guess, or from a first solve");
  command->add_flag("--json", a.json, "a list of objects instead of the table");
  command->add_option("--plot", a.plot, "draw residual over time and iterations, PNG")
      ->check(not_empty());
  CLI::Option* write =
      command
          ->add_option("--write", a.write,
                       "write the problem, HDF5; with --solver also the first one's solution")
          ->check(not_empty());
  command->add_flag("--local", a.local, "with --write: FCLIB's local form beside the exact one")
      ->needs(write);
  command->footer(kSolveExamples);
  command->callback([arguments, command] {
    if (!arguments->write.empty() && arguments->solvers.empty()) refuse_solver_options(*command);
    run_solve(*arguments);
  });
}

}  // namespace stiction::cli
