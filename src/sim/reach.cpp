#include "sim/reach.h"

#include "contact/jacobian.h"
#include "sim/flight.h"
#include "sim/limits.h"
#include "sim/pivots.h"

namespace stiction {
namespace {

bool ends_in_something(Simulation::Impl& sim, std::vector<ContactForce>& contacts) {
  if (sim.has_soft_contacts() || !sim.detector.any_goes_far(sim.tree, sim.V, sim.h)) return false;
  sim.qpos_next = sim.state.qpos;
  move_positions(sim.model, sim.structure, sim.move_velocity, sim.h, sim.qpos_next);
  find_held(sim);
  sim.recovery.setZero(sim.model.nv);
  sim.qvel_next = sim.solution.v;
  keep_momentum(sim, sim.recovery, sim.qpos_next, sim.qvel_next);
  update_kinematics(sim.model, sim.qpos_next, sim.tree_next);
  return sim.detector.detect_at_end(sim.tree, sim.tree_next, sim.V, sim.h, contacts);
}

bool adds_unseen(Simulation::Impl& sim, std::vector<ContactForce>& contacts) {
  const Eigen::VectorXd& v = sim.solution.v;
  if (!v.allFinite()) return false;  // integrate says so
  bool hits = false;
  for (const Eigen::VectorXd& between : sim.thrown) {  // impacts may turn it back in time
    body_twists(sim.problem, between, sim.V);
    hits |= sim.detector.detect_outrun(sim.tree, sim.V, sim.h, contacts);
  }
  sim.move_velocity = v + sim.detour;
  body_twists(sim.problem, sim.move_velocity, sim.V);
  hits |= sim.detector.detect_outrun(sim.tree, sim.V, sim.h, contacts);
  const bool passes = passes_a_limit(sim.assemble_input(), v);
  if (hits || passes) sim.expected = v;
  return hits || passes || ends_in_something(sim, contacts);
}

}  // namespace

bool runs_into_unseen(Simulation::Impl& sim, bool last) {
  if (!last) return adds_unseen(sim, sim.contacts);
  std::vector<ContactForce> contacts = sim.contacts;
  return adds_unseen(sim, contacts);
}

}  // namespace stiction
