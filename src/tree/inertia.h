// Arithmetic of spatial inertias, ten numbers each.
#pragma once

#include <stiction/tree.h>

namespace stiction {

inline void operator+=(SpatialInertia& a, const SpatialInertia& b) {
  a.m += b.m;
  a.mc += b.mc;
  a.I += b.I;
}

/// Momentum (linear; angular about O) of a body with the given twist.
inline Vector6d operator*(const SpatialInertia& a, const Vector6d& twist) {
  const double vx = twist[0], vy = twist[1], vz = twist[2];
  const double wx = twist[3], wy = twist[4], wz = twist[5];
  const double cx = a.mc[0], cy = a.mc[1], cz = a.mc[2];
  Vector6d h;
  h[0] = a.m * vx + wy * cz - wz * cy;
  h[1] = a.m * vy + wz * cx - wx * cz;
  h[2] = a.m * vz + wx * cy - wy * cx;
  h[3] = cy * vz - cz * vy + a.I[0] * wx + a.I[3] * wy + a.I[4] * wz;
  h[4] = cz * vx - cx * vz + a.I[3] * wx + a.I[1] * wy + a.I[5] * wz;
  h[5] = cx * vy - cy * vx + a.I[4] * wx + a.I[5] * wy + a.I[2] * wz;
  return h;
}

/// Of mass m at c from O, with rotational inertia I_B about its centre in axes turned by R:
/// I = R I_B R^T + m (c.c 1 - c c^T).
inline SpatialInertia make_inertia(double m, const Eigen::Vector3d& c, const Eigen::Matrix3d& I_B,
                                   const Eigen::Matrix3d& R) {
  const Eigen::Matrix3d T = R * I_B;
  const double x = c.x(), y = c.y(), z = c.z();
  SpatialInertia a;
  a.m = m;
  a.mc = m * c;
  a.I[0] = T.row(0).dot(R.row(0)) + m * (y * y + z * z);
  a.I[1] = T.row(1).dot(R.row(1)) + m * (x * x + z * z);
  a.I[2] = T.row(2).dot(R.row(2)) + m * (x * x + y * y);
  a.I[3] = T.row(0).dot(R.row(1)) - m * x * y;
  a.I[4] = T.row(0).dot(R.row(2)) - m * x * z;
  a.I[5] = T.row(1).dot(R.row(2)) - m * y * z;
  return a;
}

}  // namespace stiction
