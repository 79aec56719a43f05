#include "sim/integrate.h"

#include <stiction/error.h>

#include "sim/recover.h"

namespace stiction {

using Eigen::VectorXd;

void integrate(Simulation::Impl& sim) {
  const VectorXd& v_next = sim.solution.v;
  if (!v_next.allFinite()) {
    throw InputError("step " + std::to_string(sim.state.step) +
                     ": the new velocity is not finite; the state before the step is kept");
  }
  const double theta = sim.options.theta;
  const VectorXd w =
      recovery_velocity(sim.problem, sim.solution, sim.sources, sim.contacts, sim.h, sim.options);
  const VectorXd v_hat = theta * sim.state.qvel + (1 - theta) * v_next + w;
  integrate_positions(sim.model, v_hat, sim.h, sim.state.qpos);
  sim.state.qvel = v_next;
  advance_activations(sim.model, sim.ctrl, sim.h, sim.state.act);
  sim.state.step += 1;
  sim.state.time += sim.h;
}

}  // namespace stiction
