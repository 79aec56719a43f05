#include "sim/certify.h"

#include <algorithm>
#include <cmath>

#include "contact/jacobian.h"
#include "contact/operators.h"
#include "sim/equalities.h"
#include "sim/forces.h"
#include "sim/sensors.h"
#include "tree/springs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// Sliding speed of a contact that slips, over the tolerance. The force does not tell: of redundant
// contacts at rest some may be on the edge of the cone.
constexpr double kSlip = 100;

// Of an equality within a step, m or rad.
constexpr double kComesOpen = 1e-6;

// Distance of a contact from its law, in m/s: the natural map weighted by the masses of its bodies.
double contact_residual(const Problem& problem, const Constraint& contact, const Vector3d& lambda,
                        const Vector3d& Jv) {
  double inverse_mass = 0;
  for (int p = 0; p < contact.port_count; ++p) {
    inverse_mass += 1 / problem.bodies[problem.ports[contact.port_begin + p].body].H(0, 0);
  }
  const double beta = 1 / inverse_mass;
  const Vector3d e = rows_of(contact, problem.e);
  const Vector3d T =
      apply_operator(contact, ContactLaw::kStrict, beta, e, lambda - beta * (Jv + e));
  return (lambda - T).norm() / beta;
}

// Twists at the end of the step of bodies where they were at its start, if a constraint asks.
void set_twists(Simulation::Impl& sim) {
  const std::vector<Port>& ports = sim.problem.ports;
  const bool asked =
      std::any_of(ports.begin(), ports.end(), [](const Port& p) { return p.body >= 0; });
  if (asked) body_twists(sim.problem, sim.solution.v, sim.V);
}

void fill_contacts(Simulation::Impl& sim) {
  for (size_t i = 0; i < sim.sources.size(); ++i) {
    if (sim.sources[i].kind != SourceKind::kContact) continue;
    ContactForce& contact = sim.contacts[sim.sources[i].index];
    const Constraint& constraint = sim.problem.constraints[i];
    const Vector3d lambda = rows_of(constraint, sim.solution.lambda);
    contact.force_W = contact.R_CW.transpose() * lambda / sim.h;
    const Vector3d u = constraint_velocity(sim.problem, constraint, sim.solution.v, sim.V);
    contact.residual = contact_residual(sim.problem, constraint, lambda, u);
    const bool slides = std::hypot(u[0], u[1]) > kSlip * sim.options.budget.tolerance;
    contact.state = lambda[2] <= 0              ? ContactState::kOpen
                    : slides || contact.mu == 0 ? ContactState::kSlip
                                                : ContactState::kStick;
  }
}

// Change of energy minus the work of all that is no spring and no weight, over the step's mean
// velocity: actuators, dampers, drag, applied wrenches and constraints, each with the force that
// the step applied. What is left is the integrator's own error, to which belongs all work of
// equalities: they should do none.
double energy_error(Simulation::Impl& sim) {
  VectorXd& mean = sim.qvel_mean;
  mean = 0.5 * (sim.qvel_before + sim.solution.v);
  sim.V = 0.5 * (sim.V_before + sim.V);
  const bool passive = sim.model.options.passive_enabled;
  const VectorXd& damping = sim.tree.constants.damping;
  double work = sim.h * mean.dot(sim.tree.actuation + sim.applied + sim.tree.passive_other);
  // Dampers are implicit: their force is that of the velocity after the step, or of v_hat.
  if (passive) work -= sim.h * mean.dot(damping.cwiseProduct(sim.solution.v));
  if (passive && sim.theta_step) {
    const VectorXd before = (1 - sim.share.array()) * (sim.qvel_before - sim.solution.v).array();
    work -= sim.h * mean.dot(damping.cwiseProduct(before));
  }
  for (size_t i = 0; i < sim.sources.size(); ++i) {
    const Constraint& constraint = sim.problem.constraints[i];
    if (sim.sources[i].kind == SourceKind::kEquality) continue;
    const Vector3d u = constraint_velocity(sim.problem, constraint, mean, sim.V);
    if (sim.sources[i].kind == SourceKind::kTendonDynamics) {
      // Tendons count by their springs' energy, their dampers here, and their servos' actuation.
      const Tendon& tendon = sim.model.tendons[sim.sources[i].index];
      const double u_next = tendon_velocity(sim.model, tendon, sim.solution.v);
      if (passive) work -= sim.h * tendon.damping * u_next * u[0];
    } else if (sim.sources[i].kind != SourceKind::kServo) {  // which count as actuation
      work += rows_of(constraint, sim.solution.lambda).dot(u);
    }
  }
  return sim.energy.potential + sim.energy.kinetic - sim.energy_before.potential -
         sim.energy_before.kinetic - work;
}

// How far the equalities are open now: close_loops does not reach every place. True if one is more
// so than before the step.
bool measure_equalities(Simulation::Impl& sim) {
  StepReport& report = sim.report;
  report.equality_error = 0;
  report.worst_equality.clear();
  if (sim.phi.size() == 0) return false;
  assemble_equalities(sim.model, sim.structure, sim.tree, sim.state.qpos, sim.state.eq_active,
                      sim.loops);
  size_t worst = 0;
  bool opens = false;
  for (size_t i = 0; i < sim.loops.constraints.size(); ++i) {
    const Constraint& equality = sim.loops.constraints[i];
    const double error = sim.loops.e.segment(equality.row_begin, equality.rows).norm();
    opens |= error > sim.phi.segment(equality.row_begin, equality.rows).norm() + kComesOpen;
    if (error <= report.equality_error) continue;
    report.equality_error = error;
    worst = i;
  }
  // They are the last of the step's constraints, in the same order.
  const size_t first = sim.sources.size() - sim.loops.constraints.size();
  report.worst_equality = constraint_name(sim.model, sim.contacts, sim.sources[first + worst]);
  return opens;
}

void measure_penetration(Simulation::Impl& sim) {
  StepReport& report = sim.report;
  const ContactForce* deepest = nullptr;
  report.max_penetration = 0;
  for (const ContactForce& contact : sim.contacts) {
    if (-contact.gap <= report.max_penetration) continue;
    report.max_penetration = -contact.gap;
    deepest = &contact;
  }
  report.deepest_contact = deepest ? contact_name(sim.model, *deepest) : "";
}

}  // namespace

void certify(Simulation::Impl& sim) {
  set_twists(sim);
  fill_contacts(sim);
  read_force_sensors(sim);
  read_forces(sim, sim.reported_forces);
  update_tree(sim);
  read_motion_sensors(sim);
  StepReport& report = sim.report;
  report.step = sim.state.step;
  report.time = sim.state.time;
  report.solve = sim.solution.report;
  report.retries = sim.retries;
  report.misses = sim.misses;
  if (!std::isfinite(sim.energy.potential + sim.energy.kinetic)) {
    report.misses.push_back(Miss::kEnergy);
  }
  const int worst = report.solve.residual.worst_constraint;
  report.worst_constraint =
      worst >= 0 ? constraint_name(sim.model, sim.contacts, sim.sources[worst]) : "";
  report.contacts = static_cast<int>(sim.contacts.size());
  report.constraints = static_cast<int>(sim.sources.size());
  measure_penetration(sim);
  if (measure_equalities(sim)) report.misses.push_back(Miss::kEquality);
  report.within_tolerance = report.misses.empty();
  report.energy = sim.energy.potential + sim.energy.kinetic;
  report.energy_error = energy_error(sim);
  sim.reported_contacts = sim.contacts;
  sim.reported_com = sim.com_before;
}

}  // namespace stiction
