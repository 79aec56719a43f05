// Twists (linear; angular) and wrenches (force; moment), both in world axes about one fixed point
// O. A twist's linear part is the velocity of the body point that is now at O.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stiction {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Rate of a twist b that is carried along by a body moving with twist a: a x b.
inline Vector6d cross_motion(const Vector6d& a, const Vector6d& b) {
  const Eigen::Vector3d va = a.head<3>(), wa = a.tail<3>(), vb = b.head<3>(), wb = b.tail<3>();
  Vector6d c;
  c.head<3>() = wa.cross(vb) + va.cross(wb);
  c.tail<3>() = wa.cross(wb);
  return c;
}

/// Rate of a wrench f that is carried along by a body moving with twist a: a x* f, with
/// (a x* f) . b = -f . (a x b).
inline Vector6d cross_force(const Vector6d& a, const Vector6d& f) {
  const Eigen::Vector3d va = a.head<3>(), wa = a.tail<3>(), force = f.head<3>(),
                        moment = f.tail<3>();
  Vector6d c;
  c.head<3>() = wa.cross(force);
  c.tail<3>() = wa.cross(moment) + va.cross(force);
  return c;
}

/// The same twist about another point, d = new point - old point.
inline Vector6d shift_twist(const Vector6d& twist, const Eigen::Vector3d& d) {
  Vector6d shifted = twist;
  shifted.head<3>() += twist.tail<3>().cross(d);
  return shifted;
}

/// Wrench about O of a force at O + r.
inline Vector6d wrench_at(const Eigen::Vector3d& r, const Eigen::Vector3d& force) {
  Vector6d w;
  w << force, r.cross(force);
  return w;
}

}  // namespace stiction
