#include "sim/integrate.h"

#include <stiction/error.h>

#include <cmath>
#include <cstdio>

#include "sim/check_input.h"
#include "sim/close_loops.h"
#include "sim/flight.h"
#include "sim/pivots.h"
#include "sim/recover.h"

namespace stiction {

namespace {

using Eigen::VectorXd;

// `begin` of a joint says where its part of x starts.
void check_size(const Simulation::Impl& sim, const VectorXd& x, int Joint::*begin,
                const char* what) {
  int at = 0;
  while (at < x.size() && std::abs(x[at]) <= kLargestState) ++at;
  if (at == x.size()) return;
  char value[32];
  std::snprintf(value, sizeof value, "%.6g", x[at]);
  throw InputError("step " + std::to_string(sim.state.step + 1) + ": the new " + what + " of " +
                   joint_label_at(sim.model, begin, at) + " is " + value +
                   "; the state before the step is kept");
}

}  // namespace

void integrate(Simulation::Impl& sim) {
  const VectorXd& v_next = sim.solution.v;
  check_size(sim, v_next, &Joint::dof_begin, "velocity");
  sim.recovery.setZero(sim.model.nv);
  if (!sim.has_soft_contacts()) {
    add_recovery({sim.model, sim.problem, sim.sources, sim.contacts, sim.state.qpos, sim.h},
                 sim.solution, sim.state.step, sim.options, sim.recovery);
  }
  VectorXd& q_next = sim.qpos_next;
  q_next = sim.state.qpos;
  sim.move_velocity = v_next;
  if (sim.theta_step) {
    const VectorXd drift = (1 - sim.share.array()) * sim.state.qvel.array();
    move_positions(sim.model, sim.structure, drift, sim.h, q_next);
    sim.move_velocity.array() *= sim.share.array();
  }
  sim.qpos_solved = q_next;
  sim.move_velocity += sim.recovery + sim.detour;
  move_positions(sim.model, sim.structure, sim.move_velocity, sim.h, q_next);
  find_held(sim);
  keep_on_ground(sim, sim.qpos_solved, sim.move_velocity, q_next);
  if (sim.phi.size() > 0) {
    close_loops(sim.model, sim.structure, sim.state.eq_active, sim.phi,
                sim.options.recovery_speed * sim.h, sim.tree_next, sim.loops, q_next);
  }
  sim.qvel_next = v_next;
  carry_velocities(sim.structure, sim.qpos_solved, q_next, sim.qvel_next);
  keep_momentum(sim, sim.recovery, q_next, sim.qvel_next);
  check_size(sim, q_next, &Joint::qpos_begin, "position");
  sim.state.qpos = q_next;
  sim.state.qvel = sim.qvel_next;
  advance_activations(sim.model, sim.ctrl, sim.h, sim.state.act);
  sim.state.step += 1;
  sim.state.time += sim.h;
}

}  // namespace stiction
