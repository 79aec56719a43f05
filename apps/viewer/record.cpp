#include "record.h"

namespace stiction::viewer {

RecordingHeader recording_header(const Simulation& simulation) {
  const Model& model = simulation.model();
  RecordingHeader header;
  header.model = model.name;
  header.solver = simulation.options().solver;
  header.timestep = simulation.timestep();
  header.tolerance = simulation.options().budget.tolerance;
  header.nq = model.nq;
  header.nv = model.nv;
  header.nu = model.nu();
  header.na = model.na;
  for (const Body& body : model.bodies) header.bodies.push_back(body.name);
  for (const Geom& geom : model.geoms) header.geoms.push_back(geom.name);
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
    recorded.state = static_cast<int>(contact.state);
    recorded.id = contact.id;
    recorded.residual = contact.residual;
    frame.contacts.push_back(recorded);
  }
  frame.residual = report.solve.residual.scaled;
  frame.iterations = report.solve.iterations;
  frame.missed = !report.within_tolerance;
  const Energy energy = simulation.energy();
  frame.energy = energy.potential + energy.kinetic;
  frame.energy_error = report.energy_error;
  frame.max_penetration = report.max_penetration;
  frame.solve_seconds = report.seconds.solve;
  frame.step_seconds = report.seconds.total();
  frame.clock = report.clock;
}

}  // namespace stiction::viewer
