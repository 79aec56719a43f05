// q <- q (+) h v_hat, v_hat = theta v + (1 - theta) v+ ([TRO25] (2)), plus the recovery's
// displacement; activations of actuators; time.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Throws InputError before anything changes if the new velocity is not finite.
void integrate(Simulation::Impl& sim);

}  // namespace stiction
