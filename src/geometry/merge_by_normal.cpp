#include <algorithm>

#include "geometry/pairs.h"

namespace stiction {
namespace {

// Cosine of the angle between normals of one manifold.
constexpr double kSameManifold = 0.9995;
// What is fast comes near many faces at once, and touches few of them.
constexpr std::ptrdiff_t kMostOnSurface = 4 * kMaxManifold;

}  // namespace

void merge_by_normal(const Contacts& found, double margin, Contacts& contacts) {
  static thread_local std::vector<char> used;
  used.assign(found.size(), 0);
  const size_t begin = contacts.size();
  for (size_t k = 0; k < found.size(); ++k) {
    if (used[k]) continue;
    const size_t first = contacts.size();
    for (size_t j = k; j < found.size(); ++j) {
      if (used[j] || found[j].n.dot(found[k].n) < kSameManifold) continue;
      used[j] = 1;
      contacts.push_back(found[j]);
    }
    keep_spanning(contacts, first, margin, kMaxManifold);
  }
  const auto all = contacts.begin() + static_cast<std::ptrdiff_t>(begin);
  if (contacts.end() - all <= kMostOnSurface) return;
  std::nth_element(all, all + kMostOnSurface, contacts.end(),
                   [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
  contacts.erase(all + kMostOnSurface, contacts.end());
}

}  // namespace stiction
