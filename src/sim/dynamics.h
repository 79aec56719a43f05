// A and b of the step: from (q, v) to the left and right side of [TRO25] (2),
//
//   (M + h damping + h^2 stiffness) v+ = M v + h tau     (with theta = 0; theta.h has the others),
//
// where tau holds every smooth force at (q, v) but the velocity parts that moved to the left: joint
// dampers and springs here, tendons in soft_rows.h, servos in servos.h, so that stiff controllers
// are stable at any step size.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <Eigen/Core>

#include "sim/structure.h"

namespace stiction {

/// S, H and D of the masses alone: welded bodies merge, armature goes to D. Needs the kinematics.
void assemble_masses(const Structure& structure, const TreeData& tree, Problem& problem);

/// S, H, D and b of the step without servos and tendons. `tree` has bias, passive and actuator
/// forces at q (+) theta h v, `applied` are the joint-space forces of the user's wrenches.
void assemble_dynamics(const Model& model, const Structure& structure, const Eigen::VectorXd& qvel,
                       const Eigen::VectorXd& applied, double h, double theta, TreeData& tree,
                       Problem& problem);

}  // namespace stiction
