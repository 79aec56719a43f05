// All subsystems of a split problem, ready for (35): free bodies in packs, trees, sparse blocks.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/subadmm_bodies.h"
#include "contact/subadmm_split.h"
#include "contact/subadmm_trees.h"

namespace stiction {

class SubsystemBlocks {
 public:
  /// `weights` per constraint; `articulated`: trees by the articulated-body algorithm.
  SubsystemBlocks(const Problem& problem, const SplitProblem& split, const Eigen::VectorXd& weights,
                  bool articulated, int threads);

  /// Factorizes A_j + beta_j sum_i w_i J_ij^T J_ij for all subsystems j. False if some block is not
  /// positive definite.
  bool factorize(const Eigen::VectorXd& beta);

  /// N of a slot: its part of beta_j sum_i w_i J_ij^T J_ij.
  const Matrix6d& N(int slot) const { return N_[slot]; }

  /// v of (35) for all subsystems, as x <- x + a (V - x) in their slots.
  void update(double relaxation, const SlotData& slots);

 private:
  template <class OnBodies, class OnTree, class OnSparse>
  void for_all_blocks(const OnBodies& on_bodies, const OnTree& on_tree, const OnSparse& on_sparse);

  const SplitProblem& split_;
  int threads_;
  std::vector<Matrix6d> JtJ_;  ///< sum of w J^T J per slot
  std::vector<Matrix6d> N_;    ///< beta times that
  BodyPacks bodies_;
  std::vector<TreeBlock> trees_;
  std::vector<SparseBlock> sparse_;
  std::vector<int> sparse_subsystem_;  ///< of each sparse block
};

}  // namespace stiction
