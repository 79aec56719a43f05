// Kinematic trees for generated problems.
#pragma once

#include "contact/generate.h"

namespace stiction {

struct Link {
  int parent = -1;                             ///< body, or -1 for the first of a new tree
  Eigen::Matrix<double, 6, Eigen::Dynamic> S;  ///< joint columns about the tree's reference point
  double mass = 0;
  Eigen::Vector3d p_WC = Eigen::Vector3d::Zero();
  Eigen::Matrix3d I_c = Eigen::Matrix3d::Identity();
};

/// Column of a hinge about the axis through p, seen from the reference point O.
Eigen::Matrix<double, 6, 1> hinge_column(const Eigen::Vector3d& axis, const Eigen::Vector3d& p_W,
                                         const Eigen::Vector3d& O_W);

/// Appends a body to the tree that was begun last, or begins one at `O_W`. b and D start at zero.
int add_link(GeneratedScene& scene, const Link& link, const Eigen::Vector3d& O_W);

/// b += momentum of the tree's bodies at the velocity v (all dofs) plus h times their weight.
void add_tree_momentum(GeneratedScene& scene, const Subsystem& tree, const Eigen::VectorXd& v);

}  // namespace stiction
