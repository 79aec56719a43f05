#include "model/inertia.h"

namespace stiction {

Eigen::Matrix3d point_mass_inertia(double mass, const Eigen::Vector3d& d) {
  return mass * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
}

void add_mass(Body& body, double mass, const Eigen::Vector3d& com, const Eigen::Matrix3d& inertia) {
  const double total = body.mass + mass;
  if (total == 0) {
    body.inertia += inertia;
    return;
  }
  const Eigen::Vector3d center = (body.mass * body.com + mass * com) / total;
  body.inertia += point_mass_inertia(body.mass, body.com - center) + inertia +
                  point_mass_inertia(mass, com - center);
  body.com = center;
  body.mass = total;
}

}  // namespace stiction
