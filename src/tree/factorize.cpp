// M = L^T D L from the leaves to the root: no fill-in, since the ancestors of a dof's ancestor are
// its own. [F08] 6.5. The row of an ancestor has the pattern of the first part of the row below it,
// so the inner loops run over contiguous numbers.
#include <stiction/tree.h>

namespace stiction {

void factorize(TreeData& data) {
  const TreeLayout& layout = data.layout;
  data.L = data.M;
  double* const L = data.L.data();
  for (int k = static_cast<int>(data.S.cols()) - 1; k >= 0; --k) {
    double* const row_k = L + layout.row_begin[k];
    const int* const col_k = layout.col.data() + layout.row_begin[k];
    const int ancestors = layout.row_begin[k + 1] - layout.row_begin[k] - 1;
    const double D_inv = 1 / row_k[ancestors];
    data.D_inv[k] = D_inv;
    for (int a = ancestors - 1; a >= 0; --a) {
      const double l = row_k[a] * D_inv;
      double* const row_i = L + layout.row_begin[col_k[a]];
      for (int j = 0; j <= a; ++j) row_i[j] -= l * row_k[j];
      row_k[a] = l;
    }
  }
}

void solve_in_place(const TreeData& data, VectorRef x) {
  const TreeLayout& layout = data.layout;
  const int nv = static_cast<int>(data.S.cols());
  for (int i = nv - 1; i >= 0; --i) {  // x <- L^-T x
    for (int k = layout.row_begin[i]; k < layout.row_begin[i + 1] - 1; ++k) {
      x[layout.col[k]] -= data.L[k] * x[i];
    }
  }
  x.array() *= data.D_inv.array();
  for (int i = 0; i < nv; ++i) {  // x <- L^-1 x
    for (int k = layout.row_begin[i]; k < layout.row_begin[i + 1] - 1; ++k) {
      x[i] -= data.L[k] * x[layout.col[k]];
    }
  }
}

}  // namespace stiction
