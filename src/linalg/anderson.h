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

/// The coefficients c, from the residuals alone: for iterations that have their own safeguards, or
/// more to combine than x. Nothing is allocated after construction.
class AndersonFit {
 public:
  static constexpr int kMostMemory = 16;

  AndersonFit(int size, int memory);  ///< memory 1 .. kMostMemory

  /// Takes in the residual of the newest image. False if nothing can be combined yet.
  bool add(const Eigen::VectorXd& f);
  /// As if nothing had been added.
  void forget();
  /// The column for the newest image minus the one before it; -1 if that was forgotten.
  int newest() const { return newest_; }
  /// x -= sum_j c_j (column j of `differences`).
  void subtract_from(Eigen::VectorXd& x, const Eigen::MatrixXd& differences) const;

 private:
  int memory_;
  int count_ = 0;
  int next_ = 0;
  int newest_ = -1;
  bool has_previous_ = false;
  Eigen::MatrixXd dF_;                       ///< differences of residuals, one per column
  double gram_[kMostMemory][kMostMemory]{};  ///< dF^T dF
  double c_[kMostMemory]{};
  Eigen::VectorXd f_prev_;
};

class Anderson {
 public:
  Anderson(int size, int memory);  ///< memory 1 .. 16

  /// In: x and its image G(x). Out: where to go next, in `image`. No allocation.
  void accelerate(const Eigen::VectorXd& x, Eigen::VectorXd& image);
  /// Forgets everything, as after a change of G.
  void reset();

 private:
  AndersonFit fit_;
  double best_ = 0;
  int pause_;           ///< plain iterations after the next failure
  int pause_left_ = 0;  ///< of the current pause
  Eigen::MatrixXd dG_;  ///< differences of images, one per column
  Eigen::VectorXd f_, image_prev_, best_image_;
};

/// Eigen's sums depend on where the vectors lie in memory. This does not: the same bits in every
/// run.
double ordered_dot(const double* a, const double* b, long size);

}  // namespace stiction
