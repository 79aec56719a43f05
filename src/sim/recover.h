// Penetration recovery on positions alone. The velocity of the step knows nothing of it, so it
// never adds kinetic energy and nothing pops out: a second, frictionless problem
//
//   A w = J^T lambda',   0 <= lambda'_n,  J_n w >= share * depth / h  (at most recovery_speed)
//
// gives a displacement h w that is added to the step's own. It runs only for islands with a contact
// deeper than kRecoveryDepth, which resting contacts never are, and only as exactly as needed.
#pragma once

#include <stiction/simulation.h>

#include <Eigen/Core>
#include <vector>

#include "sim/assemble.h"

namespace stiction {

/// Recovery begins at this depth and ends at that, m.
constexpr double kRecoveryDepth = 4e-6;
constexpr double kRecoverySlop = 1e-6;

/// w, or zero where there is nothing to recover.
Eigen::VectorXd recovery_velocity(const Problem& problem, const Solution& solution,
                                  const std::vector<ConstraintSource>& sources,
                                  const std::vector<ContactForce>& contacts, double h,
                                  const SimulationOptions& options);

}  // namespace stiction
