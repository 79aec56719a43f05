#include "linalg/front_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace stiction {
namespace {

constexpr int kPanel = 8;

inline double* column(double* F, int size, int j) { return F + static_cast<ptrdiff_t>(size) * j; }

// C -= A B with K columns of A and N columns of C known to the compiler, which then keeps them in
// registers and vectorizes over the rows.
template <int K, int N>
void product_tile(int m, const double* __restrict__ A, int lda, const double* __restrict__ b,
                  int b_row, int b_col, double* __restrict__ C, int ldc) {
  double B[K][N];
  for (int p = 0; p < K; ++p) {
    for (int j = 0; j < N; ++j) B[p][j] = b[p * b_row + j * b_col];
  }
  for (int i = 0; i < m; ++i) {
    double sum[N];
    for (int j = 0; j < N; ++j) sum[j] = C[i + j * ldc];
    for (int p = 0; p < K; ++p) {
      const double a = A[i + p * lda];
      for (int j = 0; j < N; ++j) sum[j] -= a * B[p][j];
    }
    for (int j = 0; j < N; ++j) C[i + j * ldc] = sum[j];
  }
}

template <int K>
void product_columns(int m, int n, const double* A, int lda, const double* b, int b_row, int b_col,
                     double* C, int ldc) {
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    product_tile<K, 4>(m, A, lda, b + j * b_col, b_row, b_col, C + j * ldc, ldc);
  }
  for (; j < n; ++j) {
    product_tile<K, 1>(m, A, lda, b + j * b_col, b_row, b_col, C + j * ldc, ldc);
  }
}

// Unblocked LU of columns [begin, end), pivoting among rows [begin, width).
bool factor_panel_lu(int size, int width, int begin, int end, double* F, int* pivots) {
  for (int j = begin; j < end; ++j) {
    double* Fj = column(F, size, j);
    int pivot = j;
    for (int i = j + 1; i < width; ++i) {
      if (std::abs(Fj[i]) > std::abs(Fj[pivot])) pivot = i;
    }
    pivots[j] = pivot;
    if (pivot != j) {
      for (int c = 0; c < size; ++c) std::swap(column(F, size, c)[j], column(F, size, c)[pivot]);
    }
    if (!(std::abs(Fj[j]) > 0)) return false;
    const double inverse = 1 / Fj[j];
    for (int i = j + 1; i < size; ++i) Fj[i] *= inverse;
    for (int c = j + 1; c < end; ++c) {
      double* Fc = column(F, size, c);
      const double f = Fc[j];
      for (int i = j + 1; i < size; ++i) Fc[i] -= Fj[i] * f;
    }
  }
  return true;
}

// X <- L^-1 X for a unit lower triangular k x k L and n columns X, all with leading dimension `ld`.
// Four columns at a time: the recurrence runs down a column, so only columns can overlap.
void solve_unit_lower(int k, int n, const double* L, int ld, double* X) {
  int c = 0;
  for (; c + 4 <= n; c += 4) {
    double* X0 = X + static_cast<ptrdiff_t>(ld) * c;
    double* X1 = X0 + ld;
    double* X2 = X1 + ld;
    double* X3 = X2 + ld;
    for (int i = 1; i < k; ++i) {
      double sum0 = X0[i];
      double sum1 = X1[i];
      double sum2 = X2[i];
      double sum3 = X3[i];
      for (int j = 0; j < i; ++j) {
        const double l = L[i + static_cast<ptrdiff_t>(ld) * j];
        sum0 -= l * X0[j];
        sum1 -= l * X1[j];
        sum2 -= l * X2[j];
        sum3 -= l * X3[j];
      }
      X0[i] = sum0;
      X1[i] = sum1;
      X2[i] = sum2;
      X3[i] = sum3;
    }
  }
  for (; c < n; ++c) {
    double* Xc = X + static_cast<ptrdiff_t>(ld) * c;
    for (int i = 1; i < k; ++i) {
      for (int j = 0; j < i; ++j) Xc[i] -= L[i + static_cast<ptrdiff_t>(ld) * j] * Xc[j];
    }
  }
}

}  // namespace

void subtract_product(int m, int n, int k, const double* A, int lda, const double* b, int b_row,
                      int b_col, double* C, int ldc) {
  while (k > 0) {
    const int step = std::min(k, kPanel);
    switch (step) {
      case 8:
        product_columns<8>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      case 7:
        product_columns<7>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      case 6:
        product_columns<6>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      case 5:
        product_columns<5>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      case 4:
        product_columns<4>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      case 3:
        product_columns<3>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      case 2:
        product_columns<2>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
      default:
        product_columns<1>(m, n, A, lda, b, b_row, b_col, C, ldc);
        break;
    }
    A += static_cast<ptrdiff_t>(step) * lda;
    b += static_cast<ptrdiff_t>(step) * b_row;
    k -= step;
  }
}

bool eliminate_lu(int size, int width, double* F, int* pivots) {
  for (int begin = 0; begin < width; begin += kPanel) {
    const int end = std::min(begin + kPanel, width);
    if (!factor_panel_lu(size, width, begin, end, F, pivots)) return false;
    solve_unit_lower(end - begin, size - end, column(F, size, begin) + begin, size,
                     column(F, size, end) + begin);  // U12 = L11^-1 F12
    double* trailing = column(F, size, end);
    subtract_product(size - end, size - end, end - begin, column(F, size, begin) + end, size,
                     trailing + begin, 1, size, trailing + end, size);
  }
  return true;
}

bool eliminate_cholesky(int size, int width, double* F) {
  for (int begin = 0; begin < width; begin += kPanel) {
    const int end = std::min(begin + kPanel, width);
    for (int j = begin; j < end; ++j) {
      double* Fj = column(F, size, j);
      if (!(Fj[j] > 0)) return false;
      const double inverse = 1 / std::sqrt(Fj[j]);
      for (int i = j; i < size; ++i) Fj[i] *= inverse;
      for (int c = j + 1; c < end; ++c) {
        double* Fc = column(F, size, c);
        const double f = Fj[c];
        for (int i = c; i < size; ++i) Fc[i] -= Fj[i] * f;
      }
    }
    // F22 -= L21 L21^T in strips of columns, each from its first row down.
    for (int c = end; c < size; c += kPanel) {
      const int strip = std::min(kPanel, size - c);
      const double* L = column(F, size, begin);
      subtract_product(size - c, strip, end - begin, L + c, size, L + c, size, 1,
                       column(F, size, c) + c, size);
    }
  }
  return true;
}

}  // namespace stiction
