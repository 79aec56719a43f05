// Which dofs a problem couples, prepared for assembling A + sum_i J_i^T D_i J_i.
//
// Constraints that touch the same bodies, or the same dofs, form a group. A group sums its products
// in local coordinates (the twists of its one or two bodies, or the dofs themselves) and maps the
// sum to v once by P, local velocity = P v(dofs): a contact costs a 12 x 12 update, however long
// the kinematic chains behind it are. Single rigid bodies have P = I.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace stiction {

struct CouplingGroup {
  std::vector<int> dofs;         ///< of v, rising
  std::vector<int> constraints;  ///< of the problem
  Eigen::MatrixXd Jt;            ///< local coordinates x 3 per constraint: J_i^T
  Eigen::MatrixXd P;             ///< local coordinates x dofs, or empty for the identity
};

/// All constraints but those on a single dof, which couple nothing.
std::vector<CouplingGroup> make_coupling_groups(const Problem& problem);

/// Joint friction, joint limits and the like: J_i is one column, on one dof.
bool is_on_one_dof(const Problem& problem, const Constraint& constraint);

/// Sets of dofs that the pattern of A + J^T D J cannot tell apart: branches of trees (maximal
/// unbranched chains), and in sparse blocks dofs with the same neighbours.
struct DofBlocks {
  std::vector<std::vector<int>> dofs;
  std::vector<int> block_of;                   ///< by dof
  std::vector<std::pair<int, int>> couplings;  ///< pairs of different blocks, sorted, no repetition
};

DofBlocks make_dof_blocks(const Problem& problem, const std::vector<CouplingGroup>& groups);

}  // namespace stiction
