#include "linalg/anderson.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr double kGrowth = 2;
// Relative to the largest entry of the Gram matrix.
constexpr double kRegularization = 1e-10;
// Plain iterations after the first failure; twice as many after each further one.
constexpr int kFirstPause = 8;

// c <- M^-1 c by Cholesky, M of the given size and overwritten. False if M is not positive
// definite.
bool solve_in_place(double M[][AndersonFit::kMostMemory], int size, double* c) {
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) {
      for (int k = 0; k < j; ++k) M[i][j] -= M[i][k] * M[j][k];
      if (i == j && !(M[j][j] > 0)) return false;
      M[i][j] = i == j ? std::sqrt(M[j][j]) : M[i][j] / M[j][j];
    }
    for (int k = 0; k < j; ++k) c[j] -= M[j][k] * c[k];
    c[j] /= M[j][j];
  }
  for (int j = size - 1; j >= 0; --j) {
    for (int k = j + 1; k < size; ++k) c[j] -= M[k][j] * c[k];
    c[j] /= M[j][j];
  }
  return true;
}

void subtract_multiple(double c, const double* from, long size, double* to) {
  for (long k = 0; k < size; ++k) to[k] -= c * from[k];
}

}  // namespace

double ordered_dot(const double* a, const double* b, long size) {
  double sum[8] = {};
  long k = 0;
  for (; k + 8 <= size; k += 8) {
    for (int lane = 0; lane < 8; ++lane) sum[lane] += a[k + lane] * b[k + lane];
  }
  for (; k < size; ++k) sum[0] += a[k] * b[k];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

AndersonFit::AndersonFit(int size, int memory)
    : memory_(memory), dF_(size, memory), f_prev_(size) {}

void AndersonFit::forget() {
  count_ = 0;
  next_ = 0;
  newest_ = -1;
  has_previous_ = false;
}

bool AndersonFit::add(const Eigen::VectorXd& f) {
  const long size = f.size();
  if (has_previous_) {
    newest_ = next_;
    next_ = (next_ + 1) % memory_;
    count_ = std::min(count_ + 1, memory_);
    dF_.col(newest_) = f - f_prev_;
    for (int j = 0; j < count_; ++j) {
      gram_[newest_][j] = gram_[j][newest_] =
          ordered_dot(dF_.col(newest_).data(), dF_.col(j).data(), size);
    }
  }
  f_prev_ = f;
  has_previous_ = true;
  if (count_ == 0) return false;
  double M[kMostMemory][kMostMemory];  // dF^T dF + r I
  double largest = 0;
  for (int j = 0; j < count_; ++j) largest = std::max(largest, gram_[j][j]);
  for (int j = 0; j < count_; ++j) {
    for (int k = 0; k <= j; ++k) M[j][k] = gram_[j][k];
    M[j][j] += kRegularization * largest;
    c_[j] = ordered_dot(dF_.col(j).data(), f.data(), size);
  }
  if (solve_in_place(M, count_, c_)) return true;
  forget();
  return false;
}

void AndersonFit::subtract_from(Eigen::VectorXd& x, const Eigen::MatrixXd& differences) const {
  for (int j = 0; j < count_; ++j) {
    subtract_multiple(c_[j], differences.col(j).data(), x.size(), x.data());
  }
}

Anderson::Anderson(int size, int memory)
    : fit_(size, memory),
      pause_(kFirstPause),
      dG_(size, memory),
      f_(size),
      image_prev_(size),
      best_image_(size) {}

void Anderson::reset() {
  fit_.forget();
  best_ = 0;
}

void Anderson::accelerate(const Eigen::VectorXd& x, Eigen::VectorXd& image) {
  f_ = image - x;
  if (pause_left_ > 0) {
    --pause_left_;
    return;
  }
  const double norm = std::sqrt(ordered_dot(f_.data(), f_.data(), f_.size()));
  const bool first = best_ == 0;
  if (!first && !(norm <= kGrowth * best_)) {
    image = best_image_;
    reset();
    pause_left_ = pause_;
    pause_ *= 2;
    return;
  }
  if (first || norm < best_) {
    best_ = norm;
    best_image_ = image;
  }
  const bool combines = fit_.add(f_);
  if (fit_.newest() >= 0) dG_.col(fit_.newest()) = image - image_prev_;
  image_prev_ = image;
  if (combines) fit_.subtract_from(image, dG_);
}

}  // namespace stiction
