#include "sim/forces.h"

#include "contact/jacobian.h"

namespace stiction {

StepForces no_forces(const Model& model) {
  StepForces forces;
  forces.actuators.setZero(model.nu());
  forces.joint_limits.setZero(model.nv);
  forces.joint_friction.setZero(model.nv);
  forces.tendon_limits.setZero(static_cast<Eigen::Index>(model.tendons.size()));
  forces.tendon_friction.setZero(static_cast<Eigen::Index>(model.tendons.size()));
  forces.equalities.setZero(6, static_cast<Eigen::Index>(model.equalities.size()));
  return forces;
}

void read_forces(const Simulation::Impl& sim, StepForces& forces) {
  const Problem& problem = sim.problem;
  forces.actuators = sim.tree.actuator_force;
  forces.joint_limits.setZero();
  forces.joint_friction.setZero();
  forces.tendon_limits.setZero();
  forces.tendon_friction.setZero();
  forces.equalities.setZero();
  for (size_t i = sim.contacts.size(); i < sim.sources.size(); ++i) {  // contacts come first
    const ConstraintSource& source = sim.sources[i];
    const Constraint& constraint = problem.constraints[i];
    const Eigen::Vector3d force = rows_of(constraint, sim.solution.lambda) / sim.h;
    switch (source.kind) {
      case SourceKind::kJointLimit: {  // of a ball joint, on three dofs
        const Port& port = problem.ports[constraint.port_begin];
        for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
          forces.joint_limits[problem.port_dofs[k]] += problem.port_columns[k][0] * force[0];
        }
        break;
      }
      case SourceKind::kJointFriction:
        forces.joint_friction[source.index] = force[0];
        break;
      case SourceKind::kTendonLimit:
        forces.tendon_limits[source.index] = force[0];
        break;
      case SourceKind::kTendonFriction:
        forces.tendon_friction[source.index] = force[0];
        break;
      case SourceKind::kEquality:
        forces.equalities.col(source.index).segment<3>(3 * source.part) = force;
        break;
      default:
        break;
    }
  }
}

}  // namespace stiction
