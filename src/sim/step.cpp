// One time step, as a short story.
#include <stiction/error.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "contact/jacobian.h"
#include "sim/bounce.h"
#include "sim/certify.h"
#include "sim/impacts.h"
#include "sim/integrate.h"
#include "sim/limits.h"
#include "sim/simulation_impl.h"
#include "sim/soft_rows.h"
#include "sim/theta.h"
#include "sim/warm_start.h"

namespace stiction {
namespace {

// More changes of mode within a step have not been seen; the step counts as missed then.
constexpr int kServoRounds = 20;
// So many times at most a step is solved with the contacts and limits that its own forces bring
// about; then it counts as missed. Bodies that outrun what was expected of them have never needed
// more than six, thin ones that turn by a radian in the step some more.
constexpr int kReachRounds = 12;
// So many impacts may follow each other within a step; the rest of the motion stops.
constexpr int kImpactRounds = 32;
// Steps in which their restitution is lowered where they would add energy; exact in binary, so that
// they end at 0.
constexpr double kShareStep = 1.0 / 32;

class StageClock {
 public:
  void lap(double& seconds) {
    const auto now = std::chrono::steady_clock::now();
    seconds += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void check_input(const Simulation::Impl& sim) {
  if (sim.ctrl.size() != sim.model.nu()) {
    throw InputError("ctrl has size " + std::to_string(sim.ctrl.size()) + ", expected " +
                     std::to_string(sim.model.nu()));
  }
  for (int k = 0; k < sim.ctrl.size(); ++k) {
    if (!std::isfinite(sim.ctrl[k])) {
      throw InputError("control of actuator '" + sim.model.actuators[k].name + "' is " +
                       std::to_string(sim.ctrl[k]) + ", expected a finite number");
    }
  }
  for (int b = 0; b < sim.wrenches.cols(); ++b) {
    if (!sim.wrenches.col(b).allFinite()) {
      const auto wrench = sim.wrenches.col(b);
      const auto bad =
          std::find_if(wrench.begin(), wrench.end(), [](double x) { return !std::isfinite(x); });
      const std::string& name = sim.model.bodies[b].name;
      throw InputError("wrench on body " +
                       (name.empty() ? "#" + std::to_string(b) : "'" + name + "'") + ": entry " +
                       std::to_string(bad - wrench.begin()) + " is " + std::to_string(*bad) +
                       ", expected a finite number");
    }
  }
}

void smooth_dynamics(Simulation::Impl& sim) {
  const State& state = sim.state;
  compute_bias(sim.model, sim.tree);
  compute_passive_forces(sim.model, state.qpos, state.qvel, sim.tree);
  compute_actuator_forces(sim.model, state.qpos, state.qvel, sim.ctrl, state.act, sim.h, sim.tree);
  apply_wrenches(sim, sim.tree, sim.applied);
  sim.energy_before = sim.energy;
  sim.qvel_before = state.qvel;
  for (int b = 0; b < sim.V_before.cols(); ++b) {
    sim.V_before.col(b) = sim.tree.V[sim.structure.model_body[b]];
  }
  sim.com_before = sim.tree.p_WBcm;
  find_servos(sim.model, sim.drives, state.qpos, state.qvel, sim.ctrl, state.act, sim.h, sim.tree,
              sim.servos);
  assemble_dynamics(sim.model, sim.structure, state.qvel, sim.applied, sim.h, 0, sim.tree,
                    sim.problem);
  sim.D_smooth = sim.problem.D;
  sim.b_smooth = sim.problem.b;
  if (sim.theta_step) drift_dynamics(sim);
}

AssembleInput assemble_input(const Simulation::Impl& sim) {
  return {.model = sim.model,
          .structure = sim.structure,
          .tree = sim.tree,
          .qpos = sim.state.qpos,
          .qvel = sim.state.qvel,
          .expected = sim.expected,
          .servos = sim.servos,
          .springs = sim.springs,
          .rolling = sim.rolling,
          .h = sim.h,
          .soft_contacts = sim.has_soft_contacts()};
}

// Everything that depends on the modes of the servos.
void apply_servos(Simulation::Impl& sim) {
  sim.problem.D = sim.D_smooth;
  sim.problem.b = sim.b_smooth;
  add_servos(sim.servos, sim.h, sim.problem);
  set_tendon_rows(assemble_input(sim), sim.sources, sim.problem);
  set_servo_rows(assemble_input(sim), sim.sources, sim.problem);
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

// Solves within the budget, or as long as the step did that is repeated, and notes how long.
void solve_in_time(Simulation::Impl& sim, const Problem& problem, const SolverOptions& solver,
                   Budget budget, Solution& solution) {
  std::vector<int> clock;
  if (sim.repeated) {
    clock = next_clock(sim);
    budget.max_seconds = std::numeric_limits<double>::infinity();
    if (!clock.empty()) budget.clock = &clock;
  }
  solve_with(problem, solver, budget, false, solution);
  const std::vector<int>& looks = solution.report.clock;
  sim.clock.push_back(static_cast<int>(looks.size()));
  sim.clock.insert(sim.clock.end(), looks.begin(), looks.end());
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
  if (sim.options.on_trouble == TroublePolicy::kThrow) {
    const Residual& residual = sim.solution.report.residual;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "residual %.3g m/s is above the tolerance %.3g",
                  residual.scaled, budget.tolerance);
    const int worst = std::max(residual.worst_constraint, 0);
    throw InputError("step " + std::to_string(sim.state.step + 1) + ": " + numbers +
                     ", worst: " + constraint_name(sim.model, sim.contacts, sim.sources[worst]));
  }
  if (sim.options.on_trouble == TroublePolicy::kWarn) return;
  Solution second;
  Budget larger = budget;
  larger.max_iterations *= 4;
  larger.max_seconds *= 4;
  const bool retry = sim.options.on_trouble == TroublePolicy::kRetry;
  SolverOptions again = retry ? sim.solver : solver_options("canal");
  if (GripOptions* grip = std::get_if<GripOptions>(&again)) *grip = GripOptions{};
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

void correct_bounces(Simulation::Impl& sim) {
  if (sim.options.theta > 0 && !sim.has_soft_contacts()) {
    correct_bounces(sim.options.theta, sim.state.qvel, sim.contacts, sim.problem);
  }
}

void assemble(Simulation::Impl& sim) {
  assemble_constraints(assemble_input(sim), sim.contacts, sim.problem, sim.sources, sim.phi);
  apply_servos(sim);
  correct_bounces(sim);
  load_warm_start(sim.state, sim.sources, sim.contacts, sim.problem, sim.solution);
}

// True if something turns so far that it would end up within another, whatever its contacts say:
// then it has more of them.
bool turns_into_something(Simulation::Impl& sim, std::vector<ContactForce>& contacts) {
  if (sim.has_soft_contacts() || !sim.detector.any_turns(sim.V, sim.h)) return false;
  sim.qpos_next = sim.state.qpos;
  integrate_positions(sim.model, sim.solution.v, sim.h, sim.qpos_next);
  update_kinematics(sim.model, sim.qpos_next, sim.tree_next);
  return sim.detector.detect_turned(sim.tree, sim.tree_next, sim.V, sim.h, contacts);
}

// Contacts are looked for as far as speeds at the start of the step reach. Where its forces take
// bodies and joints further, into something that was not seen: true, and it is seen next time.
bool finds_out_of_reach(Simulation::Impl& sim, std::vector<ContactForce>& contacts) {
  const Eigen::VectorXd& v = sim.solution.v;
  if (!v.allFinite()) return false;  // integrate says so
  body_twists(sim.problem, v, sim.V);
  const bool bounces = !sim.has_soft_contacts() && any_bounce(sim.contacts, sim.problem);
  const bool hits = sim.detector.detect_outrun(sim.tree, sim.V, sim.h, bounces, contacts);
  const bool passes = passes_a_limit(assemble_input(sim), v);
  if (hits || passes) sim.expected = v;
  return hits || passes || turns_into_something(sim, contacts);
}

// Solves until every servo is in the mode that the new velocity asks for, and what a constraint
// stops takes the step with theta = 0.
void solve_step(Simulation::Impl& sim) {
  for (int round = 0; round < kServoRounds; ++round) {
    solve_once(sim);
    sim.servos_settled = !switch_servos(sim.model, sim.solution.v, sim.servos);
    const bool holds = sim.theta_step && hold_stopped(sim);
    if (sim.servos_settled && !holds) break;
    apply_servos(sim);
    sim.solution.warm = true;
  }
}

// Slower than what weight does in a step, nothing bounces that a step could show.
double least_impact(const Simulation::Impl& sim) {
  const Options& options = sim.model.options;
  const double weight = options.gravity_enabled ? sim.h * options.gravity.norm() : 0;
  return std::max(100 * sim.options.budget.tolerance, weight);
}

// One round of impacts, with as much restitution as adds no energy; false if it is plastic.
bool solve_impact(Simulation::Impl& sim, bool plastic, ImpactSequence& impacts) {
  for (double share = plastic ? 0 : 1;; share -= kShareStep) {
    impacts.start_round(share);
    Solution solution;
    solve_in_time(sim, impacts.round(), sim.solver, sim.options.budget, solution);
    if (impacts.finish_round(solution) || share == 0) return share > 0;
  }
}

// Where a bounce makes a contact hit that did not when the step began: goes through the impacts in
// turn, and solves the step again with the velocities that they end with.
void follow_impacts(Simulation::Impl& sim) {
  if (sim.has_soft_contacts() || !any_bounce(sim.contacts, sim.problem)) return;
  ImpactSequence impacts(sim.problem, sim.contacts, sim.state.qvel, sim.h, least_impact(sim));
  if (!impacts.is_needed(sim.solution.lambda)) return;
  int round = 0;
  while (impacts.any_hits()) {
    ++round;
    if (!solve_impact(sim, round == kImpactRounds, impacts)) break;
  }
  if (round < 2) return;  // none followed the first
  impacts.set_biases(sim.problem);
  correct_bounces(sim);
  sim.solution.warm = true;
  solve_step(sim);
}

// Bounces add no energy.
void limit_bounces(Simulation::Impl& sim) {
  if (sim.has_soft_contacts() || !any_bounce(sim.contacts, sim.problem)) return;
  BounceLimit limit(sim.contacts, sim.problem);
  while (limit.adjust(sim.solution, sim.problem, sim.contacts)) {
    assemble(sim);
    solve_step(sim);
    follow_impacts(sim);
  }
  limit.restore(sim.contacts);
}

void finish_solve(Simulation::Impl& sim) {
  if (sim.options.on_trouble == TroublePolicy::kThrow &&
      !(sim.servos_settled && sim.reach_settled)) {
    throw InputError("step " + std::to_string(sim.state.step + 1) + ": " +
                     (sim.servos_settled ? "contacts and limits that come up within the step"
                                         : "force limits of actuators") +
                     " do not settle");
  }
  if (sim.repeated && sim.repeated_at != sim.repeated->size()) {
    throw InputError("clock is of another step: it is too long");
  }
  if (std::all_of(sim.clock.begin(), sim.clock.end(), [](int n) { return n == 0; })) {
    sim.clock.clear();  // in time
  }
  stop_held_joints(sim);
  finish_servos(sim.model, sim.servos, sim.solution.v, sim.tree);
}

}  // namespace

void apply_wrenches(const Simulation::Impl& sim, const TreeData& tree, Eigen::VectorXd& applied) {
  applied.setZero(sim.model.nv);
  for (int b = 1; b < sim.wrenches.cols(); ++b) {
    if (sim.wrenches.col(b).isZero(0)) continue;
    add_force(tree, b, tree.p_WBcm[b], sim.wrenches.col(b).head<3>(), sim.wrenches.col(b).tail<3>(),
              applied);
  }
}

void update_tree(Simulation::Impl& sim) {
  update_kinematics(sim.model, sim.state.qpos, sim.tree);
  update_velocity(sim.model, sim.state.qvel, sim.tree);
  sim.energy = energy(sim.model, sim.state.qpos, sim.state.qvel, sim.tree);
  sim.tree_is_current = true;
}

void advance(Simulation::Impl& sim, const std::vector<int>* repeated) {
  check_input(sim);
  sim.clock.clear();
  sim.repeated = repeated;
  sim.repeated_at = 0;
  StageTimes seconds;
  StageClock clock;
  if (!sim.tree_is_current) update_tree(sim);
  sim.tree_is_current = false;  // until the step has come to its end
  clock.lap(seconds.kinematics);
  sim.detector.detect(sim.tree, sim.h, sim.contacts);
  clock.lap(seconds.contacts);
  smooth_dynamics(sim);
  clock.lap(seconds.dynamics);
  sim.expected = sim.state.qvel;
  sim.reach_settled = false;
  for (int round = 0; round < kReachRounds && !sim.reach_settled; ++round) {
    assemble(sim);
    clock.lap(seconds.assemble);
    solve_step(sim);
    follow_impacts(sim);
    limit_bounces(sim);
    clock.lap(seconds.solve);
    std::vector<ContactForce> last;  // the problem's contacts stay as they are in the last round
    if (round == kReachRounds - 1) last = sim.contacts;
    sim.reach_settled = !finds_out_of_reach(sim, round < kReachRounds - 1 ? sim.contacts : last);
    clock.lap(seconds.contacts);
  }
  finish_solve(sim);
  integrate(sim);
  store_warm_start(sim.solution, sim.sources, sim.contacts, sim.problem, sim.state);
  clock.lap(seconds.integrate);
  certify(sim);
  clock.lap(seconds.certify);
  sim.report.seconds = seconds;
  sim.report.clock = sim.clock;
}

}  // namespace stiction
