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

/// Solves all cases with CANAL, SubADMM, PGS and Grip: the curves, the table, the data and the
/// claims of [TRO25] Figs. 7 and 9. `scene` says what the contacts are between.
Result single_step_study(const Setup& setup, const std::vector<Case>& cases,
                         const std::string& title, const std::string& scene,
                         const std::string& figure);

}  // namespace stiction::studies
