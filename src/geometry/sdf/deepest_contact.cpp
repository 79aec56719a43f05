#include "geometry/sdf/deepest_contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/sdf/deepest_point.h"
#include "geometry/sdf/face_search.h"
#include "geometry/sdf/nearest_pair.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr std::uint32_t kDeepestFeature = kProbeFeature - 1;
constexpr double kFacing = 1 - 1e-6;  // cosine of opposite normals
constexpr int kSettled = 6;     // contacts beside edges that are searched for to the last digit
constexpr double kApart = 0.2;  // of a face's size, between solids that are searched for edges

// The nearest points of A and B, or of the face alone if B is flat there.
bool settle(const SurfacePair& solids, const std::vector<Sample>& vertices, int face,
            NearestPair& pair) {
  const SurfaceTree& tree = solids.tree;
  const double size = tree.sizes[face];
  const auto a = [&](const Vector3d& x, Vector3d& gradient) {
    return solids.distance_of_a(x, gradient);
  };
  if (solids.is_bent(face) || solids.is_round(face)) {
    const auto b = [&](const Vector3d& x, Vector3d& gradient) {
      return solids.distance_of_b(x, gradient);
    };
    const double apart = kApart * size + tree.sag[face] + tree.beyond[face];
    return find_nearest_pair(a, b, apart, 2 * size, pair);
  }
  const Eigen::Vector3i& ids = tree.faces[face];
  const Vector3d &p = vertices[ids[0]].x, &q = vertices[ids[1]].x, &r = vertices[ids[2]].x;
  const auto b = [&](const Vector3d& x, Vector3d& gradient) {
    const Vector3d w = nearest_weights(p, q, r, x);
    gradient = x - w[0] * p - w[1] * q - w[2] * r;
    const double d = gradient.norm();
    gradient /= d;
    return d;
  };
  return find_nearest_pair(a, b, kApart * size, 2 * size, pair);
}

}  // namespace

void settle_deepest(const SurfacePair& solids, const std::vector<Sample>& vertices,
                    std::vector<SurfaceContact>& found) {
  const SurfaceTree& tree = solids.tree;
  double deepest = 0.1 * tree.radius;
  for (const SurfaceContact& one : found) deepest = std::min(deepest, one.contact.gap);
  int left = kSettled;
  for (SurfaceContact& one : found) {
    const double size = tree.sizes[one.face];
    ContactPoint& c = one.contact;
    const bool stopped = one.facing > -kFacing && c.gap <= deepest + 1e-9 * size;
    if (!one.sharp && !one.chord && !stopped) continue;
    const double unsure = 0.01 * size + (solids.is_round(one.face) ? tree.beyond[one.face] : 0);
    if (c.gap > deepest + unsure || c.gap < -0.1 * size || left == 0) continue;
    --left;
    const auto& [R, origin] = solids.a.X_WA;
    NearestPair pair{R.transpose() * (c.p + 0.5 * c.gap * c.n - origin), R.transpose() * c.n,
                     c.gap};
    if (!settle(solids, vertices, one.face, pair)) continue;
    // Contacts that are as deep as that already stay where they are.
    const double change = pair.gap - c.gap;
    if (one.sharp ? std::abs(change) < 5e-7 * size : change > -1e-6 * size) continue;
    c.gap = pair.gap;
    c.n = R * pair.n;
    c.p = R * (pair.b - 0.5 * pair.gap * pair.n) + origin;
  }
}

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
