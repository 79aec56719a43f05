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
#include <vector>

#include "sim/structure.h"

namespace stiction {

/// S, H and D of the masses alone: welded bodies merge, armature goes to D. Needs the kinematics.
void assemble_masses(const Structure& structure, const TreeData& tree, Problem& problem);

/// Scratch of assemble_dynamics: what it puts back into the tree, and velocities.
struct DynamicsMemory {
  std::vector<Vector6d> V, momentum, Vdot0;
  Eigen::VectorXd bias, b, v, mean;
  std::vector<const Subsystem*> fast;
  std::vector<int> free_bodies;  ///< of the problem
  Eigen::Matrix3Xd gyroscopic;   ///< per body of the problem: impulse in b of those
};

/// S, H, D and b of the step without servos and tendons. `tree` has bias, passive and actuator
/// forces at q (+) theta h v, `applied` are the joint-space forces of the user's wrenches. The bias
/// becomes what b has of it.
void assemble_dynamics(const Model& model, const Structure& structure, const Eigen::VectorXd& qvel,
                       const Eigen::VectorXd& applied, double h, double theta, TreeData& tree,
                       DynamicsMemory& memory, Problem& problem);

/// Gyroscopic forces of free bodies that are `tied` to others, per subsystem, at the mean of the
/// velocities at the start and of V, in place of what b and the tree's bias have: alone, a body
/// would turn otherwise than what it is tied to lets it, and angular momentum would drift (two
/// welded boxes that tumble at 17 rad/s lost half of it in 100 s at 4 ms). True if that changes b.
bool center_gyroscopic(const Structure& structure, const std::vector<char>& tied,
                       const Matrix6Xd& V, double h, DynamicsMemory& memory, TreeData& tree,
                       const Problem& problem, Eigen::VectorXd& b);

}  // namespace stiction
