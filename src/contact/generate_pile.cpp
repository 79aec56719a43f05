// A heap of spheres in a box: overlaps pushed apart while gravity pulls, until they lie.
#include <algorithm>
#include <cmath>

#include "contact/generate.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kSettlingSweeps = 600;
constexpr int kNeighbourSweeps = 10;  // between two searches for pairs

struct Heap {
  std::vector<Vector3d> p_WC;
  std::vector<double> radius;
  double half_width = 0;

  double gap(int i, int j) const { return (p_WC[i] - p_WC[j]).norm() - radius[i] - radius[j]; }
  // Floor, then the walls -x, +x, -y, +y.
  double wall_gap(int i, int wall) const {
    if (wall == 0) return p_WC[i][2] - radius[i];
    return half_width + wall_normal(wall).dot(p_WC[i]) - radius[i];
  }
  static Vector3d wall_normal(int wall) {
    if (wall == 0) return Vector3d::UnitZ();
    const double sign = wall % 2 == 1 ? 1 : -1;
    return wall <= 2 ? Vector3d(sign, 0, 0) : Vector3d(0, sign, 0);
  }
};

// Pairs closer than `margin`, by a sweep along x.
std::vector<std::pair<int, int>> near_pairs(const Heap& heap, double margin) {
  const int count = static_cast<int>(heap.p_WC.size());
  std::vector<int> order(count);
  for (int i = 0; i < count; ++i) order[i] = i;
  const auto left = [&](int i) { return heap.p_WC[i][0] - heap.radius[i]; };
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return std::pair(left(i), i) < std::pair(left(j), j); });
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < count; ++a) {
    const int i = order[a];
    const double reach = heap.p_WC[i][0] + heap.radius[i] + margin;
    for (int c = a + 1; c < count && left(order[c]) < reach; ++c) {
      const int j = order[c];
      if (heap.gap(i, j) < margin) pairs.emplace_back(std::min(i, j), std::max(i, j));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void push_apart(Heap& heap, int i, int j) {
  const Vector3d d = heap.p_WC[i] - heap.p_WC[j];
  const double distance = d.norm();
  const double overlap = heap.radius[i] + heap.radius[j] - distance;
  if (overlap <= 0 || distance <= 0) return;
  heap.p_WC[i] += (0.5 * overlap / distance) * d;
  heap.p_WC[j] -= (0.5 * overlap / distance) * d;
}

// Starts on a loose lattice with jitter and lets the heap fall a little per sweep.
void settle(Heap& heap, Random& random, double largest) {
  const int per_row = std::max(1, static_cast<int>(heap.half_width / (1.1 * largest)));
  for (size_t k = 0; k < heap.p_WC.size(); ++k) {
    const int column = static_cast<int>(k) % per_row;
    const int row = static_cast<int>(k) / per_row % per_row;
    const int layer = static_cast<int>(k) / (per_row * per_row);
    const auto at = [&](int cell) { return (2 * cell + 1 - per_row) * 1.1 * largest; };
    heap.p_WC[k] = Vector3d(at(column), at(row), (2.2 * layer + 1.1) * largest) +
                   random.in_ball(0.1 * largest);
  }
  std::vector<std::pair<int, int>> pairs;
  for (int sweep = 0; sweep < kSettlingSweeps; ++sweep) {
    // The pull fades, so that the last sweeps only remove overlaps.
    const double pull = 0.05 * largest * std::max(0.0, 1 - 1.25 * sweep / kSettlingSweeps);
    for (Vector3d& p : heap.p_WC) p[2] -= pull;
    if (sweep % kNeighbourSweeps == 0) pairs = near_pairs(heap, 0.5 * largest);
    for (const auto& [i, j] : pairs) push_apart(heap, i, j);
    for (int i = 0; i < static_cast<int>(heap.p_WC.size()); ++i) {
      for (int wall = 0; wall < 5; ++wall) {
        const double overlap = -heap.wall_gap(i, wall);
        if (overlap > 0) heap.p_WC[i] += overlap * Heap::wall_normal(wall);
      }
    }
  }
}

}  // namespace

// Every contact keeps a micrometre of air at least, so that v = 0 is inside every dual cone.
Problem generate_pile(GenerateContext& context) {
  Random& random = context.random;
  const int count = context.size(50, 200);
  const double mu = context.mu({0.3, 0.5, 0.8});
  const double ratio = std::cbrt(context.mass_ratio(8));
  const double smallest = 0.02;
  const double largest = smallest * ratio;
  const double margin = 0.05 * smallest;
  Heap heap;
  for (int k = 0; k < count; ++k) heap.radius.push_back(random.uniform(smallest, largest));
  heap.p_WC.resize(count);
  heap.half_width = 1.1 * largest * std::max(2.0, std::round(std::cbrt(count)));
  settle(heap, random, largest);

  GeneratedScene scene;
  for (int k = 0; k < count; ++k) {
    const double r = heap.radius[k];
    const double mass = 1000 * 4.19 * r * r * r;
    Motion motion;
    motion.velocity = random.in_ball(0.02);
    motion.spin = random.in_ball(0.5);
    motion.force = random.in_ball(0.2 * mass * kGravity);
    scene.add_body(mass, sphere_inertia(mass, r), heap.p_WC[k], motion);
  }
  const auto air = [](double gap) { return std::max(gap, 1e-6); };
  for (const auto& [i, j] : near_pairs(heap, margin)) {
    const Vector3d n = (heap.p_WC[i] - heap.p_WC[j]).normalized();
    scene.add_contact(i, j, heap.p_WC[j] + heap.radius[j] * n, n, mu, air(heap.gap(i, j)));
  }
  for (int i = 0; i < count; ++i) {
    for (int wall = 0; wall < 5; ++wall) {
      const double gap = heap.wall_gap(i, wall);
      if (gap >= margin) continue;
      const Vector3d n = Heap::wall_normal(wall);
      scene.add_contact(i, -1, heap.p_WC[i] - heap.radius[i] * n, n, mu, air(gap));
    }
  }
  return scene.problem;
}

}  // namespace stiction
