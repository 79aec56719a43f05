// The mouse's grip on a body: a critically damped spring from a point of the body to a point of the
// world, as stiff as the body is heavy there, so that it feels alike on a pin and on a pot.
#pragma once

#include <stiction/simulation.h>

namespace stiction::viewer {

struct Drag {
  int body = 0;                                      ///< 0: none
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< in the body's frame, m
  Eigen::Vector3d target = Eigen::Vector3d::Zero();  ///< world, m
  double mass = 0;                                   ///< felt at the point, kg
};

/// Mean of the effective mass over the three directions, 3 / trace(J M^-1 J^T), at the point.
double mass_at(const Simulation& simulation, int body, const Eigen::Vector3d& point);

/// The spring's wrench on the body as it stands, for Simulation::apply_wrench.
Vector6d drag_wrench(const Simulation& simulation, const Drag& drag);

}  // namespace stiction::viewer
