// Closed loops stay closed, open ones close. A step follows the equality constraints phi(q) = 0
// (follow_equalities.h), but not to the last digit, and where recovery moves things, not at all.
// Newton steps in the metric of A bring them back,
//
//   A d = J^T mu,   J d = -s phi(q),   q <- q (+) d,
//
// on positions alone: velocities keep. s is 1 for a loop that was closed when the step began; one
// that was open comes nearer at a bounded speed, and arrives without any, as penetrations are
// recovered.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <vector>

#include "sim/structure.h"

namespace stiction {

/// Equalities are met to this, m and rad.
constexpr double kLoopTolerance = 1e-12;
/// Loops that were closed to this, m and rad, are closed again whatever the step did to them.
constexpr double kOpenLoop = 1e-9;

/// Moves qpos onto the `active` equality constraints. Where their errors `phi` at the start of the
/// step, row by row, were larger than rounding leaves, they shrink by at most `reach`, m or rad,
/// and by less where a coordinate would have to move further for it. `tree` and `loops` (the
/// structure's skeleton) are work space.
void close_loops(const Model& model, const Structure& structure, const std::vector<char>& active,
                 const Eigen::VectorXd& phi, double reach, TreeData& tree, Problem& loops,
                 Eigen::VectorXd& qpos);

}  // namespace stiction
