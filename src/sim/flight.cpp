#include "sim/flight.h"

#include "contact/jacobian.h"
#include "sim/simulation_impl.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

void add_masses(const Model& model, const Structure& structure, const TreeData& tree,
                std::vector<FlyingMass>& masses) {
  masses.assign(structure.skeleton.subsystems.size(), {});
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    if (structure.mover[b] < 0) continue;
    FlyingMass& mass = masses[structure.subsystem[structure.mover[b]]];
    mass.m += model.bodies[b].mass;
    mass.mc += model.bodies[b].mass * tree.p_WBcm[b];
    mass.p += tree.momentum[b].head<3>();
  }
}

// The change of momentum in the step, but for inertial forces, from p of where the solve was.
Vector3d push_on(const Simulation::Impl& sim, const Subsystem& subsystem, const TreeData& tree,
                 const FlyingMass& mass) {
  Vector3d change = sim.h * tree.bias.segment<3>(subsystem.dof_begin);  // with the weight in it
  if (sim.model.options.gravity_enabled) change += sim.h * mass.m * sim.model.options.gravity;
  for (int b = subsystem.body_begin; b < subsystem.body_begin + subsystem.body_count; ++b) {
    change += sim.problem.bodies[b].H.topRows<3>() * sim.V.col(b);
  }
  return change - mass.p;
}

}  // namespace

void find_held(Simulation::Impl& sim) {
  const Problem& problem = sim.problem;
  auto& [before, drifted, after, pushed, tied] = sim.flight_memory;
  pushed.assign(problem.subsystems.size(), 0);
  tied.assign(problem.subsystems.size(), 0);
  for (const Constraint& constraint : problem.constraints) {
    const bool pushes = constraint.type == ConstraintType::kContact &&
                        !rows_of(constraint, sim.solution.lambda).isZero(0);
    if (!pushes && constraint.type != ConstraintType::kEquality) continue;
    const Port* ports = &problem.ports[constraint.port_begin];
    if (ports[0].body < 0) continue;
    const int first = sim.structure.subsystem[ports[0].body];
    const int last = sim.structure.subsystem[ports[constraint.port_count - 1].body];
    if (constraint.port_count == 2 && first == last) continue;
    (pushes ? pushed : tied)[first] = 1;
    (pushes ? pushed : tied)[last] = 1;
  }
}

void keep_momentum(Simulation::Impl& sim, const VectorXd& recovery, VectorXd& qpos,
                   VectorXd& qvel) {
  if (sim.structure.floating.empty()) return;
  auto& [before, drifted, after, pushed, tied] = sim.flight_memory;
  std::vector<char>& held = pushed;
  bool any = false;
  for (const int s : sim.structure.floating) {
    const Subsystem& subsystem = sim.problem.subsystems[s];
    const auto dofs = Eigen::seqN(subsystem.dof_begin, subsystem.dof_count);
    held[s] |= tied[s] || !recovery(dofs).isZero(0);
    any |= !held[s];
  }
  if (!any) return;
  body_twists(sim.problem, sim.solution.v, sim.V);
  update_kinematics(sim.model, qpos, sim.tree_next);
  update_velocity(sim.model, qvel, sim.tree_next);
  add_masses(sim.model, sim.structure, sim.tree, before);
  add_masses(sim.model, sim.structure, sim.tree_next, after);
  if (sim.theta_step) add_masses(sim.model, sim.structure, sim.theta_step->tree, drifted);
  for (const int s : sim.structure.floating) {
    if (held[s]) continue;
    const Subsystem& subsystem = sim.problem.subsystems[s];
    const int root = sim.structure.model_body[subsystem.body_begin];
    const Joint& joint = sim.model.joints[sim.model.bodies[root].joint_begin];
    const double share = sim.theta_step ? sim.share[subsystem.dof_begin] : 1;
    const Vector3d push = share < 1 ? push_on(sim, subsystem, sim.theta_step->tree, drifted[s])
                                    : push_on(sim, subsystem, sim.tree, before[s]);
    const Vector3d p = before[s].p + push;
    const Vector3d way = sim.h * ((1 - share) * before[s].p + share * p);
    qpos.segment<3>(joint.qpos_begin) += (before[s].mc + way - after[s].mc) / before[s].m;
    qvel.segment<3>(joint.dof_begin) += (p - after[s].p) / before[s].m;
  }
}

}  // namespace stiction
