// Unions, offsets and moves of signed distance solids.
#include <stiction/error.h>

#include <cmath>

#include "geometry/sdf/contour.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

std::vector<DistanceFunction> parts_of(const SdfPointer& a) {
  if (!a->parts.empty()) return a->parts;
  return {a->distance};
}

DistanceFunction least(const DistanceFunction& a, const DistanceFunction& b) {
  return [a, b](const Vector3d& p, Vector3d& gradient) {
    Vector3d other;
    const double d_a = a(p, gradient);
    const double d_b = b(p, other);
    if (d_a <= d_b) return d_a;
    gradient = other;
    return d_b;
  };
}

DistanceFunction grown(const DistanceFunction& a, double distance) {
  return [a, distance](const Vector3d& p, Vector3d& gradient) { return a(p, gradient) - distance; };
}

void require(const std::string& name, const SdfPointer& a) {
  if (!a || !a->distance) throw InputError("sdf '" + name + "': made of nothing");
}

}  // namespace

SdfPointer make_union(const std::string& name, const SdfPointer& a, const SdfPointer& b,
                      double edge) {
  require(name, a);
  require(name, b);
  Sdf sdf;
  sdf.name = name;
  sdf.parts = parts_of(a);
  for (const DistanceFunction& part : parts_of(b)) sdf.parts.push_back(part);
  sdf.detail = std::min(a->detail, b->detail);
  sdf.lipschitz = std::max(a->lipschitz, b->lipschitz);
  sdf.distance = least(a->distance, b->distance);
  if (a->outside || b->outside) {
    sdf.outside =
        least(a->outside ? a->outside : a->distance, b->outside ? b->outside : b->distance);
  }
  Bounds bounds = bounds_of(a->surface);
  bounds.lower = bounds.lower.cwiseMin(bounds_of(b->surface).lower);
  bounds.upper = bounds.upper.cwiseMax(bounds_of(b->surface).upper);
  sdf.surface = contour(name, sdf.distance, bounds, edge);
  return std::make_shared<const Sdf>(std::move(sdf));
}

SdfPointer make_offset(const std::string& name, const SdfPointer& a, double distance) {
  require(name, a);
  if (!std::isfinite(distance) || distance <= -a->detail / 2) {
    throw InputError("sdf '" + name + "': offset " + std::to_string(distance) +
                     " leaves nothing of '" + a->name + "'");
  }
  Sdf sdf = *a;
  sdf.name = sdf.surface.name = name;
  sdf.detail = a->detail + 2 * distance;
  sdf.distance = grown(a->distance, distance);
  sdf.distances = nullptr;
  if (a->outside) sdf.outside = distance > 0 ? grown(a->outside, distance) : DistanceFunction();
  for (DistanceFunction& part : sdf.parts) part = grown(part, distance);
  for (Vector3d& vertex : sdf.surface.vertices) move_to_zero(sdf.distance, vertex);
  return std::make_shared<const Sdf>(std::move(sdf));
}

SdfPointer make_moved(const std::string& name, const SdfPointer& a, const Pose& X_AB) {
  require(name, a);
  Sdf sdf = *a;
  sdf.name = sdf.surface.name = name;
  sdf.pitch = 0;  // its axis is no longer z
  const auto moved = [X_AB](DistanceFunction distance) {
    return [distance = std::move(distance), R_AB = X_AB.q.toRotationMatrix(), p_AB = X_AB.p](
               const Vector3d& p, Vector3d& gradient) {
      Vector3d g;
      const double d = distance(R_AB.transpose() * (p - p_AB), g);
      gradient = R_AB * g;
      return d;
    };
  };
  sdf.distance = moved(a->distance);
  sdf.distances = nullptr;
  if (a->outside) sdf.outside = moved(a->outside);
  for (DistanceFunction& part : sdf.parts) part = moved(part);
  for (Vector3d& vertex : sdf.surface.vertices) vertex = X_AB.q * vertex + X_AB.p;
  return std::make_shared<const Sdf>(std::move(sdf));
}

}  // namespace stiction
