// Descent on noisy slopes of a matrix of weights: Adam's method in the basis in which the slopes
// are least correlated, the eigenvectors of the means of G G' and G' G (Vyas et al., "SOAP:
// Improving and stabilizing Shampoo using Adam", 2024).
#pragma once

#include <Eigen/Core>

namespace stiction {

class Descent {
 public:
  Descent(Eigen::Index rows, Eigen::Index columns);

  /// What to subtract from the weights, times the rate, when G is the slope there. Entries are of
  /// unit size in the basis.
  const Eigen::MatrixXd& step(const Eigen::MatrixXd& G);

 private:
  /// A side of the matrix: the mean of its correlations, and the basis.
  struct Side {
    Eigen::MatrixXd mean, basis;
  };

  int count_ = 0;
  Side left_, right_;
  Eigen::MatrixXd mean_;     ///< of G
  Eigen::MatrixXd square_;   ///< mean of the squares of G in the basis
  Eigen::MatrixXd rotated_;  ///< G in the basis
  Eigen::MatrixXd step_;
};

}  // namespace stiction
