// The step's problem, assembled and solved: in the time that the budget leaves, again where the
// policy says so, and until servos and the theta rule agree with the velocity that comes out.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// The constraints of the step, servos in their present modes, and the warm start.
void assemble(Simulation::Impl& sim);

/// Solves within the budget, or as long as the step did that is repeated, and notes how long.
void solve_in_time(Simulation::Impl& sim, const Problem& problem, const SolverOptions& solver,
                   Budget budget, Solution& solution);

/// Solves until every servo is in the mode that the new velocity asks for, and what a constraint
/// stops takes the step with theta = 0.
void solve_step(Simulation::Impl& sim);

/// When nothing is left to be solved: forces of servos, joints at rest that dry friction holds.
/// Throws InputError if the policy says so, or if the clock to be repeated is of another step.
void finish_solve(Simulation::Impl& sim);

}  // namespace stiction
