// What holds at qpos0, where every body stands in its parent as the file writes it.
#pragma once

#include <stiction/model.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// X_WB of every body at qpos0.
std::vector<Pose> reference_poses(const std::vector<Body>& bodies);

/// Diagonal of the mass matrix at qpos0, armature included.
Eigen::VectorXd reference_mass_diagonal(const Model& model);

}  // namespace stiction
