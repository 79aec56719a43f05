// The reformulation of [TRO25] VI-A: every constraint is cut at its ports, so that each end sees
// one body, (31)-(32). An end acts on a slot: six numbers of one subsystem,
//
//   the twist of a body,   one dof of a tree,   or up to six dofs of a sparse block.
//
// A port on several dofs of a tree is cut into its dofs, so that the tree keeps its sparsity.
#pragma once

#include <stiction/problem.h>

#include <array>
#include <vector>

namespace stiction {

struct Slot {
  int subsystem = -1;
  int body = -1;              ///< of Problem::bodies, or -1 for a slot on dofs
  std::array<int, 6> dofs{};  ///< of v, the first dof_count
  int dof_count = 0;
};

/// One z_ij: rows of constraint i on a slot of subsystem j.
struct SlotEnd {
  int slot = -1;
  Eigen::Matrix<double, 3, 6> block = Eigen::Matrix<double, 3, 6>::Zero();
};

struct SplitProblem {
  std::vector<Slot> slots;
  std::vector<SlotEnd> ends;
  std::vector<int> end_begin;  ///< constraints + 1; |Z_i| = end_begin[i + 1] - end_begin[i]

  int end_count(int i) const { return end_begin[i + 1] - end_begin[i]; }
};

SplitProblem split_by_bodies(const Problem& problem);

}  // namespace stiction
