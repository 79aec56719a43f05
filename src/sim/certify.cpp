#include "sim/certify.h"

#include <algorithm>
#include <cmath>

#include "contact/jacobian.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

void fill_contacts(Simulation::Impl& sim) {
  for (size_t i = 0; i < sim.sources.size(); ++i) {
    if (sim.sources[i].kind != SourceKind::kContact) continue;
    ContactForce& contact = sim.contacts[sim.sources[i].index];
    const Vector3d lambda = rows_of(sim.problem.constraints[i], sim.solution.lambda);
    contact.force_W = contact.R_CW.transpose() * lambda / sim.h;
    const double inside = contact.mu * lambda[2] - std::hypot(lambda[0], lambda[1]);
    contact.state = lambda[2] <= 0                           ? ContactState::kOpen
                    : inside > 1e-9 * contact.mu * lambda[2] ? ContactState::kStick
                                                             : ContactState::kSlip;
  }
}

// Change of energy minus the work of actuators, dampers, applied wrenches and constraints over the
// step's mean velocity. What is left is the integrator's own error.
double energy_error(const Simulation::Impl& sim, double energy_after) {
  const VectorXd mean = 0.5 * (sim.qvel_before + sim.state.qvel);
  VectorXd impulse = VectorXd::Zero(sim.model.nv);
  Matrix6Xd W(6, sim.problem.bodies.size());
  add_J_transposed(sim.problem, sim.solution.lambda, W, impulse);
  impulse += sim.h * (sim.tree.actuation + sim.applied);
  double damping = 0;
  for (const Joint& joint : sim.model.joints) {
    for (int d = joint.dof_begin; d < joint.dof_begin + joint.nv(); ++d) {
      damping += sim.h * joint.damping * mean[d] * mean[d];
    }
  }
  const double before = sim.energy_before.potential + sim.energy_before.kinetic;
  return energy_after - before - impulse.dot(mean) + damping;
}

}  // namespace

void certify(Simulation::Impl& sim) {
  fill_contacts(sim);
  update_tree(sim);
  StepReport& report = sim.report;
  report.step = sim.state.step;
  report.time = sim.state.time;
  report.solve = sim.solution.report;
  report.within_tolerance = sim.solution.report.residual.scaled <= sim.options.budget.tolerance;
  const int worst = report.solve.residual.worst_constraint;
  report.worst_constraint =
      worst >= 0 ? constraint_name(sim.model, sim.contacts, sim.sources[worst]) : "";
  report.contacts = static_cast<int>(sim.contacts.size());
  report.constraints = static_cast<int>(sim.sources.size());
  report.max_penetration = 0;
  for (const ContactForce& contact : sim.contacts) {
    report.max_penetration = std::max(report.max_penetration, -contact.gap);
  }
  const Energy after = energy(sim.model, sim.state.qpos, sim.state.qvel, sim.tree);
  report.energy = after.potential + after.kinetic;
  report.energy_error = energy_error(sim, report.energy);
}

}  // namespace stiction
