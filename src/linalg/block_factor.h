// Values on a BlockPattern, factorized in place by the multifrontal method: every front gathers the
// updates of its children, eliminates its rows by a dense kernel, and hands its Schur complement to
// its parent. Cholesky for symmetric positive definite matrices, LU (pivoting inside the rows that
// a front eliminates) for any other on the same pattern. Nothing is allocated after construction.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "linalg/block_pattern.h"

namespace stiction {

enum class Factorization {
  kCholesky,  ///< reads entries with BlockPattern::is_lower only
  kLu,
};

class BlockFactor {
 public:
  explicit BlockFactor(BlockPattern pattern);

  const BlockPattern& pattern() const { return pattern_; }
  /// Entries at BlockPattern::offset; to be filled before and overwritten by factorize.
  Eigen::VectorXd& values() { return values_; }
  const Eigen::VectorXd& values() const { return values_; }

  /// False if a pivot is zero, not a number, or (Cholesky) negative; the values are then useless.
  bool factorize(Factorization kind);
  /// x <- K^-1 x, rows in elimination order: entry BlockPattern::position(row).
  void solve_in_place(Eigen::VectorXd& x);

 private:
  void add_update_to_parent(const Front& front, Factorization kind);
  void solve_lu(Eigen::VectorXd& x);
  void solve_cholesky(Eigen::VectorXd& x);

  BlockPattern pattern_;
  Factorization kind_ = Factorization::kCholesky;
  Eigen::VectorXd values_;
  std::vector<int> pivots_;
  Eigen::VectorXd reached_;  ///< scratch: the updated rows of one front
};

}  // namespace stiction
