#include "sim/solve_bounces.h"

#include <algorithm>

#include "contact/islands.h"
#include "sim/bounce.h"
#include "sim/impacts.h"
#include "sim/solve_step.h"

namespace stiction {
namespace {

// So many impacts may follow each other within a step; the rest of the motion stops.
constexpr int kImpactRounds = 32;
// Of the fastest bounce: what a solver leaves of a problem that has no solution.
constexpr double kImpossible = 1e-3;
// Impulses so many times the momenta that are there, in SI units, cancel each other.
constexpr double kHuge = 1e8;
// So many islands may have such bounces in a step.
constexpr int kGivenUp = 8;

// Where a bounce makes a contact hit that did not when the step began: goes through the impacts in
// turn, and solves the step again with the velocities that they end with.
void follow_impacts(Simulation::Impl& sim) {
  if (!any_bounce(sim)) return;
  ImpactSequence impacts(sim.problem, sim.contacts, sim.landed, sim.approach, sim.h,
                         least_impact(sim));
  if (!impacts.is_needed(sim.solution.lambda)) return;
  int round = 0;
  for (; round < kImpactRounds && impacts.any_hits(); ++round) {
    impacts.start_round(round == kImpactRounds - 1);
    Solution solution;
    solve_in_time(sim, impacts.round(), sim.solver, sim.options.budget, solution);
    impacts.finish_round(solution);
    sim.thrown.push_back(impacts.v());
  }
  if (round < 2) return;  // none followed the first
  impacts.set_biases(sim.problem);
  correct_bounces(sim);
  sim.solution.warm = true;
  solve_step(sim);
}

// The fastest of the island's bounces, m/s.
double fastest_bounce(const Simulation::Impl& sim, const IslandLabels& islands, int island) {
  double fastest = 0;
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    if (islands.of_constraint[k] != island || sim.contacts[k].restitution <= 0) continue;
    fastest = std::max(fastest, -sim.problem.e[sim.problem.constraints[k].row_begin + 2]);
  }
  return fastest;
}

// An island whose bounces the solver found no impulses for, or found some that only rounding makes
// a solution; -1 if there is none.
int find_impossible(const Simulation::Impl& sim, const IslandLabels& islands) {
  const SolveReport& report = sim.solution.report;
  const int worst = report.residual.worst_constraint;
  if (worst >= 0 && report.residual.scaled > sim.options.budget.tolerance) {
    const int island = islands.of_constraint[worst];
    const double fastest = fastest_bounce(sim, islands, island);
    if (fastest > 0 && report.residual.scaled > kImpossible * fastest) return island;
  }
  const double most = kHuge * sim.problem.b.lpNorm<Eigen::Infinity>();
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    if (sim.solution.lambda[sim.problem.constraints[k].row_begin + 2] <= most) continue;
    const int island = islands.of_constraint[k];
    if (fastest_bounce(sim, islands, island) > 0) return island;
  }
  return -1;
}

// A bar on a hinge that strikes the floor steeply, so that friction locks it, cannot leave it at
// the speed of Newton's rule. Per rad/s its tip goes a along the floor and b < 0 across it; a
// bounce slips backwards, so that an impulse has the torque lambda_n (b + mu |a|), and where mu |a|
// > |b| it drives the bar further in, whatever its size. The island has no bounce then.
void give_up_impossible_bounces(Simulation::Impl& sim) {
  for (int round = 0; round < kGivenUp; ++round) {
    const IslandLabels islands = label_islands(sim.problem);
    const int island = find_impossible(sim, islands);
    if (island < 0) return;
    for (size_t k = 0; k < sim.contacts.size(); ++k) {
      if (islands.of_constraint[k] == island) sim.contacts[k].restitution = 0;
    }
    assemble(sim);
    solve_step(sim);
  }
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
  if (!any_bounce(sim)) return;
  std::vector<double> restitution;
  for (const ContactForce& contact : sim.contacts) restitution.push_back(contact.restitution);
  give_up_impossible_bounces(sim);
  follow_impacts(sim);
  limit_bounces(sim);
  for (size_t k = 0; k < restitution.size(); ++k) sim.contacts[k].restitution = restitution[k];
}

}  // namespace stiction
