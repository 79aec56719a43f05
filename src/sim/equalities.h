// Equality constraints of MJCF as rows: connect (3), weld (3 + 3), joint and tendon couplings (1).
//
// With the position error phi, the row is J v + phi / h = 0: one Newton step on the closure, so
// loops stay closed to second order; the correcting speed is bounded by `recovery_speed`.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include "sim/structure.h"

namespace stiction {

void add_equality(const Model& model, const Structure& structure, const TreeData& tree,
                  const Eigen::VectorXd& qpos, const Equality& equality, double h,
                  double recovery_speed, Problem& problem);

}  // namespace stiction
