// A plane against everything: the plane's normal is its z axis, the solid is below.
#include <cmath>

#include "geometry/pairs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Cosine of the lean up to which a cylinder stands.
constexpr double kStanding = 0.7;

// A point of the other shape's surface, its support along the plane's -z.
void add_point(const Frame& plane, const Vector3d& surface, double margin, std::uint32_t feature,
               Contacts& contacts) {
  const Vector3d n = plane.R.col(2);
  const double gap = n.dot(surface - plane.p);
  if (gap < margin) contacts.push_back({surface - 0.5 * gap * n, n, gap, feature});
}

}  // namespace

void plane_sphere(const Plane&, const Frame& X_WP, const Sphere& sphere, const Frame& X_WS,
                  double margin, Contacts& contacts) {
  add_point(X_WP, X_WS.p - sphere.radius * X_WP.R.col(2), margin, 0, contacts);
}

void plane_capsule(const Plane&, const Frame& X_WP, const Capsule& capsule, const Frame& X_WC,
                   double margin, Contacts& contacts) {
  const Vector3d down = capsule.radius * X_WP.R.col(2);
  const Vector3d half = capsule.half_length * X_WC.R.col(2);
  add_point(X_WP, X_WC.p + half - down, margin, 0, contacts);
  add_point(X_WP, X_WC.p - half - down, margin, 1, contacts);
}

void plane_box(const Plane&, const Frame& X_WP, const Box& box, const Frame& X_WB, double margin,
               Contacts& contacts) {
  const Vector3d n = X_WP.R.col(2);
  const double center = n.dot(X_WB.p - X_WP.p);
  const Vector3d along = box.half_size.cwiseProduct(X_WB.R.transpose() * n);
  if (center - along.cwiseAbs().sum() >= margin) return;
  // The corners of the lowest face are enough: those above them add no support.
  int axis;
  (X_WB.R.transpose() * n).cwiseAbs().maxCoeff(&axis);
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    const Vector3d sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    if (center + sign.dot(along) >= margin || sign[axis] * along[axis] > 0) continue;
    add_point(X_WP, X_WB.p + X_WB.R * sign.cwiseProduct(box.half_size), margin, corner, contacts);
  }
}

// Eight points of each rim, the lowest among them. A cylinder on its base gets a ring that holds
// torque; one on its side the ends of its line, however it leans: the upper end may come down
// within the step.
void plane_cylinder(const Plane&, const Frame& X_WP, const Cylinder& cylinder, const Frame& X_WC,
                    double margin, Contacts& contacts) {
  const size_t first = contacts.size();
  const Vector3d n = X_WP.R.col(2);
  const Vector3d axis = X_WC.R.col(2);
  const double tilt = n.dot(axis);
  Vector3d radial = tilt * axis - n;  // towards the plane, within the discs
  // Upright, the lowest point is undefined: a direction fixed in the body keeps points in place.
  if (radial.norm() < 1e-6) {
    radial = X_WC.R.col(0);
  } else {
    radial.normalize();
  }
  const Vector3d beside = axis.cross(radial);
  const double half = std::sqrt(0.5);
  const Vector3d across = half * (radial + beside), back = half * (beside - radial);
  const Vector3d directions[8] = {radial, across, beside, back, -radial, -across, -beside, -back};
  for (std::uint32_t end = 0; end < 2; ++end) {
    const double side = end == 0 ? 1 : -1;
    const Vector3d center = X_WC.p + side * cylinder.half_length * axis;
    if (side * tilt > kStanding) continue;  // right above the lower one
    for (std::uint32_t k = 0; k < 8; ++k) {
      add_point(X_WP, center + cylinder.radius * directions[k], margin, 8 * end + k, contacts);
    }
  }
  keep_widest(contacts, first, margin);
}

void plane_ellipsoid(const Plane&, const Frame& X_WP, const Ellipsoid& ellipsoid, const Frame& X_WE,
                     double margin, Contacts& contacts) {
  const Vector3d n_E = X_WE.R.transpose() * X_WP.R.col(2);
  const Vector3d scaled = ellipsoid.radii.cwiseProduct(n_E);
  const Vector3d support = -ellipsoid.radii.cwiseProduct(scaled) / scaled.norm();
  add_point(X_WP, X_WE.p + X_WE.R * support, margin, 0, contacts);
}

}  // namespace stiction
