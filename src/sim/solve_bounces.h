// Restitution asks for more than one solve: a bounce may make another contact hit within the step
// (impacts.h), and with friction it may add energy (bounce.h).
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Solves the step again, after solve_step, where its bounces ask for it.
void solve_bounces(Simulation::Impl& sim);

}  // namespace stiction
