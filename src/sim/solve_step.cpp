#include "sim/solve_step.h"

#include <stiction/error.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>

#include "contact/jacobian.h"
#include "sim/bounce.h"
#include "sim/flight.h"
#include "sim/follow_equalities.h"
#include "sim/landing.h"
#include "sim/misses.h"
#include "sim/soft_rows.h"
#include "sim/theta.h"
#include "sim/warm_start.h"

namespace stiction {
namespace {

// More changes of mode within a step have not been seen; the step counts as missed then.
constexpr int kServoRounds = 20;

// Everything that depends on the modes of the servos.
void apply_servos(Simulation::Impl& sim) {
  sim.problem.D = sim.D_smooth;
  sim.problem.b = sim.b_smooth;
  add_servos(sim.servos, sim.h, sim.problem);
  set_tendon_rows(sim.assemble_input(), sim.sources, sim.problem);
  set_servo_rows(sim.assemble_input(), sim.sources, sim.problem);
}

// The clock of the next solve of the step that is repeated; empty if nothing cut it short.
std::vector<int> next_clock(Simulation::Impl& sim) {
  const std::vector<int>& all = *sim.repeated;
  if (all.empty()) return {};
  const auto left = static_cast<int>(all.size() - sim.repeated_at);
  const int count = left > 0 ? all[sim.repeated_at] : -1;
  if (count < 0 || count > left - 1) throw InputError("clock is of another step: it is too short");
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(sim.repeated_at) + 1;
  sim.repeated_at += static_cast<std::size_t>(count) + 1;
  return {begin, begin + count};
}

// Solves, and solves again if the policy says so.
void solve_once(Simulation::Impl& sim) {
  const Budget& budget = sim.options.budget;
  if (sim.options.keep_guess) {
    sim.guess.v = sim.solution.v;
    sim.guess.lambda = sim.solution.lambda;
    sim.guess.warm = sim.solution.warm;
  }
  solve_in_time(sim, sim.problem, sim.solver, budget, sim.solution);
  if (sim.solution.report.residual.scaled <= budget.tolerance) return;
  const TroublePolicy policy = sim.options.on_trouble;
  if (policy != TroublePolicy::kRetry && policy != TroublePolicy::kFallback) return;
  Solution second;
  Budget larger = budget;
  larger.max_iterations = 4 * std::min(budget.max_iterations, INT_MAX / 4);
  larger.max_seconds *= 4;
  const bool retry = policy == TroublePolicy::kRetry;
  SolverOptions again = retry ? sim.solver : solver_options("canal");
  if (GripOptions* grip = std::get_if<GripOptions>(&again)) *grip = GripOptions{};
  if (retry) std::visit([](auto& options) { options.iterations *= 4; }, again);  // its own budget
  ++sim.retries;
  solve_in_time(sim, sim.problem, again, larger, second);
  if (second.report.residual.scaled < sim.solution.report.residual.scaled) sim.solution = second;
}

// A joint that dry friction holds does not move: what the solver left within the tolerance goes.
void stop_held_joints(Simulation::Impl& sim) {
  for (size_t i = 0; i < sim.sources.size(); ++i) {
    if (sim.sources[i].kind != SourceKind::kJointFriction) continue;
    const Constraint& row = sim.problem.constraints[i];
    const bool held = std::abs(sim.solution.lambda[row.row_begin]) < (1 - 1e-6) * row.bound;
    double& v = sim.solution.v[sim.sources[i].index];
    if (held && std::abs(v) < 100 * sim.options.budget.tolerance) v = 0;
  }
}

// What the step's own velocity makes of equalities and of what they tie; true if that changes them.
bool follow(Simulation::Impl& sim) {
  if (sim.phi.size() == 0 || sim.theta_step || !sim.solution.v.allFinite()) return false;
  const bool bends = follow_equalities(sim, sim.solution.v);
  find_held(sim);
  body_twists(sim.problem, sim.solution.v, sim.V);
  const bool turns = center_gyroscopic(sim.structure, sim.flight_memory.tied, sim.V, sim.h,
                                       sim.dynamics_memory, sim.tree, sim.problem, sim.b_smooth);
  return bends || turns;
}

}  // namespace

void assemble(Simulation::Impl& sim) {
  assemble_constraints(sim.assemble_input(), sim.contacts, sim.problem, sim.sources, sim.phi);
  load_warm_start(sim.state, sim.sources, sim.contacts, sim.problem, sim.solution);
  do {
    apply_servos(sim);
  } while (set_bounces(sim) || land(sim));
  correct_bounces(sim);
  follow_equalities(sim, sim.state.qvel);
}

void solve_in_time(Simulation::Impl& sim, const Problem& problem, const SolverOptions& solver,
                   Budget budget, Solution& solution) {
  std::vector<int> clock;
  if (sim.repeated) {
    clock = next_clock(sim);
    budget.max_seconds = std::numeric_limits<double>::infinity();
    if (!clock.empty()) budget.clock = &clock;
  }
  if (&problem == &sim.problem) {
    if (!sim.problem_solver) sim.problem_solver.emplace(sim.problem, true);
    sim.problem_solver->solve(solver, budget, false, solution);
  } else {
    solve_with(problem, solver, budget, false, solution);
  }
  const std::vector<int>& looks = solution.report.clock;
  sim.clock.push_back(static_cast<int>(looks.size()));
  sim.clock.insert(sim.clock.end(), looks.begin(), looks.end());
}

void solve_step(Simulation::Impl& sim) {
  bool followed = false;  // the step's own velocity along the equalities
  for (int round = 0; round < kServoRounds; ++round) {
    solve_once(sim);
    sim.servos_settled = !switch_servos(sim.model, sim.solution.v, sim.servos);
    const bool holds = sim.theta_step && hold_stopped(sim);
    const bool lets_go = let_go_of_equalities(sim);
    const bool bends = !lets_go && !followed && follow(sim);
    followed = true;
    if (sim.servos_settled && !holds && !bends && !lets_go) break;
    apply_servos(sim);
    sim.solution.warm = !lets_go;
  }
}

void finish_solve(Simulation::Impl& sim) {
  find_misses(sim);
  if (sim.options.on_trouble == TroublePolicy::kThrow && !sim.misses.empty()) refuse_missed(sim);
  if (sim.repeated && sim.repeated_at != sim.repeated->size()) {
    throw InputError("clock is of another step: it is too long");
  }
  if (std::all_of(sim.clock.begin(), sim.clock.end(), [](int n) { return n == 0; })) {
    sim.clock.clear();  // in time
  }
  stop_held_joints(sim);
  finish_servos(sim.model, sim.servos, sim.solution.v, sim.tree);
}

}  // namespace stiction
