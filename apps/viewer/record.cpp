#include "record.h"

#include <algorithm>

namespace stiction::viewer {
namespace {

template <class Item>
std::vector<std::string> names_of(const std::string& kind, const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    names.push_back(item.name.empty() ? kind + " #" + std::to_string(names.size()) : item.name);
  }
  return names;
}

// An upper bound: "contact A - B", "dynamics of tendon 'T'" and the like. Every frame takes as
// much.
std::size_t longest_constraint_name(const Model& model) {
  std::size_t longest = 0;
  const auto look_at = [&longest](const auto& items) {
    for (const auto& item : items) longest = std::max(longest, item.name.size());
  };
  look_at(model.bodies);
  look_at(model.geoms);
  look_at(model.joints);
  look_at(model.tendons);
  look_at(model.equalities);
  look_at(model.actuators);
  return std::min<std::size_t>(2 * longest + 32, 256);
}

}  // namespace

RecordingHeader recording_header(const Simulation& simulation) {
  const Model& model = simulation.model();
  RecordingHeader header;
  header.model = model.name;
  header.solver = simulation.options().solver;
  header.timestep = simulation.timestep();
  header.tolerance = simulation.options().budget.tolerance;
  header.theta = simulation.options().theta;
  header.max_iterations = simulation.options().budget.max_iterations;
  header.on_trouble = to_string(simulation.options().on_trouble);
  header.nq = model.nq;
  header.nv = model.nv;
  header.nu = model.nu();
  header.na = model.na;
  header.bodies = names_of("body", model.bodies);
  header.geoms = names_of("geom", model.geoms);
  header.joints = names_of("joint", model.joints);
  for (const Joint& joint : model.joints) {
    header.joint_qpos.push_back(joint.qpos_begin);
    header.joint_dofs.push_back(joint.dof_begin);
  }
  header.actuators = names_of("actuator", model.actuators);
  header.tendons = names_of("tendon", model.tendons);
  header.equalities = names_of("equality", model.equalities);
  header.sensors = names_of("sensor", model.sensors);
  for (const Sensor& sensor : model.sensors) {
    header.sensor_types.push_back(sensor.type);
    header.sensor_begins.push_back(header.sensor_size);
    header.sensor_size += sensor.dim;
  }
  header.name_length = longest_constraint_name(model);
  header.scene = scene_json(model);
  return header;
}

void fill_frame(const Simulation& simulation, RecordingFrame& frame) {
  const State& state = simulation.state();
  const StepReport& report = simulation.report();
  frame.time = state.time;
  frame.qpos = state.qpos;
  frame.qvel = state.qvel;
  frame.ctrl = simulation.ctrl();
  frame.act = state.act;
  frame.eq_active = state.eq_active;
  frame.sensordata = simulation.sensordata();
  const StepForces& forces = simulation.forces();
  frame.actuator_force = forces.actuators;
  frame.joint_limit_force = forces.joint_limits;
  frame.joint_friction_force = forces.joint_friction;
  frame.tendon_limit_force = forces.tendon_limits;
  frame.tendon_friction_force = forces.tendon_friction;
  frame.equality_force = forces.equalities;
  frame.bodies.clear();
  for (int b = 0; b < static_cast<int>(simulation.model().bodies.size()); ++b) {
    frame.bodies.push_back(simulation.body_pose(b));
  }
  frame.contacts.clear();
  for (const ContactForce& contact : simulation.contacts()) {
    RecordedContact recorded;
    recorded.p_W = contact.p_W;
    recorded.n_W = contact.R_CW.row(2);
    recorded.force_W = contact.force_W;
    recorded.mu = contact.mu;
    recorded.gap = contact.gap;
    recorded.geom1 = contact.geom1;
    recorded.geom2 = contact.geom2;
    recorded.body1 = contact.body1;
    recorded.body2 = contact.body2;
    recorded.state = static_cast<int>(contact.state);
    recorded.id = contact.id;
    recorded.residual = contact.residual;
    frame.contacts.push_back(recorded);
  }
  frame.residual = report.solve.residual.scaled;
  const Residual& residual = report.solve.residual;
  frame.residual_by_type << residual.contact, residual.unilateral, residual.equality, residual.soft,
      residual.joint_friction, residual.joint_limit;
  frame.dynamics_defect = residual.dynamics;
  frame.worst_constraint = report.worst_constraint;
  frame.iterations = report.solve.iterations;
  frame.status = static_cast<int>(report.solve.status);
  frame.missed = !report.within_tolerance;
  frame.missed_by.fill(false);
  for (const Miss miss : report.misses) frame.missed_by.at(static_cast<size_t>(miss)) = true;
  const Energy energy = simulation.energy();
  frame.energy = energy.potential + energy.kinetic;
  frame.energy_error = report.energy_error;
  frame.max_penetration = report.max_penetration;
  frame.equality_error = report.equality_error;
  frame.solve_seconds = report.seconds.solve;
  frame.step_seconds = report.seconds.total();
  frame.clock = report.clock;
}

}  // namespace stiction::viewer
