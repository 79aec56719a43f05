// Rotations: SO(3) by unit quaternions, its exponential and logarithm.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

namespace stiction {

/// [a] with [a] b = a x b.
inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

/// Rotation by the angle |w| about w: (cos |w|/2, sin(|w|/2) w/|w|), unit to rounding.
inline Eigen::Quaterniond exp_rotation(const Eigen::Vector3d& w) {
  const double angle2 = w.squaredNorm();
  if (angle2 < 1e-8) {  // sin(a/2)/a and cos(a/2) to a^4: error below 1e-20
    const Eigen::Vector3d v = (0.5 - angle2 / 48) * w;
    return {1 - angle2 / 8 + angle2 * angle2 / 384, v.x(), v.y(), v.z()};
  }
  const double angle = std::sqrt(angle2);
  const Eigen::Vector3d v = std::sin(0.5 * angle) / angle * w;
  return {std::cos(0.5 * angle), v.x(), v.y(), v.z()};
}

/// The w with |w| <= pi and exp_rotation(w) = q or -q; q must be unit.
inline Eigen::Vector3d log_rotation(const Eigen::Quaterniond& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  if (sine < 1e-10) return 2 * sign * q.vec();
  return 2 * sign * std::atan2(sine, sign * q.w()) / sine * q.vec();
}

}  // namespace stiction
