#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace stiction {

/// Nearest points of the segments p1 + s d1 and p2 + t d2, |s|, |t| <= 1.
inline void nearest_on_segments(const Eigen::Vector3d& p1, const Eigen::Vector3d& d1,
                                const Eigen::Vector3d& p2, const Eigen::Vector3d& d2, double& s,
                                double& t) {
  const Eigen::Vector3d r = p1 - p2;
  const double a = d1.squaredNorm();
  const double c = d2.squaredNorm();
  const double b = d1.dot(d2);
  const double det = a * c - b * b;
  s = det > 1e-12 * a * c ? std::clamp((b * d2.dot(r) - c * d1.dot(r)) / det, -1.0, 1.0) : 0;
  t = c > 0 ? std::clamp((b * s + d2.dot(r)) / c, -1.0, 1.0) : 0;
  s = a > 0 ? std::clamp((b * t - d1.dot(r)) / a, -1.0, 1.0) : 0;
}

}  // namespace stiction
