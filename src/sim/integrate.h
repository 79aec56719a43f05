// q <- q (+) h v+, or with theta > 0 for what moves freely q (+) theta h v (+) (1 - theta) h v+,
// plus the recovery's displacement and the closing of loops, centres of mass in flight (flight.h);
// activations of actuators; time.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Throws InputError before anything changes if the new state is not finite.
void integrate(Simulation::Impl& sim);

}  // namespace stiction
