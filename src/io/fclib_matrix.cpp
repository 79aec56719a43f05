#include <cmath>

#include "io/fclib.h"

namespace stiction {
namespace {

using Eigen::SparseMatrix;
constexpr int kLargestSide = 10'000'000;

using Triplets = std::vector<Eigen::Triplet<double>>;

// Pointers of a compressed form: from 0, rising, to the number of entries.
void check_pointers(const Hdf5Reader& file, const std::string& name, const std::vector<int>& p,
                    std::size_t entries) {
  int before = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] < before || (k == 0 && p[k] != 0) || static_cast<std::size_t>(p[k]) > entries) {
      file.refuse(name, "entry " + std::to_string(k) + " is " + std::to_string(p[k]) +
                            ", expected rising numbers from 0 to at most " +
                            std::to_string(entries));
    }
    before = p[k];
  }
}

void add_entry(const Hdf5Reader& file, const std::string& group, int row, int column, double value,
               int m, int n, Triplets& entries) {
  if (row < 0 || row >= m || column < 0 || column >= n) {
    file.refuse(group, "has an entry at (" + std::to_string(row) + ", " + std::to_string(column) +
                           "), expected one inside " + std::to_string(m) + " x " +
                           std::to_string(n));
  }
  if (!std::isfinite(value)) {
    file.refuse(group + "/x", "is " + std::to_string(value) + " at (" + std::to_string(row) + ", " +
                                  std::to_string(column) + "), expected a finite number");
  }
  entries.emplace_back(row, column, value);
}

}  // namespace

SparseMatrix<double> read_matrix(const Hdf5Reader& file, const std::string& group) {
  const int m = file.integer(group + "/m");
  const int n = file.integer(group + "/n");
  const int nz = file.integer(group + "/nz");
  if (m < 0 || n < 0 || m > kLargestSide || n > kLargestSide) {
    file.refuse(group, "is " + std::to_string(m) + " x " + std::to_string(n) +
                           ", expected sizes from 0 to " + std::to_string(kLargestSide));
  }
  const std::vector<int> p = file.ints(group + "/p");
  const std::vector<int> i = file.ints(group + "/i");
  const std::vector<double> x = file.doubles(group + "/x");
  if (i.size() < x.size() && nz < 0) {
    file.refuse(group + "/i", "has " + std::to_string(i.size()) + " values, expected those of x, " +
                                  std::to_string(x.size()));
  }
  Triplets entries;
  if (nz >= 0) {  // as CSparse has it: i is the row, p the column
    const std::size_t count = static_cast<std::size_t>(nz);
    if (p.size() < count || i.size() < count || x.size() < count) {
      file.refuse(group, "has " + std::to_string(nz) + " triplets, but p, i, x have " +
                             std::to_string(p.size()) + ", " + std::to_string(i.size()) + ", " +
                             std::to_string(x.size()) + " values");
    }
    for (std::size_t k = 0; k < count; ++k) {
      add_entry(file, group, i[k], p[k], x[k], m, n, entries);
    }
  } else if (nz == -1 || nz == -2) {
    const bool by_column = nz == -1;
    const std::size_t lines = static_cast<std::size_t>(by_column ? n : m);
    if (p.size() != lines + 1) {
      file.refuse(group + "/p", "has " + std::to_string(p.size()) + " values, expected " +
                                    std::to_string(lines + 1));
    }
    check_pointers(file, group + "/p", p, x.size());
    for (std::size_t line = 0; line < lines; ++line) {
      for (int k = p[line]; k < p[line + 1]; ++k) {
        const int own = static_cast<int>(line);
        add_entry(file, group, by_column ? i[k] : own, by_column ? own : i[k], x[k], m, n, entries);
      }
    }
  } else {
    file.refuse(group + "/nz", "is " + std::to_string(nz) +
                                   ", expected a number of triplets, -1 (columns) or -2 (rows)");
  }
  SparseMatrix<double> matrix(m, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void write_matrix(Hdf5Writer& file, const std::string& group, const SparseMatrix<double>& matrix) {
  SparseMatrix<double> A = matrix;
  A.makeCompressed();
  const std::size_t count = static_cast<std::size_t>(A.nonZeros());
  file.integer(group + "/m", static_cast<int>(A.rows()));
  file.integer(group + "/n", static_cast<int>(A.cols()));
  file.integer(group + "/nzmax", static_cast<int>(count));
  file.integer(group + "/nz", -1);
  file.ints(group + "/p", A.outerIndexPtr(), {static_cast<std::size_t>(A.cols()) + 1});
  file.ints(group + "/i", A.innerIndexPtr(), {count});
  file.doubles(group + "/x", A.valuePtr(), {count});
}

SparseMatrix<double> symmetric_matrix(const Hdf5Reader& file, const std::string& group) {
  const SparseMatrix<double> A = read_matrix(file, group);
  if (A.rows() != A.cols()) {
    file.refuse(group, "is " + std::to_string(A.rows()) + " x " + std::to_string(A.cols()) +
                           ", expected a square matrix");
  }
  const SparseMatrix<double> transposed = A.transpose();
  const double asymmetry = (A - transposed).norm() / std::max(A.norm(), 1e-300);
  if (!(asymmetry <= 1e-9)) {
    char text[96];
    std::snprintf(text, sizeof text, "is not symmetric: |A - A^T| / |A| = %.3g, expected <= 1e-9",
                  asymmetry);
    file.refuse(group, text);
  }
  return 0.5 * (A + transposed);
}

}  // namespace stiction
