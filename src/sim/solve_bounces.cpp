#include "sim/solve_bounces.h"

#include <algorithm>

#include "sim/bounce.h"
#include "sim/impacts.h"
#include "sim/solve_step.h"

namespace stiction {
namespace {

// So many impacts may follow each other within a step; the rest of the motion stops.
constexpr int kImpactRounds = 32;

// Where a bounce makes a contact hit that did not when the step began: goes through the impacts in
// turn, and solves the step again with the velocities that they end with.
void follow_impacts(Simulation::Impl& sim) {
  if (!any_bounce(sim)) return;
  ImpactSequence impacts(sim.problem, sim.contacts, sim.approach, sim.h, least_impact(sim));
  if (!impacts.is_needed(sim.solution.lambda)) return;
  int round = 0;
  for (; round < kImpactRounds && impacts.any_hits(); ++round) {
    impacts.start_round(round == kImpactRounds - 1);
    Solution solution;
    solve_in_time(sim, impacts.round(), sim.solver, sim.options.budget, solution);
    impacts.finish_round(solution);
  }
  if (round < 2) return;  // none followed the first
  impacts.set_biases(sim.problem);
  correct_bounces(sim);
  sim.solution.warm = true;
  solve_step(sim);
}

// Bounces add no energy.
void limit_bounces(Simulation::Impl& sim) {
  if (!any_bounce(sim)) return;
  BounceLimit limit(sim);
  while (limit.adjust(sim.solution, sim.problem, sim.contacts)) {
    assemble(sim);
    solve_step(sim);
    follow_impacts(sim);
  }
  limit.restore(sim.contacts);
}

}  // namespace

void solve_bounces(Simulation::Impl& sim) {
  follow_impacts(sim);
  limit_bounces(sim);
}

}  // namespace stiction
