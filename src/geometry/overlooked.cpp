#include "geometry/overlooked.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Three contacts that are nearer to a line than this share of their distance make no plane.
constexpr double kLine = 1e-6;

constexpr int kMaxPlanes = kMaxManifold * (kMaxManifold - 1) * (kMaxManifold - 2) / 6;

struct Place {
  Vector2d x;
  double gap;
};

// gap = slope . x + offset
struct Plane2 {
  Vector2d slope;
  double offset;
  double at(const Vector2d& x) const { return slope.dot(x) + offset; }
};

class View {
 public:
  explicit View(const ContactPoint& contact)
      : origin_(contact.p), t1_(contact.n.unitOrthogonal()), t2_(contact.n.cross(t1_)) {}
  Place place(const ContactPoint& contact) const {
    const Vector3d d = contact.p - origin_;
    return {{t1_.dot(d), t2_.dot(d)}, contact.gap};
  }

 private:
  Vector3d origin_;
  Vector3d t1_;
  Vector3d t2_;
};

bool plane_through(const Place& a, const Place& b, const Place& c, Plane2& plane) {
  const Vector2d u = b.x - a.x;
  const Vector2d w = c.x - a.x;
  const double area = u[0] * w[1] - u[1] * w[0];
  if (std::abs(area) <= kLine * std::max(u.squaredNorm(), w.squaredNorm())) return false;
  const double du = b.gap - a.gap;
  const double dw = c.gap - a.gap;
  plane.slope = Vector2d(du * w[1] - dw * u[1], dw * u[0] - du * w[0]) / area;
  plane.offset = a.gap - plane.slope.dot(a.x);
  return true;
}

// Planes through three of the places that have no other below; those of four in a plane once.
int lower_planes(const std::array<Place, kMaxManifold>& places, int count, double tolerance,
                 std::array<Plane2, kMaxPlanes>& planes) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      for (int k = j + 1; k < count; ++k) {
        Plane2 plane;
        if (!plane_through(places[i], places[j], places[k], plane)) continue;
        const auto below = [&](const Place& p) { return p.gap < plane.at(p.x) - tolerance; };
        if (std::any_of(places.begin(), places.begin() + count, below)) continue;
        const auto same = [&](const Plane2& other) {
          return std::all_of(places.begin(), places.begin() + count, [&](const Place& p) {
            return std::abs(plane.at(p.x) - other.at(p.x)) <= tolerance;
          });
        };
        if (std::any_of(planes.begin(), planes.begin() + found, same)) continue;
        planes[found++] = plane;
      }
    }
  }
  return found;
}

}  // namespace

size_t nearest_overlooked(const std::vector<ContactPoint>& contacts, size_t first, size_t kept,
                          double tolerance) {
  const View view(contacts[first]);
  std::array<Place, kMaxManifold> places;
  const int count = static_cast<int>(std::min<size_t>(kept, kMaxManifold));
  for (int k = 0; k < count; ++k) places[k] = view.place(contacts[first + k]);
  std::array<Plane2, kMaxPlanes> planes;
  const int found = lower_planes(places, count, tolerance, planes);
  size_t nearest = contacts.size();
  double sinks = tolerance;
  for (size_t k = first + kept; k < contacts.size(); ++k) {
    const Place place = view.place(contacts[k]);
    double hull = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < found; ++i) hull = std::max(hull, planes[i].at(place.x));
    const double by = hull - place.gap;
    if (by <= tolerance) continue;
    if (nearest < contacts.size()) {  // of those as near, the one that may sink in deepest
      const double further = place.gap - contacts[nearest].gap;
      if (further > tolerance || (further > -tolerance && by <= sinks + tolerance)) continue;
    }
    sinks = by;
    nearest = k;
  }
  return nearest;
}

}  // namespace stiction
