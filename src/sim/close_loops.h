// Closed loops stay closed. A step moves along the tangent of the equality constraints phi(q) = 0
// and leaves them by the curvature, O(h^2). Newton steps in the metric of A bring it back,
//
//   A d = J^T mu,   J d = -phi(q),   q <- q (+) d,
//
// on positions alone: velocities keep.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include "sim/structure.h"

namespace stiction {

/// Equalities are met to this, m and rad.
constexpr double kLoopTolerance = 1e-12;

/// Moves qpos onto the active equality constraints if it is nearer to them than `reach`; a model
/// that starts with open loops closes them by the step's own velocity. `tree` and `loops` (the
/// structure's skeleton) are work space.
void close_loops(const Model& model, const Structure& structure, double reach, TreeData& tree,
                 Problem& loops, Eigen::VectorXd& qpos);

}  // namespace stiction
