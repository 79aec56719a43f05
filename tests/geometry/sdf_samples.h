// Signed distances by brute force, and finite differences of them.
#pragma once

#include <stiction/sdf.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace stiction {

inline double distance_at(const Sdf& sdf, const Eigen::Vector3d& p) {
  Eigen::Vector3d gradient;
  return sdf.distance(p, gradient);
}

inline Eigen::Vector3d nearest_on_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                           const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const Eigen::Vector3d cross = (b - a).cross(c - a);
  const Eigen::Vector3d n = cross.normalized();
  const Eigen::Vector3d q = p - n.dot(p - a) * n;
  const Eigen::Vector3d corners[3] = {a, b, c};
  bool inside = cross.norm() > 1e-9;  // m^2; slivers are as good as their edges
  for (int k = 0; k < 3; ++k) {
    inside &= (corners[(k + 1) % 3] - corners[k]).cross(q - corners[k]).dot(n) >= 0;
  }
  if (inside) return q;
  Eigen::Vector3d best = a;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d d = corners[(k + 1) % 3] - corners[k];
    const double t = std::clamp((p - corners[k]).dot(d) / d.squaredNorm(), 0.0, 1.0);
    const Eigen::Vector3d x = corners[k] + t * d;
    if ((x - p).norm() < (best - p).norm()) best = x;
  }
  return best;
}

inline double distance_to_mesh(const TriangleMesh& mesh, const Eigen::Vector3d& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Eigen::Vector3d x =
        nearest_on_triangle(p, mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
    best = std::min(best, (x - p).norm());
  }
  return best;
}

/// Every edge is shared by two triangles that run along it in opposite directions.
inline bool is_closed(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> runs;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) ++runs[{t[k], t[(k + 1) % 3]}];
  }
  return std::all_of(runs.begin(), runs.end(), [&](const auto& run) {
    const auto back = runs.find({run.first.second, run.first.first});
    return run.second == 1 && back != runs.end() && back->second == 1;
  });
}

/// Largest difference between the gradient and central differences over random points near the
/// surface; points whose neighbours see another gradient (kinks) are left out, and counted.
struct GradientCheck {
  double error = 0;
  int used = 0;
};
inline GradientCheck check_gradient(const Sdf& sdf, double spread, double step, int count) {
  std::mt19937 rng(7);
  std::normal_distribution<double> normal;
  GradientCheck check;
  for (int k = 0; k < count; ++k) {
    const auto v = rng() % sdf.surface.vertices.size();
    const Eigen::Vector3d p =
        sdf.surface.vertices[v] + spread * Eigen::Vector3d(normal(rng), normal(rng), normal(rng));
    Eigen::Vector3d gradient, other;
    sdf.distance(p, gradient);
    Eigen::Vector3d numeric;
    bool kink = false;
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d d = step * Eigen::Vector3d::Unit(axis);
      const double high = sdf.distance(p + d, other);
      kink |= (other - gradient).norm() > 0.1;
      numeric[axis] = (high - sdf.distance(p - d, other)) / (2 * step);
      kink |= (other - gradient).norm() > 0.1;
    }
    if (kink) continue;
    ++check.used;
    check.error = std::max(check.error, (gradient - numeric).norm());
  }
  return check;
}

}  // namespace stiction
