#include "linalg/anderson.h"

#include <algorithm>
#include <cmath>

#include "math/lanes.h"

namespace stiction {
namespace {

constexpr double kGrowth = 2;
// Relative to the largest entry of the Gram matrix.
constexpr double kRegularization = 1e-10;
// Plain iterations after the first failure; twice as many after each further one.
constexpr int kFirstPause = 8;

// c <- M^-1 c by L D L^T, M of the given size and overwritten by L. False if M is not positive
// definite.
bool solve_in_place(double M[][AndersonFit::kMostMemory], int size, double* c) {
  for (int k = 0; k < size; ++k) {
    if (!(M[k][k] > 0)) return false;
    const double over_d = 1 / M[k][k];
    for (int i = k + 1; i < size; ++i) {
      const double l = M[i][k] * over_d;
      for (int j = k + 1; j <= i; ++j) M[i][j] -= l * M[j][k];
      c[i] -= l * c[k];
    }
    for (int i = k + 1; i < size; ++i) M[i][k] *= over_d;
    c[k] *= over_d;
  }
  for (int k = size - 1; k >= 0; --k) {
    for (int i = k + 1; i < size; ++i) c[k] -= M[i][k] * c[i];
  }
  return true;
}

// a^T c and b^T c in one pass; two sums of each, so that additions need not wait for each other.
void two_dots(const double* a, const double* b, const double* c, long size, double& ac,
              double& bc) {
  Lanes sum_ac[2] = {};
  Lanes sum_bc[2] = {};
  long k = 0;
  for (; k + 2 * kLanes <= size; k += 2 * kLanes) {
    for (int part = 0; part < 2; ++part) {
      const Lanes c_k = load_lanes(c + k + kLanes * part);
      sum_ac[part] += load_lanes(a + k + kLanes * part) * c_k;
      sum_bc[part] += load_lanes(b + k + kLanes * part) * c_k;
    }
  }
  if (k + kLanes <= size) {
    sum_ac[0] += load_lanes(a + k) * load_lanes(c + k);
    sum_bc[0] += load_lanes(b + k) * load_lanes(c + k);
    k += kLanes;
  }
  ac = sum_of(sum_ac[0] + sum_ac[1]);
  bc = sum_of(sum_bc[0] + sum_bc[1]);
  for (; k < size; ++k) {
    ac += a[k] * c[k];
    bc += b[k] * c[k];
  }
}

}  // namespace

double ordered_dot(const double* a, const double* b, long size) {
  Lanes sum[2] = {};
  long k = 0;
  for (; k + 2 * kLanes <= size; k += 2 * kLanes) {
    for (int part = 0; part < 2; ++part) {
      sum[part] += load_lanes(a + k + kLanes * part) * load_lanes(b + k + kLanes * part);
    }
  }
  if (k + kLanes <= size) {
    sum[0] += load_lanes(a + k) * load_lanes(b + k);
    k += kLanes;
  }
  double total = sum_of(sum[0] + sum[1]);
  for (; k < size; ++k) total += a[k] * b[k];
  return total;
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
      two_dots(dF_.col(newest_).data(), f.data(), dF_.col(j).data(), size, gram_[newest_][j],
               c_[j]);
      gram_[j][newest_] = gram_[newest_][j];
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
  }
  if (solve_in_place(M, count_, c_)) return true;
  forget();
  return false;
}

void AndersonFit::subtract_from(Eigen::VectorXd& x, const Eigen::MatrixXd& differences) const {
  constexpr int kParts = 4;
  const long size = x.size();
  const double* const D = differences.data();
  long k = 0;
  for (; k + kParts * kLanes <= size; k += kParts * kLanes) {
    Lanes sum[kParts];
    for (int part = 0; part < kParts; ++part) sum[part] = load_lanes(&x[k + kLanes * part]);
    for (int j = 0; j < count_; ++j) {
      for (int part = 0; part < kParts; ++part) {
        sum[part] -= c_[j] * load_lanes(D + size * j + k + kLanes * part);
      }
    }
    for (int part = 0; part < kParts; ++part) store_lanes(sum[part], &x[k + kLanes * part]);
  }
  for (; k + kLanes <= size; k += kLanes) {
    Lanes sum = load_lanes(&x[k]);
    for (int j = 0; j < count_; ++j) sum -= c_[j] * load_lanes(D + size * j + k);
    store_lanes(sum, &x[k]);
  }
  for (; k < size; ++k) {
    for (int j = 0; j < count_; ++j) x[k] -= c_[j] * D[size * j + k];
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
