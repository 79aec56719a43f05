// Spheres against round shapes and boxes: the closest point to the centre has a closed form.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/line_contacts.h"
#include "geometry/pairs.h"
#include "geometry/segments.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Nearer than this share of the radii, the line through two centres is rounding.
constexpr double kCoincident = 1e-8;
// Of the sizes: an end of the overlap that is as near as the nearest points stands for them.
constexpr double kAtAnEnd = 1e-8;

// Two balls of radii r1, r2 about p1, p2; `fallback` is the normal when the centres coincide.
void add_ball_contact(const Vector3d& p1, double r1, const Vector3d& p2, double r2,
                      const Vector3d& fallback, double margin, std::uint32_t feature,
                      Contacts& contacts) {
  const Vector3d d = p2 - p1;
  const double distance = d.norm();
  const double gap = distance - r1 - r2;
  if (gap >= margin) return;
  const Vector3d n = distance > kCoincident * (r1 + r2) ? Vector3d(d / distance) : fallback;
  contacts.push_back({p1 + (r1 + 0.5 * gap) * n, n, gap, feature});
}

// A ball about p1 against a surface point with outward normal m: signed distance of p1 is `depth`.
void add_surface_contact(const Vector3d& p1, double r1, const Vector3d& m, double signed_distance,
                         double margin, Contacts& contacts) {
  const double gap = signed_distance - r1;
  if (gap < margin) contacts.push_back({p1 - (r1 + 0.5 * gap) * m, -m, gap, 0});
}

}  // namespace

void sphere_sphere(const Sphere& a, const Frame& X_WA, const Sphere& b, const Frame& X_WB,
                   double margin, Contacts& contacts) {
  add_ball_contact(X_WA.p, a.radius, X_WB.p, b.radius, Vector3d::UnitZ(), margin, 0, contacts);
}

void sphere_capsule(const Sphere& sphere, const Frame& X_WS, const Capsule& capsule,
                    const Frame& X_WC, double margin, Contacts& contacts) {
  const Vector3d axis = X_WC.R.col(2);
  const double t = std::clamp(axis.dot(X_WS.p - X_WC.p), -capsule.half_length, capsule.half_length);
  add_ball_contact(X_WS.p, sphere.radius, X_WC.p + t * axis, capsule.radius, X_WC.R.col(0), margin,
                   0, contacts);
}

void capsule_capsule(const Capsule& a, const Frame& X_WA, const Capsule& b, const Frame& X_WB,
                     double margin, Contacts& contacts) {
  const Vector3d d1 = a.half_length * X_WA.R.col(2);
  const Vector3d d2 = b.half_length * X_WB.R.col(2);
  const Vector3d cross = X_WA.R.col(2).cross(X_WB.R.col(2));
  const Vector3d fallback = cross.norm() > 1e-9 ? Vector3d(cross.normalized()) : X_WA.R.col(0);
  double s, t;
  nearest_on_segments(X_WA.p, d1, X_WB.p, d2, s, t);
  const size_t first = contacts.size();
  add_ball_contact(X_WA.p + s * d1, a.radius, X_WB.p + t * d2, b.radius, fallback, margin, 0,
                   contacts);
  if (contacts.size() == first || cross.norm() > kAlong) return;
  // Both ends of the overlap, so that one rests stably on the other.
  const ContactPoint nearest = contacts.back();
  contacts.pop_back();
  const CorePair pair = make_pair_of_cores(convex_core(a), X_WA, convex_core(b), X_WB);
  add_line_ends(pair, X_WA.R.transpose() * nearest.n, nearest.gap, X_WA, margin, contacts);
  double smallest = std::numeric_limits<double>::infinity();
  for (size_t k = first; k < contacts.size(); ++k) smallest = std::min(smallest, contacts[k].gap);
  if (smallest > nearest.gap + kAtAnEnd * pair.size) contacts.push_back(nearest);
}

void sphere_box(const Sphere& sphere, const Frame& X_WS, const Box& box, const Frame& X_WB,
                double margin, Contacts& contacts) {
  const Vector3d c = X_WB.R.transpose() * (X_WS.p - X_WB.p);
  const Vector3d nearest = c.cwiseMin(box.half_size).cwiseMax(-box.half_size);
  const Vector3d out = c - nearest;
  const double distance = out.norm();
  if (distance > 0) {
    add_surface_contact(X_WS.p, sphere.radius, X_WB.R * (out / distance), distance, margin,
                        contacts);
    return;
  }
  int axis;  // centre inside: leave through the nearest face
  const double depth = (box.half_size - c.cwiseAbs()).minCoeff(&axis);
  const double side = c[axis] >= 0 ? 1 : -1;
  add_surface_contact(X_WS.p, sphere.radius, side * X_WB.R.col(axis), -depth, margin, contacts);
}

void sphere_cylinder(const Sphere& sphere, const Frame& X_WS, const Cylinder& cylinder,
                     const Frame& X_WC, double margin, Contacts& contacts) {
  const Vector3d c = X_WC.R.transpose() * (X_WS.p - X_WC.p);
  const double rho = std::sqrt(c[0] * c[0] + c[1] * c[1]);
  const Vector3d radial = rho > 0 ? Vector3d(c[0] / rho, c[1] / rho, 0) : Vector3d::UnitX();
  const double side = c[2] >= 0 ? 1 : -1;
  const double dr = rho - cylinder.radius;
  const double dz = std::abs(c[2]) - cylinder.half_length;
  Vector3d m = dr > dz ? radial : Vector3d(0, 0, side);
  double distance = std::max(dr, dz);
  if (dr > 0 && dz > 0) {  // nearest to the rim
    distance = std::hypot(dr, dz);
    m = (dr * radial + Vector3d(0, 0, side * dz)) / distance;
  }
  add_surface_contact(X_WS.p, sphere.radius, X_WC.R * m, distance, margin, contacts);
}

}  // namespace stiction
