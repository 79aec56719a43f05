// Bowl stacks at one friction coefficient at a time: the lagged friction term of CANAL is a
// fixed-point iteration of rate mu^2 / (1 + mu^2), Grip's strict operator has no such term.
#include <map>

#include "studies/measure.h"
#include "studies/study.h"

namespace stiction::studies {
namespace {

const std::vector<double> kFrictionMu = {0.1, 0.3, 0.5, 1, 1.5, 2};
// CANAL to the letter of Algorithm 1 (beta not scaled, no extrapolation), 300 stacks per
// coefficient, a prototype of ours: share not solved to 1e-8 in 60 loops.
const std::vector<double> kPrintedFailures = {0, 0, 0.25, 0.69, 0.83, 0.88};
const std::vector<std::string> kFrictionSolvers = {"canal", "subadmm", "grip"};

struct FrictionCell {
  std::vector<double> factorizations;
  std::vector<double> iterations;
  std::vector<double> seconds;
  int cases = 0;
  int failures = 0;
  double failure_share() const { return static_cast<double>(failures) / cases; }
};

using FrictionGrid = std::map<std::string, std::vector<FrictionCell>>;

FrictionGrid measure(const Setup& setup, int cases) {
  FrictionGrid grid;
  for (const std::string& solver : kFrictionSolvers) grid[solver].resize(kFrictionMu.size());
  for (size_t m = 0; m < kFrictionMu.size(); ++m) {
    for (int seed = 0; seed < cases; ++seed) {
      setup.progress((static_cast<double>(m) + static_cast<double>(seed) / cases) /
                         static_cast<double>(kFrictionMu.size()),
                     "mu = " + text(kFrictionMu[m]));
      GenerateOptions options;
      options.mu = kFrictionMu[m];
      const Case one{generate_problem("stack", 1000 + static_cast<std::uint64_t>(seed), options)};
      for (const std::string& solver : kFrictionSolvers) {
        const SolveReport report = timed_case(one, solver, {.tolerance = 1e-8});
        FrictionCell& cell = grid[solver][m];
        ++cell.cases;
        cell.failures += report.residual.scaled > 1e-8;
        cell.factorizations.push_back(report.factorizations);
        cell.iterations.push_back(report.iterations);
        cell.seconds.push_back(report.seconds);
      }
    }
  }
  return grid;
}

Picture draw(const FrictionGrid& grid, int cases) {
  PlotPanel failures{"friction coefficient", "not solved to 1e-8 [%]", false, false, {}};
  failures.title = "Failures";
  PlotPanel factorizations{"friction coefficient", "factorizations per solve", false, true, {}};
  factorizations.title = "Newton factorizations (median, quartiles)";
  PlotPanel seconds{"friction coefficient", "time per solve [ms]", false, true, {}};
  seconds.title = "Time to 1e-8 or to the limit (median, quartiles)";
  for (const std::string& solver : kFrictionSolvers) {
    PlotLine failed = solver_line(solver), steps = failed, time = failed;
    for (size_t m = 0; m < kFrictionMu.size(); ++m) {
      const FrictionCell& cell = grid.at(solver)[m];
      for (PlotLine* line : {&failed, &steps, &time}) line->x.push_back(kFrictionMu[m]);
      failed.y.push_back(100 * cell.failure_share());
      steps.y.push_back(median(cell.factorizations));
      steps.low.push_back(quantile(cell.factorizations, 0.25));
      steps.high.push_back(quantile(cell.factorizations, 0.75));
      time.y.push_back(1e3 * median(cell.seconds));
      time.low.push_back(1e3 * quantile(cell.seconds, 0.25));
      time.high.push_back(1e3 * quantile(cell.seconds, 0.75));
    }
    failures.lines.push_back(failed);
    if (solver != "subadmm") factorizations.lines.push_back(steps);
    seconds.lines.push_back(time);
  }
  PlotLine printed{"CANAL as printed", kFrictionMu, {}};
  for (double share : kPrintedFailures) printed.y.push_back(100 * share);
  printed.color = "#777777";
  printed.dashed = true;
  failures.lines.push_back(printed);
  failures.y_range = {-3, 103};
  return {"Bowl stacks: friction decides",
          "Bowls of 0.1 kg under 5 kg with 20 to 60 contacts, " + std::to_string(cases) +
              " stacks per coefficient, cold start, tolerance 1e-8 m/s on the scaled strict "
              "residual; limits: CANAL 60 loops, SubADMM 2000 iterations, Grip its own. Dashed: "
              "CANAL to the letter of Algorithm 1, measured with a prototype on 300 stacks.",
          {failures, factorizations, seconds}};
}

void add_tables(const FrictionGrid& grid, Result& result) {
  Table table{"Failures and iterations",
              {"mu", "CANAL as printed, failures", "CANAL", "SubADMM", "Grip",
               "CANAL factorizations", "Grip factorizations", "SubADMM iterations"},
              {}};
  result.data.columns = {"mu",
                         "solver",
                         "cases",
                         "failures",
                         "median_factorizations",
                         "median_iterations",
                         "median_seconds"};
  for (size_t m = 0; m < kFrictionMu.size(); ++m) {
    const auto cell = [&](const char* solver) { return grid.at(solver)[m]; };
    table.rows.push_back(
        {text(kFrictionMu[m]), percent(kPrintedFailures[m]), percent(cell("canal").failure_share()),
         percent(cell("subadmm").failure_share()), percent(cell("grip").failure_share()),
         text(median(cell("canal").factorizations)), text(median(cell("grip").factorizations)),
         text(median(cell("subadmm").iterations), 4)});
    for (const std::string& solver : kFrictionSolvers) {
      const FrictionCell& one = grid.at(solver)[m];
      result.data.rows.push_back({text(kFrictionMu[m]), solver, std::to_string(one.cases),
                                  std::to_string(one.failures), text(median(one.factorizations)),
                                  text(median(one.iterations), 4), text(median(one.seconds), 4)});
    }
  }
  result.tables.push_back(table);
}

}  // namespace

Result run_friction(const Setup& setup) {
  const int cases = setup.quick ? 8 : 60;
  const FrictionGrid grid = measure(setup, cases);
  Result result;
  result.pictures.push_back(draw(grid, cases));
  add_tables(grid, result);

  int grip_failures = 0, canal_failures = 0, total = 0;
  double worst = 0;
  std::vector<double> ratio_steps, ratio_time;
  for (size_t m = 0; m < kFrictionMu.size(); ++m) {
    const FrictionCell& grip = grid.at("grip")[m];
    const FrictionCell& canal = grid.at("canal")[m];
    grip_failures += grip.failures;
    canal_failures += canal.failures;
    total += grip.cases;
    worst = std::max(worst, canal.failure_share() - kPrintedFailures[m]);
    for (int k = 0; k < cases; ++k) {
      ratio_steps.push_back(canal.factorizations[k] / grip.factorizations[k]);
      ratio_time.push_back(canal.seconds[k] / grip.seconds[k]);
    }
  }
  const std::string of_all = " of " + std::to_string(total);
  result.claims.push_back({"Grip solves every stack at every friction",
                           "no solver of the papers does (CANAL as printed: 0 to 88 % failures)",
                           std::to_string(grip_failures) + of_all + " not solved",
                           verdict(grip_failures <= total / 100, "more than 1 % are not solved")});
  result.claims.push_back(
      {"CANAL here fails no more often than as printed", "0, 0, 25, 69, 83, 88 % over mu",
       std::to_string(canal_failures) + of_all + " not solved",
       verdict(worst <= 0.05, "at one coefficient it fails " + percent(worst) + " more often")});
  const double steps = median(ratio_steps);
  result.claims.push_back({"Grip needs fewer factorizations than CANAL", "-",
                           "CANAL takes " + text(steps) + " times as many (median over cases)",
                           verdict(steps > 1, "it takes more")});
  const double time = median(ratio_time);
  result.claims.push_back({"Grip takes less time than CANAL", "-",
                           "CANAL takes " + text(time) + " times as long (median over cases)",
                           verdict(time > 1, "it takes longer"), true});
  result.method =
      "Problems: `generate_problem(\"stack\", seed, mu)`, seeds from 1000, all solvable by "
      "construction. Every solver gets the same problem, cold, and its time includes its own "
      "set-up. CANAL has its best settings: penalties scaled by effective masses and Anderson "
      "acceleration of the lagged friction term; without both it is the dashed line.";
  return result;
}

}  // namespace stiction::studies
