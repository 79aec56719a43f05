#include "geometry/broad_phase.h"

#include <algorithm>
#include <numeric>

namespace stiction {

const std::vector<std::pair<int, int>>& BroadPhase::update(const std::vector<Bounds>& bounds) {
  if (order_.size() != bounds.size()) {
    order_.resize(bounds.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int i, int j) { return bounds[i].lower[0] < bounds[j].lower[0]; });
  }
  // Insertion sort: linear when the order hardly changes.
  for (size_t k = 1; k < order_.size(); ++k) {
    const int moving = order_[k];
    size_t at = k;
    for (; at > 0 && bounds[order_[at - 1]].lower[0] > bounds[moving].lower[0]; --at) {
      order_[at] = order_[at - 1];
    }
    order_[at] = moving;
  }
  pairs_.clear();
  for (size_t k = 0; k < order_.size(); ++k) {
    const Bounds& first = bounds[order_[k]];
    for (size_t m = k + 1; m < order_.size(); ++m) {
      const Bounds& second = bounds[order_[m]];
      if (second.lower[0] > first.upper[0]) break;
      if (overlap(first, second)) pairs_.push_back(std::minmax(order_[k], order_[m]));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace stiction
