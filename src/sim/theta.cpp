#include "sim/theta.h"

#include <algorithm>
#include <vector>

#include "contact/jacobian.h"
#include "sim/dynamics.h"
#include "sim/pivots.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// Whether the constraint pushes, or would have to if v+ were u_hat.
bool stops(const Problem& problem, const Constraint& constraint, const VectorXd& lambda,
           const VectorXd& u_hat) {
  if (!rows_of(constraint, lambda).isZero(0)) return true;
  const int row = constraint.row_begin;
  if (constraint.type == ConstraintType::kContact) {
    return u_hat[row + 2] + problem.e[row + 2] < 0;
  }
  return constraint.type == ConstraintType::kJointLimit &&
         (u_hat[row] < constraint.lower || u_hat[row] > constraint.upper);
}

// Per dof: whether it has to take the step with theta = 0, or another one of its subsystem.
std::vector<char> stopped_dofs(const Simulation::Impl& sim) {
  const Problem& problem = sim.problem;
  const VectorXd& v = sim.state.qvel;
  const VectorXd v_hat = v + sim.share.cwiseProduct(sim.solution.v - v);
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd u_hat(problem.n_c());
  multiply_J(problem, v_hat, V, u_hat);
  std::vector<char> stopped(problem.n(), 0);
  for (const Constraint& constraint : problem.constraints) {
    if (!stops(problem, constraint, sim.solution.lambda, u_hat)) continue;
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      if (port.body >= 0) stopped[problem.bodies[port.body].dof_begin] = 1;
      for (int k = 0; k < port.entry_count; ++k) {
        stopped[problem.port_dofs[port.entry_begin + k]] = 1;
      }
    }
  }
  return stopped;
}

template <class Part>
bool swap_parts(Part a, Part b) {
  const bool differ = a != b;
  a.swap(b);
  return differ;
}

// Gives the subsystem its other dynamics; true if they differ.
bool swap_dynamics(Simulation::Impl& sim, const Subsystem& subsystem) {
  ThetaStep& other = *sim.theta_step;
  bool differ = false;
  for (int b = subsystem.body_begin; b < subsystem.body_begin + subsystem.body_count; ++b) {
    Matrix6d& H = sim.problem.bodies[b].H;
    differ |= H != other.problem.bodies[b].H;
    H.swap(other.problem.bodies[b].H);
  }
  const auto swap_dofs = [&](VectorXd& x, VectorXd& y) {
    return swap_parts(x.segment(subsystem.dof_begin, subsystem.dof_count),
                      y.segment(subsystem.dof_begin, subsystem.dof_count));
  };
  differ |= swap_parts(sim.problem.S.middleCols(subsystem.dof_begin, subsystem.dof_count),
                       other.problem.S.middleCols(subsystem.dof_begin, subsystem.dof_count));
  differ |= swap_dofs(sim.D_smooth, other.problem.D);
  differ |= swap_dofs(sim.b_smooth, other.problem.b);
  swap_dofs(sim.applied, other.applied);
  swap_dofs(sim.tree.passive_other, other.tree.passive_other);
  return differ;
}

// Gives the subsystem the step with theta = 0, if it has not; true if that changes it.
bool hold_subsystem(Simulation::Impl& sim, int s) {
  const Subsystem& subsystem = sim.problem.subsystems[s];
  auto share = sim.share.segment(subsystem.dof_begin, subsystem.dof_count);
  if (share[0] == 1) return false;
  share.setOnes();
  return swap_dynamics(sim, subsystem);
}

}  // namespace

void drift_dynamics(Simulation::Impl& sim) {
  const State& state = sim.state;
  const double theta = sim.options.theta;
  ThetaStep& drifted = *sim.theta_step;
  TreeData& tree = drifted.tree;
  drifted.qpos = state.qpos;
  move_positions(sim.model, sim.structure, state.qvel, theta * sim.h, drifted.qpos);
  update_kinematics(sim.model, drifted.qpos, tree);
  drifted.qvel = state.qvel;
  carry_velocities(sim.structure, state.qpos, drifted.qpos, drifted.qvel);
  update_velocity(sim.model, drifted.qvel, tree);
  compute_bias(sim.model, tree);
  compute_passive_forces(sim.model, drifted.qpos, drifted.qvel, tree);
  tree.actuation = sim.tree.actuation;
  apply_wrenches(sim, tree, drifted.applied);
  assemble_dynamics(sim.model, sim.structure, drifted.qvel, drifted.applied, sim.h, theta, tree,
                    sim.dynamics_memory, drifted.problem);
  for (const Subsystem& subsystem : sim.problem.subsystems) swap_dynamics(sim, subsystem);
  sim.share.setConstant(1 - theta);
}

bool hold(Simulation::Impl& sim, const Constraint& constraint) {
  bool changed = false;
  for (int p = constraint.port_begin; p < constraint.port_begin + constraint.port_count; ++p) {
    if (sim.problem.ports[p].body < 0) continue;
    changed |= hold_subsystem(sim, sim.structure.subsystem[sim.problem.ports[p].body]);
  }
  return changed;
}

bool hold_stopped(Simulation::Impl& sim) {
  const std::vector<char> stopped = stopped_dofs(sim);
  bool changed = false;
  for (size_t s = 0; s < sim.problem.subsystems.size(); ++s) {
    const Subsystem& subsystem = sim.problem.subsystems[s];
    const auto first = stopped.begin() + subsystem.dof_begin;
    if (std::find(first, first + subsystem.dof_count, 1) == first + subsystem.dof_count) continue;
    changed |= hold_subsystem(sim, static_cast<int>(s));
  }
  return changed;
}

}  // namespace stiction
