// Small problems with answers known by hand.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

namespace stiction {

/// A port of the contact frame (x, y, z) at p from the centre of a free body.
inline Port frame_port(int body, const Eigen::Vector3d& p, double sign) {
  Port port;
  port.body = body;
  for (int r = 0; r < 3; ++r) {
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(r);
    port.block.row(r) << sign * axis.transpose(), sign * p.cross(axis).transpose();
  }
  return port;
}

/// A free body of the given mass and unit rotational inertia, moving at `velocity`.
inline int add_moving_body(Problem& problem, double mass, const Eigen::Vector3d& velocity) {
  Eigen::Matrix<double, 6, 6> H = Eigen::Matrix<double, 6, 6>::Identity();
  H.topLeftCorner<3, 3>() *= mass;
  Eigen::Matrix<double, 6, 1> v = Eigen::Matrix<double, 6, 1>::Zero();
  v.head<3>() = velocity;
  return problem.add_rigid_body(H, H * v);
}

/// Balls of rising mass on top of each other, the lowest on the floor, all moving at `velocity`.
inline Problem ball_column(int count, const Eigen::Vector3d& velocity, double mu) {
  Problem problem;
  for (int k = 0; k < count; ++k) {
    const double mass = 1 + k;
    const double radius = 0.1 * std::cbrt(mass);
    Eigen::Matrix<double, 6, 6> H = mass * Eigen::Matrix<double, 6, 6>::Identity();
    H.bottomRightCorner<3, 3>() *= 0.4 * radius * radius;
    Eigen::Matrix<double, 6, 1> v = Eigen::Matrix<double, 6, 1>::Zero();
    v.head<3>() = velocity;
    const int body = problem.add_rigid_body(H, H * v);
    std::vector<Port> ports = {frame_port(body, {0, 0, -radius}, 1)};
    if (k > 0) {
      const double below = 0.1 * std::cbrt(static_cast<double>(k));
      ports.push_back(frame_port(body - 1, {0, 0, below}, -1));
    }
    problem.add_constraint({.mu = mu}, ports, Eigen::Vector3d::Zero());
  }
  return problem;
}

/// A 2 kg point that feels one scalar constraint on its x velocity; it would move at `speed`.
inline Problem scalar_constraint(Constraint constraint, double speed, double e) {
  Problem problem;
  const int body = add_moving_body(problem, 2, {speed, 0.3, -0.1});
  constraint.rows = 1;
  Port port;
  port.body = body;
  port.block(0, 0) = 1;
  problem.add_constraint(constraint, {port}, {e, 0, 0});
  return problem;
}

}  // namespace stiction
