// A and b of the step: from (q, v) to the left and right side of [TRO25] (2),
//
//   (M + h damping + h^2 stiffness) v+ = M v + h tau,
//
// where tau holds every smooth force at (q, v) but the velocity parts that moved to the left:
// joint dampers, joint springs, and the gains of position and velocity actuators, so that stiff
// controllers are stable at any step size.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <Eigen/Core>

#include "sim/structure.h"

namespace stiction {

/// Fills S, H, D and b of `problem`; needs every stage of `tree` but the factorization. `applied`
/// are the joint-space forces of the user's wrenches.
void assemble_dynamics(const Model& model, const Structure& structure, const TreeData& tree,
                       const Eigen::VectorXd& qpos, const Eigen::VectorXd& qvel,
                       const Eigen::VectorXd& ctrl, const Eigen::VectorXd& act,
                       const Eigen::VectorXd& applied, double h, Problem& problem);

/// y = M x on the tree's pattern.
void multiply_mass_matrix(const TreeData& tree, const Eigen::VectorXd& x, Eigen::VectorXd& y);

}  // namespace stiction
