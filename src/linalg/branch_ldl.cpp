#include "linalg/branch_ldl.h"

#include <algorithm>

namespace stiction {

BranchPattern make_branch_pattern(const std::vector<int>& parent) {
  BranchPattern pattern;
  const int rows = static_cast<int>(parent.size());
  pattern.row_begin.resize(rows + 1, 0);
  for (int i = 0; i < rows; ++i) {
    const int p = parent[i];
    const int ancestors = p >= 0 ? pattern.row_begin[p + 1] - pattern.row_begin[p] : 0;
    pattern.row_begin[i + 1] = pattern.row_begin[i] + ancestors + 1;
  }
  pattern.col.resize(pattern.row_begin[rows]);
  for (int i = 0; i < rows; ++i) {
    int* out = &pattern.col[pattern.row_begin[i]];
    if (parent[i] >= 0) {
      const int* of_parent = &pattern.col[pattern.row_begin[parent[i]]];
      out = std::copy(of_parent, of_parent + (pattern.diagonal(i) - pattern.row_begin[i]), out);
    }
    *out = i;
  }
  return pattern;
}

bool branch_factorize(const BranchPattern& pattern, Eigen::Ref<Eigen::VectorXd> M) {
  for (int k = pattern.rows() - 1; k >= 0; --k) {
    const int begin = pattern.row_begin[k];
    const int count = pattern.diagonal(k) - begin;  // ancestors of k
    const double d = M[begin + count];
    if (!(d > 0)) return false;
    const double over_d = 1 / d;
    // Row of ancestor i is a prefix of row k: M_ij -= M_ki M_kj / d for all j up to i.
    for (int a = count - 1; a >= 0; --a) {
      const double l = M[begin + a] * over_d;
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
    const int end = pattern.diagonal(i);
    const double x_i = x[i];
    for (int k = pattern.row_begin[i]; k < end; ++k) x[pattern.col[k]] -= L[k] * x_i;
  }
}

void branch_solve_down(const BranchPattern& pattern, const Eigen::Ref<const Eigen::VectorXd>& L,
                       Eigen::Ref<Eigen::VectorXd> x) {
  for (int i = 0; i < pattern.rows(); ++i) {
    const int end = pattern.diagonal(i);
    double sum = 0;
    for (int k = pattern.row_begin[i]; k < end; ++k) sum += L[k] * x[pattern.col[k]];
    x[i] -= sum;
  }
}

}  // namespace stiction
