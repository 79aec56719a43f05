// One time step, as a short story.
#include <chrono>

#include "sim/certify.h"
#include "sim/check_input.h"
#include "sim/integrate.h"
#include "sim/reach.h"
#include "sim/simulation_impl.h"
#include "sim/solve_bounces.h"
#include "sim/solve_step.h"
#include "sim/theta.h"
#include "sim/warm_start.h"

namespace stiction {
namespace {

// So many times at most a step is solved with the contacts and limits that its own forces bring
// about; then it counts as missed. Bodies that outrun what was expected of them have never needed
// more than six, thin ones that turn by a radian in the step some more.
constexpr int kReachRounds = 12;

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

void smooth_dynamics(Simulation::Impl& sim) {
  const State& state = sim.state;
  compute_bias(sim.model, sim.tree);
  compute_passive_forces(sim.model, state.qpos, state.qvel, sim.tree);
  compute_actuator_forces(sim.model, state.qpos, state.qvel, sim.ctrl, state.act, sim.h, sim.tree);
  apply_wrenches(sim, sim.tree, sim.applied);
  sim.energy_before = sim.energy;
  sim.qvel_before = state.qvel;
  sim.expected = state.qvel;
  for (int b = 0; b < sim.V_before.cols(); ++b) {
    sim.V_before.col(b) = sim.tree.V[sim.structure.model_body[b]];
  }
  sim.com_before = sim.tree.p_WBcm;
  find_servos(sim.model, sim.drives, state.qpos, state.qvel, sim.ctrl, state.act, sim.h, sim.tree,
              sim.servos);
  assemble_dynamics(sim.model, sim.structure, state.qvel, sim.applied, sim.h, 0, sim.tree,
                    sim.dynamics_memory, sim.problem);
  sim.D_smooth = sim.problem.D;
  sim.b_smooth = sim.problem.b;
  if (sim.theta_step) drift_dynamics(sim);
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
  sim.retries = 0;
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
  sim.reach_settled = false;
  for (int round = 1; round <= kReachRounds && !sim.reach_settled; ++round) {
    assemble(sim);
    clock.lap(seconds.assemble);
    solve_step(sim);
    solve_bounces(sim);
    clock.lap(seconds.solve);
    sim.reach_settled = !runs_into_unseen(sim, round == kReachRounds);
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
