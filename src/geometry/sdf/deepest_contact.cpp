#include "geometry/sdf/deepest_contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/sdf/deepest_point.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr std::uint32_t kDeepestFeature = kProbeFeature - 1;
}  // namespace

// Of several normals on either side, the two that are most opposite count, the first among equals.
void add_deepest(const SurfacePair& pair, const Vector3d& start, Contacts& contacts) {
  const auto sum = [&](const Vector3d& y) {
    Vector3d gradient;
    return pair.sum_of_distances(y, gradient);
  };
  const Vector3d x = least_point(sum, start, 0.1 * pair.tree.radius);
  if (!(sum(x) < 0)) return;
  constexpr int kAround = 14;  // axes and diagonals
  std::array<Vector3d, kAround> of_a, of_b;
  for (int k = 0; k < kAround; ++k) {
    const Vector3d d = k < 6 ? Vector3d((k % 2 ? -1 : 1) * Vector3d::Unit(k / 2))
                             : Vector3d(k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1);
    const Vector3d y = x + 1e-6 * pair.tree.radius * d;
    pair.distance_of_a(y, of_a[k]);
    pair.distance_of_b(y, of_b[k]);
  }
  int at_a = 0, at_b = 0;
  for (int i = 0; i < kAround; ++i) {
    for (int j = 0; j < kAround; ++j) {
      if (of_a[i].dot(of_b[j]) < of_a[at_a].dot(of_b[at_b]) - 1e-6) {
        at_a = i;
        at_b = j;
      }
    }
  }
  Vector3d gradient;
  const Vector3d end_b = x - pair.distance_of_b(x, gradient) * of_b[at_b];
  const Vector3d end_a = x - pair.distance_of_a(x, gradient) * of_a[at_a];
  const Vector3d n = (of_a[at_a] - of_b[at_b]).normalized();
  const auto& [R, origin] = pair.a.X_WA;
  contacts.push_back({R * ((end_a + end_b) / 2) + origin, R * n, sum(x), kDeepestFeature});
}

}  // namespace stiction
