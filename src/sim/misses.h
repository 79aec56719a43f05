// Why a step counts as missed: the one definition, for the policy that throws and for the report.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// What the solve has missed. Of the new state, certify adds what is wrong with it.
void find_misses(Simulation::Impl& sim);

/// Throws InputError for a step that has missed something: all of it, with numbers and names.
[[noreturn]] void refuse_missed(const Simulation::Impl& sim);

}  // namespace stiction
