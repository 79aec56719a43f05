// The solution of one step is the guess for the next: impulses by constraint id, in world axes for
// contacts, whose frames turn with their normals.
#pragma once

#include <stiction/simulation.h>

#include <vector>

#include "sim/assemble.h"

namespace stiction {

void load_warm_start(const State& state, const std::vector<ConstraintSource>& sources,
                     const std::vector<ContactForce>& contacts, const Problem& problem,
                     Solution& solution);

void store_warm_start(const Solution& solution, const std::vector<ConstraintSource>& sources,
                      const std::vector<ContactForce>& contacts, const Problem& problem,
                      State& state);

}  // namespace stiction
