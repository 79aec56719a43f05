// Block factorizations against Eigen's dense ones, on random patterns.
#include "linalg/block_factor.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numeric>
#include <random>

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Pattern {
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> couplings;

  std::vector<int> begins() const {
    std::vector<int> begin(sizes.size(), 0);
    std::partial_sum(sizes.begin(), sizes.end() - 1, begin.begin() + 1);
    return begin;
  }
  int rows() const { return std::accumulate(sizes.begin(), sizes.end(), 0); }
};

Pattern random_graph(int blocks, int largest, double density, std::mt19937& random) {
  Pattern pattern;
  for (int i = 0; i < blocks; ++i) {
    pattern.sizes.push_back(std::uniform_int_distribution(1, largest)(random));
    for (int j = 0; j < i; ++j) {
      if (std::uniform_real_distribution()(random) < density) pattern.couplings.emplace_back(i, j);
    }
  }
  return pattern;
}

Pattern chain(int blocks, int size) {
  Pattern pattern;
  for (int i = 0; i < blocks; ++i) {
    pattern.sizes.push_back(size);
    if (i > 0) pattern.couplings.emplace_back(i - 1, i);
  }
  return pattern;
}

Pattern grid(int side, int size) {
  Pattern pattern;
  for (int i = 0; i < side * side; ++i) {
    pattern.sizes.push_back(size);
    if (i % side > 0) pattern.couplings.emplace_back(i, i - 1);
    if (i >= side) pattern.couplings.emplace_back(i, i - side);
  }
  return pattern;
}

// Random entries on the pattern; diagonally dominant if `definite`.
MatrixXd random_matrix(const Pattern& pattern, bool symmetric, bool definite,
                       std::mt19937& random) {
  const std::vector<int> begin = pattern.begins();
  MatrixXd K = MatrixXd::Zero(pattern.rows(), pattern.rows());
  std::normal_distribution<double> normal;
  const auto fill = [&](int i, int j) {
    for (int r = 0; r < pattern.sizes[i]; ++r) {
      for (int c = 0; c < pattern.sizes[j]; ++c) K(begin[i] + r, begin[j] + c) = normal(random);
    }
  };
  for (int i = 0; i < static_cast<int>(pattern.sizes.size()); ++i) fill(i, i);
  for (const auto& [i, j] : pattern.couplings) {
    fill(i, j);
    fill(j, i);
  }
  if (symmetric) K = (K + K.transpose()).eval();
  if (definite) K.diagonal().array() += 2 * K.cwiseAbs().rowwise().sum().maxCoeff();
  return K;
}

// Solves with the block factorization; the error is relative to the exact solution.
double solve_error(const Pattern& pattern, const MatrixXd& K, Factorization kind) {
  BlockFactor factor(BlockPattern(pattern.sizes, pattern.couplings));
  for (int c = 0; c < K.cols(); ++c) {
    for (int r = 0; r < K.rows(); ++r) {
      if (K(r, c) != 0) factor.values()[factor.pattern().offset(r, c)] = K(r, c);
    }
  }
  if (!factor.factorize(kind)) return std::numeric_limits<double>::infinity();
  const VectorXd exact = VectorXd::LinSpaced(K.rows(), -1, 2);
  const VectorXd right = K * exact;
  VectorXd x(K.rows());
  for (int r = 0; r < K.rows(); ++r) x[factor.pattern().position(r)] = right[r];
  factor.solve_in_place(x);
  double error = 0;
  for (int r = 0; r < K.rows(); ++r) {
    error = std::max(error, std::abs(x[factor.pattern().position(r)] - exact[r]));
  }
  return error;
}

TEST(BlockFactor, SolvesSymmetricDefiniteSystemsOnRandomPatterns) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const Pattern pattern = random_graph(2 + trial, 7, 0.1, random);
    const MatrixXd K = random_matrix(pattern, true, true, random);
    EXPECT_LT(solve_error(pattern, K, Factorization::kCholesky), 1e-12) << trial;
    EXPECT_LT(solve_error(pattern, K, Factorization::kLu), 1e-12) << trial;
  }
}

TEST(BlockFactor, SolvesUnsymmetricSystemsOnRandomPatterns) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const Pattern pattern = random_graph(2 + trial, 7, 0.1, random);
    const MatrixXd K = random_matrix(pattern, false, true, random);
    EXPECT_LT(solve_error(pattern, K, Factorization::kLu), 1e-12) << trial;
  }
}

TEST(BlockFactor, PivotsInsideOneFront) {
  std::mt19937 random(3);
  const Pattern pattern = random_graph(4, 6, 1, random);
  MatrixXd K = random_matrix(pattern, false, false, random);
  K.diagonal().setZero();
  EXPECT_LT(solve_error(pattern, K, Factorization::kLu), 1e-10);
}

TEST(BlockFactor, ChainsAndGridsKeepTheirSparsity) {
  std::mt19937 random(4);
  for (const Pattern& pattern : {chain(100, 6), grid(24, 2)}) {
    const MatrixXd K = random_matrix(pattern, false, true, random);
    EXPECT_LT(solve_error(pattern, K, Factorization::kLu), 1e-12);
    const BlockPattern symbolic(pattern.sizes, pattern.couplings);
    EXPECT_LT(static_cast<double>(symbolic.value_count()), 0.15 * static_cast<double>(K.size()));
  }
}

TEST(BlockFactor, ReportsSingularAndIndefiniteMatrices) {
  const Pattern pattern = chain(20, 3);
  std::mt19937 random(5);
  MatrixXd K = random_matrix(pattern, true, true, random);
  K(31, 31) = -K(31, 31);
  EXPECT_EQ(solve_error(pattern, K, Factorization::kCholesky),
            std::numeric_limits<double>::infinity());
  EXPECT_LT(solve_error(pattern, K, Factorization::kLu), 1e-12);
  K.row(31).setZero();
  K.col(31).setZero();
  EXPECT_EQ(solve_error(pattern, K, Factorization::kLu), std::numeric_limits<double>::infinity());
  K(31, 31) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solve_error(pattern, K, Factorization::kLu), std::numeric_limits<double>::infinity());
}

TEST(BlockFactor, TheEmptyMatrixIsFine) {
  BlockFactor factor{BlockPattern({}, {})};
  VectorXd x(0);
  EXPECT_TRUE(factor.factorize(Factorization::kLu));
  factor.solve_in_place(x);
}

}  // namespace
}  // namespace stiction
