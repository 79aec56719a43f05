// FCLIB's HDF5 form of frictional contact problems <-> Problem.
//
//   global  M v = f + H r,  u = H^T v + w,  optionally  + G l  and  G^T v + b = 0
//   local   u = W r + q
//
// with contact rows (n, t1, t2) where ours are (t1, t2, n), and r = lambda, w = e without a change
// of sign. What FCLIB lacks is in a group of our own, /stiction, that wins when it is there; it
// holds the problem to the last bit. src/io/README.md lists its datasets.
#pragma once

#include <stiction/files.h>

#include "io/hdf5.h"

namespace stiction {

/// A matrix group of FCLIB: triplets, compressed columns or compressed rows.
Eigen::SparseMatrix<double> read_matrix(const Hdf5Reader& file, const std::string& group);
void write_matrix(Hdf5Writer& file, const std::string& group,
                  const Eigen::SparseMatrix<double>& matrix);

/// The matrix made symmetric; refuses one that is not so to 1e-9 of its norm, with the measure.
Eigen::SparseMatrix<double> symmetric_matrix(const Hdf5Reader& file, const std::string& group);

Problem read_global(const Hdf5Reader& file);
/// W = J J^T with A = 1: by Cholesky with pivoting, stopped at the rank, per connected part of W.
Problem read_local(const Hdf5Reader& file);
void write_global(Hdf5Writer& file, const Problem& problem);
void write_local(Hdf5Writer& file, const Problem& problem);

/// The group /stiction.
Problem read_exact(const Hdf5Reader& file);
void write_exact(Hdf5Writer& file, const Problem& problem);
/// v and lambda of the group; false if there are none.
bool read_exact_guess(const Hdf5Reader& file, const Problem& problem, Solution& guess);
void write_exact_guess(Hdf5Writer& file, const Solution& guess);

/// Row of FCLIB's (n, t1, t2) that our row (t1, t2, n) is.
inline int fclib_row(int row) { return row - row % 3 + (row % 3 + 1) % 3; }

}  // namespace stiction
