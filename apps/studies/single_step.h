// Single steps from one state under random wrenches, as [TRO25] VII-A.1 and VII-B.1 measure:
// residual over time and time over iteration.
#pragma once

#include <random>

#include "studies/measure.h"
#include "studies/study.h"

namespace stiction::studies {

/// The problem of one step from `state` with random wrenches on the bodies: force up to `force` (N)
/// in any direction, torque up to `torque` (N m). Solved cold.
Case wrench_case(Simulation& simulation, const State& state, const std::vector<std::string>& bodies,
                 double force, double torque, std::mt19937& random);

/// Steps of the settled scene `dishes`, a random wrench on every dish.
std::vector<Case> dish_cases(const Setup& setup, int count);

/// What a solver's histories say about a set of cases.
struct History {
  std::string solver;
  std::vector<SolveReport> reports;

  /// Per case: when, and after how many factorizations, the residual first was at most `residual`;
  /// infinity if never.
  std::vector<double> seconds_to(double residual) const;
  std::vector<double> factorizations_to(double residual) const;
  /// Per case: the smallest residual until `seconds`.
  std::vector<double> residuals_at(double seconds) const;
  double share_below(double residual) const;
};

/// Solves all cases with CANAL, SubADMM, PGS and Grip, with histories.
std::vector<History> single_step_histories(const Setup& setup, const std::vector<Case>& cases);

/// The curves, the table, the data and the claims of [TRO25] Figs. 7 and 9.
Result single_step_result(const std::vector<History>& histories, const std::string& title,
                          const std::string& scene, const std::string& figure);

}  // namespace stiction::studies
