// Sweep and prune: boxes sorted along the axis on which they spread most, the order kept from step
// to step, so that a scene that moves little costs little. No allocation once the buffers have
// grown. The pairs are a function of the boxes alone, whatever came before.
#pragma once

#include <utility>
#include <vector>

#include "geometry/bounds.h"

namespace stiction {

class BroadPhase {
 public:
  /// Pairs of overlapping boxes, in no particular order. The boxes are finite.
  const std::vector<std::pair<int, int>>& update(const std::vector<Bounds>& bounds);

 private:
  void sort(const std::vector<Bounds>& bounds);

  int axis_ = -1;
  std::vector<int> order_;
  std::vector<Bounds> sorted_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace stiction
