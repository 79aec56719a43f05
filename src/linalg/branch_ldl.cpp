#include "linalg/branch_ldl.h"

namespace stiction {

BranchPattern make_branch_pattern(const std::vector<int>& parent) {
  BranchPattern pattern;
  pattern.row_begin.push_back(0);
  for (int i = 0; i < static_cast<int>(parent.size()); ++i) {
    if (parent[i] >= 0) {
      const int begin = pattern.row_begin[parent[i]];
      const int end = pattern.row_begin[parent[i] + 1];
      for (int k = begin; k < end; ++k) pattern.col.push_back(pattern.col[k]);
    }
    pattern.col.push_back(i);
    pattern.row_begin.push_back(static_cast<int>(pattern.col.size()));
  }
  return pattern;
}

bool branch_factorize(const BranchPattern& pattern, Eigen::Ref<Eigen::VectorXd> M) {
  for (int k = pattern.rows() - 1; k >= 0; --k) {
    const int begin = pattern.row_begin[k];
    const int count = pattern.diagonal(k) - begin;  // ancestors of k
    const double d = M[begin + count];
    if (!(d > 0)) return false;
    // Row of ancestor i is a prefix of row k: M_ij -= M_ki M_kj / d for all j up to i.
    for (int a = count - 1; a >= 0; --a) {
      const double l = M[begin + a] / d;
      const int row = pattern.row_begin[pattern.col[begin + a]];
      for (int j = 0; j <= a; ++j) M[row + j] -= l * M[begin + j];
      M[begin + a] = l;
    }
  }
  return true;
}

void branch_solve(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                  Eigen::Ref<Eigen::VectorXd> x) {
  branch_solve_up(pattern, L, x);
  for (int i = 0; i < pattern.rows(); ++i) x[i] /= L[pattern.diagonal(i)];
  branch_solve_down(pattern, L, x);
}

void branch_solve_up(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                     Eigen::Ref<Eigen::VectorXd> x) {
  for (int i = pattern.rows() - 1; i >= 0; --i) {
    const int begin = pattern.row_begin[i];
    for (int k = begin; k < pattern.diagonal(i); ++k) x[pattern.col[k]] -= L[k] * x[i];
  }
}

void branch_solve_down(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                       Eigen::Ref<Eigen::VectorXd> x) {
  for (int i = 0; i < pattern.rows(); ++i) {
    const int begin = pattern.row_begin[i];
    for (int k = begin; k < pattern.diagonal(i); ++k) x[i] -= L[k] * x[pattern.col[k]];
  }
}

}  // namespace stiction
