// Broad phase: pairs of geoms that may touch within the step, through clusters and groups, and past
// MJCF's filters.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "sim/detect.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Every pair of groups within a cluster is looked at in every step.
constexpr int kClusterSize = 16;

Bounds bounds_of_both(const Bounds& a, const Bounds& b) {
  return {a.lower.cwiseMin(b.lower), a.upper.cwiseMax(b.upper)};
}

Bounds bounds_of_all(const std::vector<Bounds>& bounds, int begin, int end) {
  Bounds all = bounds[begin];
  for (int i = begin + 1; i < end; ++i) all = bounds_of_both(all, bounds[i]);
  return all;
}

// Whether a box is out of a plane's reach.
struct Above {
  Vector3d n;
  double level;
  Above(const Frame& X_WP, double margin, double way)
      : n(X_WP.R.col(2)), level(n.dot(X_WP.p) + margin + way) {}
  bool operator()(const Bounds& box) const {
    const Vector3d lowest = (n.array() > 0).select(box.lower, box.upper);
    return n.dot(lowest) > level;
  }
};

}  // namespace

// Groups come in the order of the movers, so that those of a tree, and of its branches, mostly
// follow each other.
void ContactDetector::make_clusters(size_t movable) {
  std::vector<int> root(structure_.model_body.size());
  for (size_t m = 0; m < root.size(); ++m) {
    const int parent = structure_.weld_parent[structure_.model_body[m]];
    root[m] = parent < 0 ? static_cast<int>(m) : root[parent];
  }
  for (size_t k = 0; k < groups_.size(); ++k) {
    const int index = static_cast<int>(k);
    if (k > 0 && k < movable && root[groups_[k].mover] == root[groups_[k - 1].mover] &&
        index - clusters_.back().begin < kClusterSize) {
      clusters_.back().end = index + 1;
    } else {
      clusters_.push_back({index, index + 1});
    }
    for (int other = clusters_.back().begin; other < index; ++other) {
      if (moves_together(groups_[other], groups_[k]) && explicit_.empty()) continue;
      cluster_pairs_.push_back({other, index});
    }
  }
  cluster_bounds_.resize(clusters_.size());
}

bool ContactDetector::moves_together(const Group& a, const Group& b) const {
  if (a.mover == b.mover) return true;
  if (!model_.options.filter_parent_enabled) return false;
  // Parent and child, unless the parent is the world.
  return (a.mover >= 0 && b.parent == a.mover) || (b.mover >= 0 && a.parent == b.mover);
}

bool ContactDetector::filtered(const Placed& a, const Placed& b) const {
  if (!(a.contype & b.conaffinity) && !(b.contype & a.conaffinity)) return true;
  return !excluded_.empty() && excluded_.count(std::minmax(a.body, b.body)) > 0;
}

void ContactDetector::add_pair(int i, int j, bool together) {
  const int geom1 = placed_[i].geom;
  const int geom2 = placed_[j].geom;
  const bool off = together || filtered(placed_[i], placed_[j]);
  if (off && !explicit_.count(std::minmax(geom1, geom2))) return;
  if (geom1 > geom2) std::swap(i, j);
  const auto low = static_cast<std::uint64_t>(std::min(geom1, geom2));
  const auto high = static_cast<std::uint64_t>(std::max(geom1, geom2));
  found_pairs_.push_back({low << 32 | high, i, j, {}});
}

void ContactDetector::find_pairs_of_groups(int k, int m) {
  const Group& a = groups_[k];
  const Group& b = groups_[m];
  const bool together = moves_together(a, b);
  if (together && explicit_.empty()) return;
  for (int i = a.begin; i < a.end; ++i) {
    if (!overlap(bounds_[i], group_bounds_[m])) continue;
    for (int j = b.begin; j < b.end; ++j) {
      if (overlap(bounds_[i], bounds_[j])) add_pair(i, j, together);
    }
  }
}

void ContactDetector::find_pairs() {
  for (const auto& [k, m] : cluster_pairs_) {
    if (overlap(group_bounds_[k], group_bounds_[m])) find_pairs_of_groups(k, m);
  }
  for (const auto& [x, y] : broad_phase_.update(cluster_bounds_)) {
    const Cluster& a = clusters_[x];
    const Cluster& b = clusters_[y];
    if (a.end - a.begin == 1 && b.end - b.begin == 1) {
      find_pairs_of_groups(a.begin, b.begin);
      continue;
    }
    near_.clear();
    for (int m = b.begin; m < b.end; ++m) {
      if (overlap(group_bounds_[m], cluster_bounds_[x])) near_.push_back(m);
    }
    for (int k = a.begin; k < a.end; ++k) {
      if (!overlap(group_bounds_[k], cluster_bounds_[y])) continue;
      for (const int m : near_) {
        if (overlap(group_bounds_[k], group_bounds_[m])) find_pairs_of_groups(k, m);
      }
    }
  }
}

void ContactDetector::find_pairs_with_planes(double h) {
  for (const Group& plane_group : planes_) {
    const Placed& plane = placed_[plane_group.begin];
    const Above above(plane.X_WG, plane.top_margin,
                      h * std::max(plane.v.norm(), plane.v_next.norm()));
    for (size_t k = 0; k < groups_.size(); ++k) {
      const bool together = moves_together(plane_group, groups_[k]);
      if ((together && explicit_.empty()) || above(group_bounds_[k])) continue;
      for (int i = groups_[k].begin; i < groups_[k].end; ++i) {
        if (!above(bounds_[i])) add_pair(plane_group.begin, i, together);
      }
    }
  }
}

// By counting pairs of each first geom, then by insertion among the few that share it.
void ContactDetector::sort_pairs() {
  pairs_of_.assign(model_.geoms.size() + 1, 0);
  for (const Pair& pair : found_pairs_) ++pairs_of_[(pair.key >> 32) + 1];
  std::partial_sum(pairs_of_.begin(), pairs_of_.end(), pairs_of_.begin());
  pairs_.assign(found_pairs_.size(), {});
  for (const Pair& pair : found_pairs_) {
    const auto first = static_cast<int>(pair.key >> 32);
    int at = pairs_of_[first]++;
    for (; at > 0 && pairs_[at - 1].key >> 32 == pair.key >> 32 && pairs_[at - 1].key > pair.key;
         --at) {
      pairs_[at] = pairs_[at - 1];
    }
    pairs_[at] = pair;
  }
}

// Both lists are sorted: the last step's pairs are found by going through them at once.
void ContactDetector::recall_memories() {
  auto last = previous_pairs_.begin();
  for (Pair& pair : pairs_) {
    while (last != previous_pairs_.end() && last->key < pair.key) ++last;
    if (last == previous_pairs_.end()) return;
    if (last->key == pair.key) pair.memory = last->memory;
  }
}

void ContactDetector::find_all_pairs(double h) {
  for (size_t k = 0; k < groups_.size(); ++k) {
    group_bounds_[k] = bounds_of_all(bounds_, groups_[k].begin, groups_[k].end);
  }
  for (size_t k = 0; k < clusters_.size(); ++k) {
    cluster_bounds_[k] = bounds_of_all(group_bounds_, clusters_[k].begin, clusters_[k].end);
  }
  std::swap(pairs_, previous_pairs_);
  found_pairs_.clear();
  find_pairs();
  find_pairs_with_planes(h);
  sort_pairs();
  recall_memories();
}

// With whatever i, which outruns, may reach; pairs of two that outrun once.
void ContactDetector::find_pairs_of_geom(int i) {
  const int k = placed_[i].group;
  for (size_t x = 0; x < clusters_.size(); ++x) {
    if (!overlap(bounds_[i], cluster_bounds_[x])) continue;
    for (int m = clusters_[x].begin; m < clusters_[x].end; ++m) {
      if (m == k || !overlap(bounds_[i], group_bounds_[m])) continue;
      const bool together = moves_together(groups_[k], groups_[m]);
      if (together && explicit_.empty()) continue;
      for (int j = groups_[m].begin; j < groups_[m].end; ++j) {
        if ((placed_[j].outruns && j < i) || !overlap(bounds_[i], bounds_[j])) continue;
        add_pair(i, j, together);
      }
    }
  }
}

// Boxes have only grown: the pairs that were found stay, with their memories.
void ContactDetector::add_outrun_pairs(double h) {
  for (size_t x = 0; x < clusters_.size(); ++x) {
    for (int k = clusters_[x].begin; k < clusters_[x].end; ++k) {
      if (!outran_[k]) continue;
      group_bounds_[k] = bounds_of_all(bounds_, groups_[k].begin, groups_[k].end);
      cluster_bounds_[x] = bounds_of_both(cluster_bounds_[x], group_bounds_[k]);
    }
  }
  found_pairs_.clear();
  for (size_t k = 0; k < groups_.size(); ++k) {
    if (!outran_[k]) continue;
    for (int i = groups_[k].begin; i < groups_[k].end; ++i) {
      if (placed_[i].outruns) find_pairs_of_geom(i);
    }
  }
  find_pairs_with_planes(h);
  const auto before = [](const Pair& a, const Pair& b) { return a.key < b.key; };
  std::sort(found_pairs_.begin(), found_pairs_.end(), before);
  std::swap(pairs_, previous_pairs_);
  pairs_.clear();
  std::set_union(previous_pairs_.begin(), previous_pairs_.end(), found_pairs_.begin(),
                 found_pairs_.end(), std::back_inserter(pairs_), before);
}

}  // namespace stiction
