#include "geometry/sdf/descent.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kDecay1 = 0.95, kDecay2 = 0.98;
constexpr int kTurnEvery = 10;  // steps

// A B without sums over a row or column at once, whose order in Eigen depends on where in memory
// the matrices lie.
MatrixXd product(const MatrixXd& A, const MatrixXd& B) {
  MatrixXd C = MatrixXd::Zero(A.rows(), B.cols());
  for (Index j = 0; j < B.cols(); ++j) {
    for (Index k = 0; k < A.cols(); ++k) C.col(j) += B(k, j) * A.col(k);
  }
  return C;
}

// U' G V
MatrixXd in_bases(const MatrixXd& U, const MatrixXd& G, const MatrixXd& V) {
  return product(product(U.transpose(), G), V);
}

// x, y = c x - s y, s x + c y
template <class X, class Y>
void rotate(X x, Y y, double c, double s) {
  for (Index k = 0; k < x.size(); ++k) {
    const double a = x(k), b = y(k);
    x(k) = c * a - s * b;
    y(k) = s * a + c * b;
  }
}

// One sweep of Jacobi's rotations towards the eigenvectors of M, which changes little from time to
// time.
void turn_towards_eigenvectors(const MatrixXd& M, MatrixXd& basis) {
  MatrixXd A = in_bases(basis, M, basis);
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = i + 1; j < A.rows(); ++j) {
      if (std::abs(A(i, j)) <= 1e-6 * std::sqrt(std::abs(A(i, i) * A(j, j))) + 1e-300) continue;
      const double tau = (A(j, j) - A(i, i)) / (2 * A(i, j));
      const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
      const double c = 1 / std::sqrt(1 + t * t), s = t * c;
      rotate(A.col(i), A.col(j), c, s);
      rotate(A.row(i), A.row(j), c, s);
      rotate(basis.col(i), basis.col(j), c, s);
    }
  }
}

}  // namespace

Descent::Descent(Index rows, Index columns)
    : left_{MatrixXd::Zero(rows, rows), MatrixXd::Identity(rows, rows)},
      right_{MatrixXd::Zero(columns, columns), MatrixXd::Identity(columns, columns)},
      mean_(MatrixXd::Zero(rows, columns)),
      square_(mean_) {}

const MatrixXd& Descent::step(const MatrixXd& G) {
  const bool turn = count_ % kTurnEvery == 0;
  if (G.rows() > 1) {  // a single row has nothing to be turned against
    left_.mean = kDecay2 * left_.mean + (1 - kDecay2) * product(G, G.transpose());
    if (turn) turn_towards_eigenvectors(left_.mean, left_.basis);
  }
  right_.mean = kDecay2 * right_.mean + (1 - kDecay2) * product(G.transpose(), G);
  if (turn) turn_towards_eigenvectors(right_.mean, right_.basis);
  ++count_;
  mean_ = kDecay1 * mean_ + (1 - kDecay1) * G;
  rotated_ = in_bases(left_.basis, G, right_.basis);
  square_ = kDecay2 * square_ + (1 - kDecay2) * rotated_.cwiseAbs2();
  step_ = in_bases(left_.basis, mean_, right_.basis);
  const double bias1 = 1 - std::pow(kDecay1, count_), bias2 = 1 - std::pow(kDecay2, count_);
  for (Index i = 0; i < step_.size(); ++i) {  // Eigen's roots are not all the same
    step_(i) /= bias1 * (std::sqrt(square_(i) / bias2) + 1e-12);
  }
  step_ = product(product(left_.basis, step_), right_.basis.transpose());
  return step_;
}

}  // namespace stiction
