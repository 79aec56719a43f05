// A distance field at many points, a block of them at a time.
#pragma once

#include <algorithm>
#include <array>

#include "geometry/sdf/surface_pair.h"

namespace stiction {

/// A point of B in A's frame, and A's distance there.
struct Sample {
  Eigen::Vector3d x;
  double value = 0;
  Eigen::Vector3d gradient;
};

/// Takes samples as points come, a block at a time, and hands each to `take(index, sample)`.
template <class Take>
class BlockSampler {
 public:
  BlockSampler(const SurfacePair& pair, const Take& take)
      : a_(pair.a), R_AB_(pair.R_AB), p_AB_(pair.p_AB), take_(take) {}

  void add(int index, const Eigen::Vector3d& p_B) {
    block_.x[count_] = p_B.x();
    block_.y[count_] = p_B.y();
    block_.z[count_] = p_B.z();
    indices_[count_] = index;
    if (++count_ == kSize) evaluate();
  }
  /// Those that are left.
  void finish() {
    if (count_ == 0) return;
    for (DistanceBlock::Row* row : {&block_.x, &block_.y, &block_.z}) {
      std::fill(row->begin() + count_, row->end(), (*row)[0]);
    }
    evaluate();
  }

 private:
  static constexpr int kSize = DistanceBlock::kSize;

  void evaluate() {
    DistanceBlock& b = block_;
    for (int k = 0; k < kSize; ++k) {
      const double x = b.x[k], y = b.y[k], z = b.z[k];
      b.x[k] = R_AB_(0, 0) * x + R_AB_(0, 1) * y + R_AB_(0, 2) * z + p_AB_[0];
      b.y[k] = R_AB_(1, 0) * x + R_AB_(1, 1) * y + R_AB_(1, 2) * z + p_AB_[1];
      b.z[k] = R_AB_(2, 0) * x + R_AB_(2, 1) * y + R_AB_(2, 2) * z + p_AB_[2];
    }
    if (a_.distances) (*a_.distances)(b);
    for (int k = 0; k < count_; ++k) {
      Sample sample{
          {b.x[k], b.y[k], b.z[k]}, b.distance[k], {b.grad_x[k], b.grad_y[k], b.grad_z[k]}};
      if (!a_.distances) sample.value = a_.distance(sample.x, sample.gradient);
      take_(indices_[k], sample);
    }
    count_ = 0;
  }

  const Field& a_;
  const Eigen::Matrix3d R_AB_;
  const Eigen::Vector3d p_AB_;
  const Take& take_;
  int count_ = 0;
  DistanceBlock block_{};
  std::array<int, kSize> indices_;
};

}  // namespace stiction
