// What comes from outside is checked before anything changes. Throws InputError: which number, what
// it is, what was expected.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// With the model's time step and the default solver where none are given.
SimulationOptions checked(SimulationOptions options, const Model& model);

/// With unit quaternions.
State checked(State state, const Model& model);

/// Controls and wrenches of the step.
void check_input(const Simulation::Impl& sim);

}  // namespace stiction
