#include "geometry/sdf/primitives.h"

#include <stiction/error.h>

#include <cmath>
#include <numbers>

#include "geometry/mesh.h"
#include "geometry/sdf/triangulate.h"

namespace stiction {

using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

// Distance from a point, with the unit vector away from it; any direction at the point itself.
double away(const Vector3d& d, Vector3d& gradient) {
  const double length = d.norm();
  gradient = length > 0 ? Vector3d(d / length) : Vector3d::UnitX();
  return length;
}

}  // namespace

double intersect(double a, const Vector3d& gradient_a, double b, const Vector3d& gradient_b,
                 Vector3d& gradient) {
  if (a > 0 && b > 0) {
    // The nearest point of the edge is p - u gradient_a - v gradient_b; where u or v is negative,
    // one of the surfaces is nearer. Beside an acute edge it would be too much where the surfaces
    // are not flat, and a right angle is safe.
    const double cosine = std::max(0.0, gradient_a.dot(gradient_b));
    const double square = std::max(0.05, 1 - cosine * cosine);  // of the sine
    const double u = (a - cosine * b) / square, v = (b - cosine * a) / square;
    if (u > 0 && v > 0) {
      const double d = std::sqrt(u * a + v * b);
      gradient = (u * gradient_a + v * gradient_b) / d;
      return d;
    }
  }
  gradient = a > b ? gradient_a : gradient_b;
  return std::max(a, b);
}

Vector3d revolve_gradient(const Vector3d& p, const Vector2d& gradient) {
  const double radius = std::hypot(p.x(), p.y());
  if (radius == 0) return {gradient[0], 0, gradient[1]};
  return {gradient[0] * p.x() / radius, gradient[0] * p.y() / radius, gradient[1]};
}

double sphere_distance(const Sphere& sphere, const Vector3d& p, Vector3d& gradient) {
  return away(p, gradient) - sphere.radius;
}

double capsule_distance(const Capsule& capsule, const Vector3d& p, Vector3d& gradient) {
  const double z = std::clamp(p.z(), -capsule.half_length, capsule.half_length);
  return away(p - z * Vector3d::UnitZ(), gradient) - capsule.radius;
}

double cylinder_distance(const Cylinder& cylinder, const Vector3d& p, Vector3d& gradient) {
  const double side = std::hypot(p.x(), p.y()) - cylinder.radius;
  const double cap = std::abs(p.z()) - cylinder.half_length;
  return intersect(side, revolve_gradient(p, Vector2d::UnitX()), cap,
                   Vector3d(0, 0, p.z() < 0 ? -1 : 1), gradient);
}

double box_distance(const Box& box, const Vector3d& p, Vector3d& gradient) {
  const Vector3d beyond = p.cwiseAbs() - box.half_size;
  Eigen::Index axis;
  const double largest = beyond.maxCoeff(&axis);
  const Vector3d sign(p.x() < 0 ? -1 : 1, p.y() < 0 ? -1 : 1, p.z() < 0 ? -1 : 1);
  if (largest <= 0) {
    gradient = sign[axis] * Vector3d::Unit(axis);
    return largest;
  }
  const Vector3d out = beyond.cwiseMax(0);
  const double d = out.norm();
  gradient = out.cwiseProduct(sign) / d;
  return d;
}

// The nearest point x of the surface has p - x = t x / r^2 per axis, so that x = p r^2 / (r^2 + t),
// with t the root of |x / r|^2 = 1 above -min r^2: Newton's method, kept within bounds that shrink.
double ellipsoid_distance(const Ellipsoid& ellipsoid, const Vector3d& p, Vector3d& gradient) {
  const Vector3d r2 = ellipsoid.radii.cwiseAbs2();
  Eigen::Index least;
  const double smallest = r2.minCoeff(&least);
  Vector3d q = p;
  // On the plane of symmetry across the shortest axis the root may lie at the bound itself.
  if (std::abs(q[least]) < 1e-9 * ellipsoid.radii[least]) {
    q[least] = std::copysign(1e-9 * ellipsoid.radii[least], q[least]);
  }
  double low = -smallest + std::abs(q[least]) * ellipsoid.radii[least];
  double high = std::max(0.0, q.norm() * ellipsoid.radii.maxCoeff() - smallest);
  high = std::max(high, low);
  double t = std::clamp(0.0, low, high);
  for (int k = 0; k < 60; ++k) {
    const Vector3d s = q.cwiseProduct(ellipsoid.radii).cwiseQuotient((r2.array() + t).matrix());
    const double excess = s.squaredNorm() - 1;
    (excess > 0 ? low : high) = t;
    const double slope = -2 * s.cwiseAbs2().cwiseQuotient((r2.array() + t).matrix()).sum();
    const double next = t - excess / slope;
    const double before = t;
    t = next > low && next < high ? next : (low + high) / 2;
    if (std::abs(t - before) <= 1e-16 * (smallest + std::abs(t))) break;
  }
  const Vector3d x = q.cwiseProduct(r2).cwiseQuotient((r2.array() + t).matrix());
  gradient = x.cwiseQuotient(r2).normalized();
  return gradient.dot(p - x);
}

namespace {

// Its area, m^2.
double surface_of(const Shape& shape) {
  constexpr double kPi = std::numbers::pi;
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vector3d& h = box->half_size;
    return 8 * (h.x() * h.y() + h.y() * h.z() + h.z() * h.x());
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    return 2 * kPi * cylinder->radius * (cylinder->radius + 2 * cylinder->half_length);
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    return 4 * kPi * capsule->radius * (capsule->radius + capsule->half_length);
  }
  return 4 * kPi * std::pow(std::get<Sphere>(shape).radius, 2);
}

}  // namespace

SdfPointer make_primitive(const std::string& name, const Shape& shape, double edge) {
  Sdf sdf;
  sdf.name = name;
  double size = 0;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    size = sphere->radius;
    sdf.distance = [s = *sphere](const Vector3d& p, Vector3d& g) {
      return sphere_distance(s, p, g);
    };
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    size = capsule->radius;
    sdf.distance = [s = *capsule](const Vector3d& p, Vector3d& g) {
      return capsule_distance(s, p, g);
    };
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    size = std::min(cylinder->radius, cylinder->half_length);
    sdf.distance = [s = *cylinder](const Vector3d& p, Vector3d& g) {
      return cylinder_distance(s, p, g);
    };
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    size = box->half_size.minCoeff();
    sdf.distance = [s = *box](const Vector3d& p, Vector3d& g) { return box_distance(s, p, g); };
  } else {
    throw InputError("sdf '" + name + "': expected a sphere, capsule, cylinder or box");
  }
  if (!(size > 0) || !std::isfinite(size)) {
    throw InputError("sdf '" + name + "': its sizes must be positive");
  }
  sdf.detail = 2 * size;
  const double used = edge > 0 ? edge : size / 6;
  check_faces("sdf '" + name + "': edge " + number_text(used) + " m",
              2 * surface_of(shape) / (used * used));
  sdf.surface = triangulate_primitive(shape, used);
  sdf.surface.name = name;
  return std::make_shared<const Sdf>(std::move(sdf));
}

}  // namespace stiction
