// Contacts are looked for as far as speeds at the start of the step reach. Its forces may take
// bodies and joints further, or turn them so far that they end up within another, whatever their
// contacts say: then there is more to solve the step with.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// True if the solution runs into something that was not seen. It is seen next time; if this is the
/// last time, contacts stay those of the problem.
bool runs_into_unseen(Simulation::Impl& sim, bool last);

}  // namespace stiction
