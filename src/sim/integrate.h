// q <- q (+) h v_hat, v_hat = theta v + (1 - theta) v+ ([TRO25] (2)) for what moves freely, plus
// the recovery's displacement and the closing of loops; activations of actuators; time.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Throws InputError before anything changes if the new state is not finite.
void integrate(Simulation::Impl& sim);

}  // namespace stiction
