#include "geometry/broad_phase.h"

#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

using Eigen::Vector3d;

// The axis along which the boxes' centres vary most.
int widest_axis(const std::vector<Bounds>& bounds) {
  Vector3d sum = Vector3d::Zero();
  Vector3d squares = Vector3d::Zero();
  for (const Bounds& box : bounds) {
    const Vector3d center = box.lower + box.upper;
    sum += center;
    squares += center.cwiseAbs2();
  }
  int axis;
  (squares - sum.cwiseAbs2() / static_cast<double>(bounds.size())).maxCoeff(&axis);
  return axis;
}

}  // namespace

void BroadPhase::sort(const std::vector<Bounds>& bounds) {
  const int axis = widest_axis(bounds);
  const auto before = [&](int i, int j) { return bounds[i].lower[axis] < bounds[j].lower[axis]; };
  if (order_.size() != bounds.size() || axis != axis_) {
    axis_ = axis;
    order_.resize(bounds.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), before);
    return;
  }
  // Insertion sort: linear when the order hardly changes.
  for (size_t k = 1; k < order_.size(); ++k) {
    const int moving = order_[k];
    size_t at = k;
    for (; at > 0 && before(moving, order_[at - 1]); --at) order_[at] = order_[at - 1];
    order_[at] = moving;
  }
}

const std::vector<std::pair<int, int>>& BroadPhase::update(const std::vector<Bounds>& bounds) {
  pairs_.clear();
  if (bounds.empty()) return pairs_;
  sort(bounds);
  sorted_.clear();
  for (const int k : order_) sorted_.push_back(bounds[k]);
  const int y = (axis_ + 1) % 3;
  const int z = (axis_ + 2) % 3;
  const size_t count = sorted_.size();
  size_t found = 0;
  for (size_t k = 0; k < count; ++k) {
    const Bounds first = sorted_[k];
    const double end = first.upper[axis_];
    // Every candidate is written down, and stays if it overlaps: cheaper than a jump.
    if (pairs_.size() < found + count) pairs_.resize(2 * (found + count));
    for (size_t m = k + 1; m < count && sorted_[m].lower[axis_] <= end; ++m) {
      pairs_[found] = {order_[k], order_[m]};
      found += int(overlap(first, sorted_[m], y)) & int(overlap(first, sorted_[m], z));
    }
  }
  pairs_.resize(found);
  return pairs_;
}

}  // namespace stiction
