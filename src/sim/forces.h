// Forces of the step that are no contacts': of actuators, limits, dry friction and equalities.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// All zero, of the sizes that the model asks for.
StepForces no_forces(const Model& model);

/// Of the solution, by what each constraint stands for.
void read_forces(const Simulation::Impl& sim, StepForces& forces);

}  // namespace stiction
