#include "geometry/sdf/surface_clusters.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace stiction {

int cluster_level(const SurfaceTree& tree, const std::vector<NearFace>& faces, double margin) {
  // Two faces are in different patches from the level on where their leaves' numbers differ.
  std::array<int, 64> more{};  // patches that a level has more than the one above
  int last = -1;
  for (const NearFace& near : faces) {
    if (near.least >= margin) continue;
    const auto differs = static_cast<unsigned>(last < 0 ? 1 << tree.levels : near.leaf ^ last);
    if (differs != 0) ++more[tree.levels + 1 - std::bit_width(differs)];
    last = near.leaf;
  }
  int level = 0;
  for (int count = more[0]; level < tree.levels; ++level) {
    count += more[level + 1];
    if (count + 6 > kMaxSurfaceContacts) break;
  }
  return level;
}

void mark_extremes(const SurfaceTree& tree, double margin, std::vector<NearFace>& faces) {
  std::array<NearFace*, 3> lowest{}, highest{};
  Eigen::Array3d low = Eigen::Array3d::Constant(std::numeric_limits<double>::infinity());
  Eigen::Array3d high = -low;
  for (NearFace& near : faces) {
    if (near.least >= margin) continue;
    const Eigen::Vector3d& p = tree.vertices[tree.faces[near.face][0]];
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] < low[axis]) {
        low[axis] = p[axis];
        lowest[axis] = &near;
      }
      if (p[axis] > high[axis]) {
        high[axis] = p[axis];
        highest[axis] = &near;
      }
    }
  }
  if (!lowest[0]) return;
  for (int axis = 0; axis < 3; ++axis) lowest[axis]->searched = highest[axis]->searched = true;
}

void keep_clusters(const SurfaceTree& tree, int level, const Frame& X_WB,
                   const std::vector<SurfaceContact>& found, Contacts& contacts) {
  if (found.empty()) return;
  std::array<const SurfaceContact*, 6> extremes;
  for (int axis = 0; axis < 3; ++axis) {
    const auto less = [&, a = X_WB.R.col(axis)](const auto& x, const auto& y) {
      return a.dot(x.contact.p - y.contact.p) < y.lead - x.lead;  // among equals the lead decides
    };
    const auto [low, high] = std::minmax_element(found.begin(), found.end(), less);
    extremes[2 * axis] = &*low;
    extremes[2 * axis + 1] = &*high;
  }
  const auto is_extreme = [&](const SurfaceContact& c) {
    return std::find(extremes.begin(), extremes.end(), &c) != extremes.end();
  };
  const auto patch = [&](const SurfaceContact& c) { return c.leaf >> (tree.levels - level); };
  for (auto begin = found.begin(), end = begin; begin != found.end(); begin = end) {
    end = std::find_if(begin, found.end(),
                       [&](const SurfaceContact& c) { return patch(c) != patch(*begin); });
    const auto deepest = std::min_element(
        begin, end, [](const auto& x, const auto& y) { return x.rank() < y.rank(); });
    // An extreme that is as deep stands for its patch: whether it is kept is not left to rounding.
    const auto stands_for = [&](const SurfaceContact& c) {
      return is_extreme(c) && c.contact.gap < deepest->contact.gap + 1e-4 * tree.sizes[c.face];
    };
    const auto extreme = std::find_if(begin, end, stands_for);
    const auto first = extreme != end ? extreme : deepest;
    for (auto it = begin; it != end; ++it) {
      if (it == first) {
        contacts.push_back(it->contact);
        contacts.back().feature =
            0x80000000u | static_cast<std::uint32_t>((1 << level) - 1 + patch(*it));
      } else if (is_extreme(*it)) {
        contacts.push_back(it->contact);
      }
    }
  }
}

}  // namespace stiction
