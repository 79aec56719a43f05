// Partial factorization of a dense square front: its first `width` rows and columns are eliminated,
// the rest becomes the Schur complement that the parent front receives,
//
//   F = [F11 F12; F21 F22],   F22 <- F22 - F21 F11^-1 F12.
//
// Column-major arrays with leading dimension = size. In place, no allocation.
#pragma once

namespace stiction {

/// LU: F11 = P^T L U with row pivoting inside F11, so that F21 keeps its rows. `pivots` gets the
/// row exchanged with row j at step j. False if a pivot is zero or not a number.
bool eliminate_lu(int size, int width, double* F, int* pivots);

/// Cholesky, lower triangle only: F11 = L L^T, F21 <- F21 L^-T. False unless every pivot is > 0.
bool eliminate_cholesky(int size, int width, double* F);

/// C -= A B for an m x k A (leading dimension lda), C (ldc) and B(p, j) = b[p * b_row + j * b_col].
void subtract_product(int m, int n, int k, const double* A, int lda, const double* b, int b_row,
                      int b_col, double* C, int ldc);

}  // namespace stiction
