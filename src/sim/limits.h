// Limits of joints and tendons: as rows once they are within reach, lower <= q + h v <= upper.
//
// A ball joint's angle is limited. The row is its derivative where the joint is expected to be at
// the end of the step, since along a circle about the rest pose the angle grows to second order.
#pragma once

#include "sim/assemble.h"

namespace stiction {

void add_limits(const AssembleInput& input, Problem& problem,
                std::vector<ConstraintSource>& sources);

/// Whether the velocity v would carry a joint or a tendon beyond a limit that is not among the
/// constraints, as it was out of reach of `input.qvel` and `input.expected`, or a ball joint beyond
/// one that is, as it goes elsewhere than expected.
bool passes_a_limit(const AssembleInput& input, const Eigen::VectorXd& v);

/// How far a joint or tendon is inside its limits, rad or m; negative outside.
double limit_gap(const Model& model, const Eigen::VectorXd& qpos, const ConstraintSource& limit);

}  // namespace stiction
