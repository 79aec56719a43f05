#include "sim/integrate.h"

#include <stiction/error.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "contact/jacobian.h"
#include "sim/close_loops.h"
#include "sim/recover.h"

namespace stiction {

namespace {

using Eigen::VectorXd;

// theta v + (1 - theta) v+ for subsystems that no constraint pushes, v+ for the others: with
// theta > 0 a contact that stops v_hat would throw v+ back, as an elastic one does, and dry
// friction would turn the motion around.
void set_mean_velocity(const Simulation::Impl& sim, VectorXd& v_hat) {
  v_hat = sim.solution.v;
  const double theta = sim.options.theta;
  if (theta == 0) return;
  const Problem& problem = sim.problem;
  std::vector<char> pushed(problem.n(), 0);
  for (const Constraint& constraint : problem.constraints) {
    if (rows_of(constraint, sim.solution.lambda).isZero(0)) continue;
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      if (port.body >= 0) pushed[problem.bodies[port.body].dof_begin] = 1;
      for (int k = 0; k < port.entry_count; ++k) {
        pushed[problem.port_dofs[port.entry_begin + k]] = 1;
      }
    }
  }
  for (const Subsystem& subsystem : problem.subsystems) {
    const auto first = pushed.begin() + subsystem.dof_begin;
    if (std::find(first, first + subsystem.dof_count, 1) != first + subsystem.dof_count) continue;
    auto part = v_hat.segment(subsystem.dof_begin, subsystem.dof_count);
    part *= 1 - theta;
    part += theta * sim.state.qvel.segment(subsystem.dof_begin, subsystem.dof_count);
  }
}

// Squares of larger numbers, times a mass or a stiffness, may overflow: energies would be infinite
// or NaN before the state is.
constexpr double kLargest = 1e100;

// `begin` of a joint says where its part of x starts.
void check_size(const Simulation::Impl& sim, const VectorXd& x, int Joint::*begin,
                const char* what) {
  int at = 0;
  while (at < x.size() && std::abs(x[at]) <= kLargest) ++at;
  if (at == x.size()) return;
  std::string name;
  for (const Joint& joint : sim.model.joints) {
    if (joint.*begin <= at) name = sim.model.joint_label(joint);
  }
  char value[32];
  std::snprintf(value, sizeof value, "%.6g", x[at]);
  throw InputError("step " + std::to_string(sim.state.step + 1) + ": the new " + what + " of " +
                   name + " is " + value + "; the state before the step is kept");
}

}  // namespace

void integrate(Simulation::Impl& sim) {
  const VectorXd& v_next = sim.solution.v;
  check_size(sim, v_next, &Joint::dof_begin, "velocity");
  set_mean_velocity(sim, sim.move_velocity);
  if (!sim.has_soft_contacts()) {
    add_recovery({sim.model, sim.problem, sim.sources, sim.contacts, sim.state.qpos, sim.h},
                 sim.solution, sim.state.step, sim.options, sim.move_velocity);
  }
  VectorXd& q_next = sim.qpos_next;
  q_next = sim.state.qpos;
  integrate_positions(sim.model, sim.move_velocity, sim.h, q_next);
  if (sim.phi.size() > 0) {
    close_loops(sim.model, sim.structure, sim.phi, sim.options.recovery_speed * sim.h,
                sim.tree_next, sim.loops, q_next);
  }
  check_size(sim, q_next, &Joint::qpos_begin, "position");
  sim.state.qpos = q_next;
  sim.state.qvel = v_next;
  advance_activations(sim.model, sim.ctrl, sim.h, sim.state.act);
  sim.state.step += 1;
  sim.state.time += sim.h;
}

}  // namespace stiction
