// Anderson acceleration of a fixed-point iteration x <- G(x), type II with memory m: of all
// combinations of the last images, the one whose residual f = G(x) - x is smallest,
//
//   x_next = G(x_k) - sum_j c_j (G_j+1 - G_j),   c = argmin |f_k - sum_j c_j (f_j+1 - f_j)|.
//
// Safeguard: when |f| has grown beyond twice the smallest so far, memory is dropped and the caller
// continues from the best point known, plainly for a while.
#pragma once

#include <Eigen/Core>

namespace stiction {

class Anderson {
 public:
  Anderson(int size, int memory);  ///< memory 1 .. 16

  /// In: x and its image G(x). Out: where to go next, in `image`. No allocation.
  void accelerate(const Eigen::VectorXd& x, Eigen::VectorXd& image);
  /// Forgets everything, as after a change of G.
  void reset();

 private:
  int memory_;
  int count_ = 0;
  int next_ = 0;
  double best_ = 0;
  int pause_;                ///< plain iterations after the next failure
  int pause_left_ = 0;       ///< of the current pause
  Eigen::MatrixXd dF_, dG_;  ///< differences of residuals and of images, one per column
  Eigen::MatrixXd gram_;     ///< dF^T dF
  Eigen::VectorXd f_, f_prev_, image_prev_, best_image_;
};

}  // namespace stiction
