#include "geometry/support.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::Vector3d;
using Kind = ConvexCore::Kind;

struct MakeCore {
  ConvexCore operator()(const Sphere& sphere) const {
    return {.kind = Kind::kPoint, .radius = sphere.radius};
  }
  ConvexCore operator()(const Capsule& capsule) const {
    return {.kind = Kind::kSegment,
            .size = Vector3d(0, 0, capsule.half_length),
            .radius = capsule.radius,
            .bound = capsule.half_length};
  }
  ConvexCore operator()(const Cylinder& cylinder) const {
    return {.kind = Kind::kCylinder,
            .size = Vector3d(cylinder.radius, cylinder.radius, cylinder.half_length),
            .bound = std::sqrt(cylinder.radius * cylinder.radius +
                               cylinder.half_length * cylinder.half_length)};
  }
  ConvexCore operator()(const Box& box) const {
    return {.kind = Kind::kBox, .size = box.half_size, .bound = box.half_size.norm()};
  }
  ConvexCore operator()(const Ellipsoid& ellipsoid) const {
    return {.kind = Kind::kEllipsoid, .size = ellipsoid.radii, .bound = ellipsoid.radii.maxCoeff()};
  }
  ConvexCore operator()(const ConvexMesh& convex) const {
    return {.kind = Kind::kHull,
            .bound = convex.hull->radius,
            .center = convex.hull->center,
            .hull = convex.hull.get()};
  }
  ConvexCore operator()(const Plane&) const { return {}; }
  ConvexCore operator()(const HeightField&) const { return {}; }
  ConvexCore operator()(const MeshSurface&) const { return {}; }
  ConvexCore operator()(const SdfSolid&) const { return {}; }
};

}  // namespace

ConvexCore convex_core(const Shape& shape) { return std::visit(MakeCore{}, shape); }

Vector3d support(const ConvexCore& core, const Vector3d& d, int& hint) {
  switch (core.kind) {
    case Kind::kPoint:
      return Vector3d::Zero();
    case Kind::kSegment:
      return Vector3d(0, 0, std::copysign(core.size[2], d[2]));
    case Kind::kCylinder: {
      const double rho = std::sqrt(d[0] * d[0] + d[1] * d[1]);
      const double scale = rho > 0 ? core.size[0] / rho : 0;
      return Vector3d(scale * d[0], scale * d[1], std::copysign(core.size[2], d[2]));
    }
    case Kind::kBox:
      return Vector3d(std::copysign(core.size[0], d[0]), std::copysign(core.size[1], d[1]),
                      std::copysign(core.size[2], d[2]));
    case Kind::kEllipsoid: {
      const Vector3d scaled = core.size.cwiseProduct(d);
      const double norm = scaled.norm();
      return norm > 0 ? Vector3d(core.size.cwiseProduct(scaled) / norm) : Vector3d::Zero();
    }
    case Kind::kHull:
      break;
  }
  hint = furthest_vertex(*core.hull, d, hint);
  return core.hull->vertices[hint];
}

CorePair make_pair_of_cores(const ConvexCore& a, const Frame& X_WA, const ConvexCore& b,
                            const Frame& X_WB) {
  CorePair pair;
  pair.a = a;
  pair.b = b;
  pair.R_AB = X_WA.R.transpose() * X_WB.R;
  pair.p_AB = X_WA.R.transpose() * (X_WB.p - X_WA.p);
  pair.size = pair.a.bound + pair.b.bound + pair.a.radius + pair.b.radius;
  return pair;
}

DifferencePoint support(CorePair& pair, const Vector3d& d) {
  const Vector3d a = support(pair.a, d, pair.hint_a);
  const Vector3d d_B = pair.R_AB.transpose() * -d;
  const Vector3d b = pair.R_AB * support(pair.b, d_B, pair.hint_b) + pair.p_AB;
  return {a - b, a};
}

}  // namespace stiction
