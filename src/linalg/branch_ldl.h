// M = L^T D L for a symmetric matrix with the sparsity of a kinematic tree: row i has entries only
// at i and its ancestors, so elimination from the leaves to the root makes no fill-in
// (Featherstone, Rigid Body Dynamics Algorithms, ch. 6). Plain arrays, so that joint-space mass
// matrices and subsystem blocks share it.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// Row i holds the ancestors of i in rising order, then i itself.
struct BranchPattern {
  std::vector<int> row_begin;  ///< rows + 1
  std::vector<int> col;

  int rows() const { return static_cast<int>(row_begin.size()) - 1; }
  int diagonal(int row) const { return row_begin[row + 1] - 1; }
};

/// parent[i] < i is the parent of dof i, or -1.
BranchPattern make_branch_pattern(const std::vector<int>& parent);

/// In place: strict rows become L (unit diagonal), the diagonal D. False if some D_i <= 0 or NaN.
bool branch_factorize(const BranchPattern& pattern, Eigen::Ref<Eigen::VectorXd> M);

/// x <- (L^T D L)^-1 x.
void branch_solve(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                  Eigen::Ref<Eigen::VectorXd> x);

/// x <- L^-T x, and x <- L^-1 x.
void branch_solve_up(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                     Eigen::Ref<Eigen::VectorXd> x);
void branch_solve_down(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                       Eigen::Ref<Eigen::VectorXd> x);

}  // namespace stiction
