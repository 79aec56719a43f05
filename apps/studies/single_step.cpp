#include "studies/single_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction::studies {
namespace {

using Eigen::Vector3d;

struct SingleStepContender {
  const char* solver;
  int iterations;
};
constexpr SingleStepContender kSingleStepContenders[] = {
    {"canal", 40}, {"subadmm", 2000}, {"pgs", 1000}, {"grip", 0}};

Vector3d random_vector(double length, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  Vector3d direction;
  do {
    direction = Vector3d::NullaryExpr([&](Eigen::Index) { return normal(random); });
  } while (direction.norm() < 1e-6);
  return length * unit(random) * direction.normalized();
}

// Per report, `cost` of the first record at or below `residual`; infinity if there is none.
template <class Number>
std::vector<double> cost_to(const std::vector<SolveReport>& reports, double residual,
                            Number IterationRecord::*cost) {
  std::vector<double> result;
  for (const SolveReport& report : reports) {
    const auto found = std::find_if(report.history.begin(), report.history.end(),
                                    [&](const auto& r) { return r.residual <= residual; });
    result.push_back(found == report.history.end() ? kInfinity : (*found).*cost);
  }
  return result;
}

/// What a solver's histories say about a set of cases.
struct History {
  std::string solver;
  std::vector<SolveReport> reports;

  /// Per case: when, and after how many factorizations, the residual first was at most `residual`;
  /// infinity if never.
  std::vector<double> seconds_to(double residual) const {
    return cost_to(reports, residual, &IterationRecord::seconds);
  }
  std::vector<double> factorizations_to(double residual) const {
    return cost_to(reports, residual, &IterationRecord::factorizations);
  }
  /// Per case: the smallest residual until `seconds`.
  std::vector<double> residuals_at(double seconds) const;
  double share_below(double residual) const;
};

std::vector<double> History::residuals_at(double seconds) const {
  std::vector<double> result;
  for (const SolveReport& report : reports) {
    double best = report.history.front().residual;
    for (const IterationRecord& record : report.history) {
      if (record.seconds <= seconds) best = std::min(best, record.residual);
    }
    result.push_back(best);
  }
  return result;
}

double History::share_below(double residual) const {
  const auto count = std::count_if(reports.begin(), reports.end(),
                                   [&](const auto& r) { return r.residual.scaled <= residual; });
  return static_cast<double>(count) / static_cast<double>(reports.size());
}

std::vector<History> solve_all(const Setup& setup, const std::vector<Case>& cases) {
  std::vector<History> histories;
  for (const SingleStepContender& contender : kSingleStepContenders)
    histories.push_back({contender.solver, {}});
  for (size_t k = 0; k < cases.size(); ++k) {
    setup.progress(0.2 + 0.8 * static_cast<double>(k) / static_cast<double>(cases.size()),
                   "case " + std::to_string(k));
    for (size_t s = 0; s < histories.size(); ++s) {
      const Budget budget{.tolerance = 1e-11,
                          .max_iterations = kSingleStepContenders[s].iterations,
                          .max_seconds = 2};
      histories[s].reports.push_back(
          timed_case(cases[k], kSingleStepContenders[s].solver, budget, true));
    }
  }
  return histories;
}

PlotPanel residual_over_time(const std::vector<History>& histories) {
  PlotPanel panel{"computation time [ms]", "scaled residual [m/s]", true, true, {}};
  panel.title = "Residual over time (median, quartiles)";
  double longest = 0;
  for (const History& history : histories) {
    for (const SolveReport& report : history.reports) longest = std::max(longest, report.seconds);
  }
  for (const History& history : histories) {
    PlotLine line = solver_line(history.solver);
    std::vector<double> ends;
    for (const SolveReport& report : history.reports) ends.push_back(report.history.back().seconds);
    const double end = quantile(ends, 0.9);
    for (int k = 0; k <= 60; ++k) {
      const double seconds = 1e-5 * std::pow(longest / 1e-5, k / 60.0);
      if (seconds > end) break;
      const std::vector<double> residuals = history.residuals_at(seconds);
      line.x.push_back(1e3 * seconds);
      line.y.push_back(median(residuals));
      line.low.push_back(quantile(residuals, 0.25));
      line.high.push_back(quantile(residuals, 0.75));
    }
    panel.lines.push_back(line);
  }
  return panel;
}

PlotPanel time_over_iteration(const std::vector<History>& histories) {
  PlotPanel panel{"iteration", "computation time [ms]", true, true, {}};
  panel.title = "Time over iteration (median)";
  for (const History& history : histories) {
    PlotLine line = solver_line(history.solver);
    size_t longest = 0;
    for (const SolveReport& report : history.reports) {
      longest = std::max(longest, report.history.size());
    }
    for (size_t k = 1; k < longest; ++k) {
      std::vector<double> seconds;
      int iteration = 0;
      for (const SolveReport& report : history.reports) {
        if (k >= report.history.size()) continue;
        seconds.push_back(report.history[k].seconds);
        iteration = report.history[k].iteration;
      }
      if (2 * seconds.size() < history.reports.size()) break;
      line.x.push_back(iteration);
      line.y.push_back(1e3 * median(seconds));
    }
    panel.lines.push_back(line);
  }
  return panel;
}

void add_table(const std::vector<History>& histories, Result& result) {
  Table table{
      "To 1e-8 and 1e-10",
      {"solver", "cases at 1e-8", "cases at 1e-10", "factorizations to 1e-8",
       "factorizations to 1e-10", "time to 1e-8", "time to 1e-10", "last residual (paper's)"},
      {}};
  result.data.columns = {"solver",  "case",           "iterations",     "factorizations",
                         "seconds", "residual_paper", "residual_scaled"};
  for (const History& history : histories) {
    std::vector<double> last;
    for (const SolveReport& report : history.reports) last.push_back(report.residual.paper);
    table.rows.push_back({solver_label(history.solver), percent(history.share_below(1e-8)),
                          percent(history.share_below(1e-10)),
                          text(median(history.factorizations_to(1e-8))),
                          text(median(history.factorizations_to(1e-10))),
                          milliseconds(median(history.seconds_to(1e-8))),
                          milliseconds(median(history.seconds_to(1e-10))), text(median(last))});
    for (size_t k = 0; k < history.reports.size(); ++k) {
      const SolveReport& report = history.reports[k];
      result.data.rows.push_back({history.solver, std::to_string(k),
                                  std::to_string(report.iterations),
                                  std::to_string(report.factorizations), text(report.seconds, 4),
                                  text(report.residual.paper), text(report.residual.scaled)});
    }
  }
  result.tables.push_back(table);
}

void add_claims(const std::vector<History>& histories, const std::string& figure, Result& result) {
  const History& canal = histories[0];
  const History& subadmm = histories[1];
  const History& pgs = histories[2];
  const History& grip = histories[3];
  result.claims.push_back({"CANAL gets below 1e-8", "below 1e-8 (" + figure + ")",
                           percent(canal.share_below(1e-8)) + " of the cases",
                           verdict(canal.share_below(1e-8) >= 0.95, "in fewer than 95 %")});
  result.claims.push_back({"Grip gets below 1e-10", "-",
                           percent(grip.share_below(1e-10)) + " of the cases",
                           verdict(grip.share_below(1e-10) >= 0.98, "in fewer than 98 %")});
  const double time_canal = median(canal.seconds_to(1e-8));
  const double steps_grip = median(grip.factorizations_to(1e-10));
  const double time_grip = median(grip.seconds_to(1e-10));
  for (const auto& [target, name] : {std::pair(1e-8, "1e-8"), std::pair(1e-10, "1e-10")}) {
    const double steps = median(canal.factorizations_to(target));
    const double time = median(canal.seconds_to(target));
    result.claims.push_back(
        {std::string("Grip to 1e-10 in fewer factorizations than CANAL to ") + name, "-",
         text(steps_grip) + " against " + text(steps) + " (medians)",
         verdict(
             steps_grip < steps,
             "it needs " + text(median(grip.factorizations_to(1e-8))) +
                 " to 1e-8; the last digits cost most, where contacts nearly coincide and large "
                 "loads have to move between them")});
    result.claims.push_back({std::string("Grip to 1e-10 in less time than CANAL to ") + name, "-",
                             milliseconds(time_grip) + " against " + milliseconds(time),
                             verdict(time_grip < time,
                                     "it takes longer: a step of smoothing Newton costs more than "
                                     "one of CANAL's"),
                             true});
  }
  const double short_of = median(pgs.residuals_at(time_canal));
  result.claims.push_back(
      {"PGS is far behind when CANAL is done", "PGS struggles to get past 1e-4 (" + figure + ")",
       text(short_of) + " when CANAL is at 1e-8",
       verdict(short_of > 1e-4,
               "our PGS solves each contact exactly and has no Delassus matrix "
               "to set up; it is " +
                   text(short_of / 1e-8) + " times less accurate than CANAL at that time"),
       true});
  const double last_pgs = median(pgs.residuals_at(kInfinity));
  const double last_subadmm = median(subadmm.residuals_at(kInfinity));
  result.claims.push_back(
      {"First-order methods end far above the Newton methods",
       "SubADMM near 1e-6 on dishes, PGS near 1e-4",
       "SubADMM " + text(last_subadmm) + ", PGS " + text(last_pgs) +
           " after 2000 and 1000 iterations",
       verdict(last_pgs > 1e-8 && last_subadmm > 1e-10,
               "our SubADMM and PGS go on converging, given a thousand iterations and more")});
}

}  // namespace

Case wrench_case(Simulation& simulation, const State& state, const std::vector<std::string>& bodies,
                 double force, double torque, std::mt19937& random) {
  simulation.set_state(state);
  for (const std::string& name : bodies) {
    Vector6d wrench;
    wrench << random_vector(force, random), random_vector(torque, random);
    simulation.apply_wrench(simulation.model().body_index(name), wrench);
  }
  simulation.step();
  for (const std::string& name : bodies) {
    simulation.apply_wrench(simulation.model().body_index(name), Vector6d::Zero());
  }
  return {simulation.problem()};
}

Result single_step_study(const Setup& setup, const std::vector<Case>& cases,
                         const std::string& title, const std::string& scene,
                         const std::string& figure) {
  const std::vector<History> histories = solve_all(setup, cases);
  double contacts = 0;
  for (const Case& one : cases) contacts += static_cast<double>(one.problem.constraints.size());
  contacts /= static_cast<double>(cases.size());
  Result result;
  result.pictures.push_back(
      {title,
       scene + ", " + text(contacts) + " contacts, " + std::to_string(cases.size()) +
           " random wrenches, one step of 1/240 s, cold start, tolerance 1e-11 m/s on the scaled "
           "strict residual. Times include each solver's set-up. Compare [TRO25] " +
           figure + ".",
       {residual_over_time(histories), time_over_iteration(histories)}});
  add_table(histories, result);
  add_claims(histories, figure, result);
  return result;
}

}  // namespace stiction::studies
