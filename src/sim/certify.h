// The certificate of a step: what the solver reached, which constraint is worst, how deep the
// deepest contact is, how far equalities are open, and whether the energy adds up.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Fills the contacts' forces and states and the step report; updates the tree to the new state.
void certify(Simulation::Impl& sim);

}  // namespace stiction
