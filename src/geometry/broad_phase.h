// Sweep and prune: boxes sorted along x, the order kept from step to step, so that a scene that
// moves little costs little. No allocation once the buffers have grown.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace stiction {

/// An axis-aligned box; infinite ones are allowed.
struct Bounds {
  Eigen::Vector3d lower = Eigen::Vector3d::Zero();
  Eigen::Vector3d upper = Eigen::Vector3d::Zero();
};

inline bool overlap(const Bounds& a, const Bounds& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

class BroadPhase {
 public:
  /// Pairs (i < j) of overlapping boxes, sorted.
  const std::vector<std::pair<int, int>>& update(const std::vector<Bounds>& bounds);

 private:
  std::vector<int> order_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace stiction
