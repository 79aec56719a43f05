#include "linalg/block_factor.h"

#include <algorithm>
#include <cmath>

#include "linalg/front_kernels.h"

namespace stiction {

BlockFactor::BlockFactor(BlockPattern pattern)
    : pattern_(std::move(pattern)),
      values_(Eigen::VectorXd::Zero(pattern_.value_count())),
      pivots_(pattern_.size()) {
  int largest = 0;
  for (const Front& front : pattern_.fronts()) largest = std::max(largest, front.size);
  reached_ = Eigen::VectorXd::Zero(largest);
}

bool BlockFactor::factorize(Factorization kind) {
  kind_ = kind;
  for (const Front& front : pattern_.fronts()) {
    double* F = values_.data() + front.offset;
    const bool ok = kind == Factorization::kLu
                        ? eliminate_lu(front.size, front.width, F, pivots_.data() + front.begin)
                        : eliminate_cholesky(front.size, front.width, F);
    if (!ok) return false;
    if (front.parent >= 0) add_update_to_parent(front, kind);
  }
  return true;
}

void BlockFactor::add_update_to_parent(const Front& front, Factorization kind) {
  const Front& parent = pattern_.fronts()[front.parent];
  const double* update = values_.data() + front.offset +
                         static_cast<ptrdiff_t>(front.size) * front.width + front.width;
  double* P = values_.data() + parent.offset;
  const RowRun* runs = pattern_.runs().data();
  for (int c = front.runs_begin; c < front.runs_end; ++c) {
    for (int k = 0; k < runs[c].count; ++k) {
      const double* from = update + static_cast<ptrdiff_t>(front.size) * (runs[c].row + k);
      double* to = P + static_cast<ptrdiff_t>(parent.size) * (runs[c].parent + k);
      // Cholesky reads no more than the lower part; whole runs are simpler and as fast.
      for (int r = kind == Factorization::kLu ? front.runs_begin : c; r < front.runs_end; ++r) {
        const double* x = from + runs[r].row;
        double* y = to + runs[r].parent;
        for (int i = 0; i < runs[r].count; ++i) y[i] += x[i];
      }
    }
  }
}

void BlockFactor::solve_in_place(Eigen::VectorXd& x) {
  if (kind_ == Factorization::kLu) {
    solve_lu(x);
  } else {
    solve_cholesky(x);
  }
}

void BlockFactor::solve_lu(Eigen::VectorXd& x) {
  for (const Front& front : pattern_.fronts()) {  // L y = P x
    const double* F = values_.data() + front.offset;
    const int* rows = pattern_.rows().data() + front.rows_begin;
    double* y = x.data() + front.begin;
    const int reach = front.size - front.width;
    for (int j = 0; j < front.width; ++j) std::swap(y[j], y[pivots_[front.begin + j]]);
    for (int i = 0; i < reach; ++i) reached_[i] = x[rows[i]];
    for (int j = 0; j < front.width; ++j) {
      const double* Fj = F + static_cast<ptrdiff_t>(front.size) * j;
      const double yj = y[j];
      for (int i = j + 1; i < front.width; ++i) y[i] -= Fj[i] * yj;
      for (int i = 0; i < reach; ++i) reached_[i] -= Fj[front.width + i] * yj;
    }
    for (int i = 0; i < reach; ++i) x[rows[i]] = reached_[i];
  }
  for (auto f = pattern_.fronts().rbegin(); f != pattern_.fronts().rend(); ++f) {  // U x = y
    const Front& front = *f;
    const double* F = values_.data() + front.offset;
    const int* rows = pattern_.rows().data() + front.rows_begin;
    double* y = x.data() + front.begin;
    for (int j = front.size - 1; j >= front.width; --j) {
      const double* Fj = F + static_cast<ptrdiff_t>(front.size) * j;
      const double xj = x[rows[j - front.width]];
      for (int i = 0; i < front.width; ++i) y[i] -= Fj[i] * xj;
    }
    for (int j = front.width - 1; j >= 0; --j) {
      const double* Fj = F + static_cast<ptrdiff_t>(front.size) * j;
      y[j] /= Fj[j];
      const double yj = y[j];
      for (int i = 0; i < j; ++i) y[i] -= Fj[i] * yj;
    }
  }
}

void BlockFactor::solve_cholesky(Eigen::VectorXd& x) {
  for (const Front& front : pattern_.fronts()) {  // L y = x
    const double* F = values_.data() + front.offset;
    const int* rows = pattern_.rows().data() + front.rows_begin;
    double* y = x.data() + front.begin;
    const int reach = front.size - front.width;
    for (int i = 0; i < reach; ++i) reached_[i] = x[rows[i]];
    for (int j = 0; j < front.width; ++j) {
      const double* Fj = F + static_cast<ptrdiff_t>(front.size) * j;
      y[j] /= Fj[j];
      const double yj = y[j];
      for (int i = j + 1; i < front.width; ++i) y[i] -= Fj[i] * yj;
      for (int i = 0; i < reach; ++i) reached_[i] -= Fj[front.width + i] * yj;
    }
    for (int i = 0; i < reach; ++i) x[rows[i]] = reached_[i];
  }
  for (auto f = pattern_.fronts().rbegin(); f != pattern_.fronts().rend(); ++f) {  // L^T x = y
    const Front& front = *f;
    const double* F = values_.data() + front.offset;
    const int* rows = pattern_.rows().data() + front.rows_begin;
    double* y = x.data() + front.begin;
    const int reach = front.size - front.width;
    for (int i = 0; i < reach; ++i) reached_[i] = x[rows[i]];
    for (int j = front.width - 1; j >= 0; --j) {
      const double* Fj = F + static_cast<ptrdiff_t>(front.size) * j;
      double sum = y[j];
      for (int i = j + 1; i < front.width; ++i) sum -= Fj[i] * y[i];
      for (int i = 0; i < reach; ++i) sum -= Fj[front.width + i] * reached_[i];
      y[j] = sum / Fj[j];
    }
  }
}

}  // namespace stiction
