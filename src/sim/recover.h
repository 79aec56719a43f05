// Penetration recovery on positions alone. The velocity of the step knows nothing of it, so it
// never adds kinetic energy and nothing pops out: a second, frictionless problem
//
//   A w = J^T lambda',   0 <= lambda'_n,  J_n w >= share * depth / h  (at most recovery_speed)
//
// gives a displacement h w that is added to the step's own. Joints and tendons outside their limits
// come back the same way, rad for m. It runs only for islands with something deeper than
// kRecoveryDepth, which what rests never is, and only as exactly as needed. No body moves faster by
// it than twice recovery_speed; what overlaps with no way out stays (recovery_problem.h): it is
// left out, and the rest recovered without it.
#pragma once

#include <stiction/simulation.h>

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "sim/assemble.h"

namespace stiction {

/// Recovery begins at this depth, m.
constexpr double kRecoveryDepth = 4e-6;
/// Penetrations below this, m, are too small to be seen moving: they are recovered every so many
/// steps, for as many steps at once, which costs less.
constexpr double kVisibleDepth = 1e-3;
constexpr int kRecoveryPeriod = 4;

struct RecoverInput {
  const Model& model;
  const Problem& problem;
  const std::vector<ConstraintSource>& sources;
  const std::vector<ContactForce>& contacts;
  const Eigen::VectorXd& qpos;
  double h;
};

/// v += w where there is something to recover. `step` is the number of the step.
void add_recovery(const RecoverInput& input, const Solution& solution, std::int64_t step,
                  const SimulationOptions& options, Eigen::VectorXd& v);

}  // namespace stiction
