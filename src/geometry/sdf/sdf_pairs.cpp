// Signed distance solids against everything else.
//
// Shapes are fields against the solid's triangulated surface; their own corners are points against
// the solid's distance as well, because a corner on a flat face is where the solid's distance knows
// the normal best. Balls are in ball_contacts.cpp.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/gjk.h"
#include "geometry/hull.h"
#include "geometry/sdf/primitives.h"
#include "geometry/sdf/surface_contacts.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

void flip(Contacts& contacts, size_t first) {
  for (size_t k = first; k < contacts.size(); ++k) contacts[k].n = -contacts[k].n;
}

// Contacts of the shape's own points, normals from the shape to the solid.
void add_probes(const SdfSolid& solid, const Frame& X_WS, const Vector3d* points, int count,
                double radius, const Frame& X_WA, double margin, Contacts& contacts) {
  const size_t first = contacts.size();
  const Field field = field_of(solid, X_WS);
  for (int k = 0; k < count; ++k) {
    add_probe(field, X_WA.R * points[k] + X_WA.p, margin + radius,
              kProbeFeature + static_cast<std::uint32_t>(k), contacts);
  }
  for (size_t k = first; k < contacts.size(); ++k) {  // from the centres to the balls around them
    contacts[k].gap -= radius;
    contacts[k].p -= 0.5 * radius * contacts[k].n;
  }
  flip(contacts, first);
}

// The point of a smooth convex shape that faces the solid: furthest along `direction`, against the
// solid's gradient where that point is.
struct Facing {
  Vector3d point;
  Vector3d direction;
};
Facing facing_point(const Shape& shape, const Frame& X_WA, const SdfSolid& solid,
                    const Frame& X_WS) {
  const ConvexCore core = convex_core(shape);
  Facing facing{core.center, {}};
  int hint = 0;
  for (int k = 0; k < 4; ++k) {
    const Vector3d x_W = X_WA.R * facing.point + X_WA.p;
    Vector3d gradient;
    solid.sdf->distance(X_WS.R.transpose() * (x_W - X_WS.p), gradient);
    facing.direction = -(X_WA.R.transpose() * (X_WS.R * gradient));
    facing.point = support(core, facing.direction, hint);
  }
  return facing;
}

// Outside, GJK from a point; inside, the depth below the nearest face.
double hull_distance(const ConvexMesh& convex, const Vector3d& p, Vector3d& gradient) {
  const ConvexHull& hull = *convex.hull;
  CorePair pair;
  pair.a = convex_core(Shape(convex));
  pair.p_AB = p;
  pair.size = hull.radius + p.norm();
  const GjkResult result = gjk(pair, std::numeric_limits<double>::infinity(), 1e-12);
  if (result.status == GjkStatus::kApart) {
    gradient = result.n;
    return result.n.dot(p - result.a);
  }
  double deepest = -std::numeric_limits<double>::infinity();
  for (size_t f = 0; f < hull.normals.size(); ++f) {
    const Vector3d& corner = hull.vertices[hull.rings.items[hull.rings.start[f]]];
    const double d = hull.normals[f].dot(p - corner);
    if (d <= deepest) continue;
    deepest = d;
    gradient = hull.normals[f];
  }
  return deepest;
}

// The shape's distance in its own frame against the solid's surface.
template <class Shape>
void collide_field(double (*distance_of)(const Shape&, const Vector3d&, Vector3d&),
                   const Shape& shape, const Frame& X_WA, const SdfSolid& solid, const Frame& X_WS,
                   double margin, Contacts& contacts) {
  const DistanceFunction distance = [&](const Vector3d& p, Vector3d& gradient) {
    return distance_of(shape, p, gradient);
  };
  collide_surface({distance, X_WA}, surface_of(solid, X_WS), margin, contacts);
}

}  // namespace

Field field_of(const SdfSolid& solid, const Frame& X_WS) {
  const Sdf& sdf = *solid.sdf;
  return {sdf.distance, X_WS, sdf.lipschitz, sdf.distances ? &sdf.distances : nullptr,
          sdf.outside ? &sdf.outside : nullptr};
}

Surface surface_of(const SdfSolid& solid, const Frame& X_WS) {
  const Sdf& sdf = *solid.sdf;
  return {*solid.tree, X_WS, &sdf.distance, sdf.lipschitz, sdf.outside ? &sdf.outside : nullptr};
}

void plane_sdf(const Plane&, const Frame& X_WP, const SdfSolid& solid, const Frame& X_WS,
               double margin, Contacts& contacts) {
  static const DistanceFunction distance = [](const Vector3d& p, Vector3d& gradient) {
    gradient = Vector3d::UnitZ();
    return p.z();
  };
  static const BlockFunction distances = [](DistanceBlock& block) {
    block.distance = block.z;
    block.grad_x.fill(0);
    block.grad_y.fill(0);
    block.grad_z.fill(1);
  };
  collide_surface({distance, X_WP, 1, &distances}, surface_of(solid, X_WS), margin, contacts);
}

void capsule_sdf(const Capsule& capsule, const Frame& X_WC, const SdfSolid& solid,
                 const Frame& X_WS, double margin, Contacts& contacts) {
  const Vector3d ends[2] = {capsule.half_length * Vector3d::UnitZ(),
                            -capsule.half_length * Vector3d::UnitZ()};
  add_probes(solid, X_WS, ends, 2, capsule.radius, X_WC, margin, contacts);
  collide_field(capsule_distance, capsule, X_WC, solid, X_WS, margin, contacts);
}

void cylinder_sdf(const Cylinder& cylinder, const Frame& X_WC, const SdfSolid& solid,
                  const Frame& X_WS, double margin, Contacts& contacts) {
  // Rings of eight at the ends for when it lies on one of them, and the lowest point if it does
  // not.
  constexpr int kRing = 8;
  Vector3d points[2 * kRing + 1];
  for (int k = 0; k < kRing; ++k) {
    const double angle = 2 * std::numbers::pi * k / kRing;
    points[k] = {cylinder.radius * std::cos(angle), cylinder.radius * std::sin(angle),
                 cylinder.half_length};
    points[kRing + k] = {points[k].x(), points[k].y(), -cylinder.half_length};
  }
  const Facing facing = facing_point(cylinder, X_WC, solid, X_WS);
  points[2 * kRing] = facing.point;
  const bool tilted = facing.direction.head<2>().norm() > 1e-5 * facing.direction.norm();
  add_probes(solid, X_WS, points, 2 * kRing + (tilted ? 1 : 0), 0, X_WC, margin, contacts);
  collide_field(cylinder_distance, cylinder, X_WC, solid, X_WS, margin, contacts);
}

void box_sdf(const Box& box, const Frame& X_WB, const SdfSolid& solid, const Frame& X_WS,
             double margin, Contacts& contacts) {
  Vector3d corners[8];
  for (int k = 0; k < 8; ++k) {
    corners[k] =
        box.half_size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  }
  add_probes(solid, X_WS, corners, 8, 0, X_WB, margin, contacts);
  collide_field(box_distance, box, X_WB, solid, X_WS, margin, contacts);
}

void ellipsoid_sdf(const Ellipsoid& ellipsoid, const Frame& X_WE, const SdfSolid& solid,
                   const Frame& X_WS, double margin, Contacts& contacts) {
  const Vector3d point = facing_point(ellipsoid, X_WE, solid, X_WS).point;
  add_probes(solid, X_WS, &point, 1, 0, X_WE, margin, contacts);
  collide_field(ellipsoid_distance, ellipsoid, X_WE, solid, X_WS, margin, contacts);
}

void convex_mesh_sdf(const ConvexMesh& convex, const Frame& X_WC, const SdfSolid& solid,
                     const Frame& X_WS, double margin, Contacts& contacts) {
  const auto& corners = convex.hull->vertices;
  add_probes(solid, X_WS, corners.data(), static_cast<int>(corners.size()), 0, X_WC, margin,
             contacts);
  collide_field(hull_distance, convex, X_WC, solid, X_WS, margin, contacts);
}

void mesh_surface_sdf(const MeshSurface& mesh, const Frame& X_WM, const SdfSolid& solid,
                      const Frame& X_WS, double margin, Contacts& contacts) {
  const size_t first = contacts.size();
  collide_surface(field_of(solid, X_WS), {*mesh.tree, X_WM}, margin, contacts);
  flip(contacts, first);
}

namespace {

// Of the second in the frame of the first.
struct Relative {
  Eigen::Matrix3d R;
  Vector3d p;
};
Relative relative(const Frame& X_WA, const Frame& X_WB) {
  return {X_WA.R.transpose() * X_WB.R, X_WA.R.transpose() * (X_WB.p - X_WA.p)};
}

// Whether a shows its distance to the surface of b: the larger one; of solids of the same size, the
// one with fewer faces; of equals, the one that sees the other one further along x, y or z, or
// turned. Which of the two comes first and where the world's frame is does not matter.
bool shows_distance(const SdfSolid& a, const Frame& X_WA, const SdfSolid& b, const Frame& X_WB) {
  if (a.tree->radius != b.tree->radius) return a.tree->radius > b.tree->radius;
  if (a.tree->faces.size() != b.tree->faces.size()) {
    return a.tree->faces.size() < b.tree->faces.size();
  }
  const Relative one = relative(X_WA, X_WB), other = relative(X_WB, X_WA);
  for (int k = 0; k < 3; ++k) {
    const double difference = one.p[k] - other.p[k];
    if (std::abs(difference) > 1e-9 * a.tree->radius) return difference > 0;
  }
  for (int k = 0; k < 3; ++k) {
    const double difference = one.R((k + 1) % 3, k) - other.R((k + 1) % 3, k);
    if (std::abs(difference) > 1e-9) return difference > 0;
  }
  return true;
}

}  // namespace

void sdf_sdf(const SdfSolid& a, const Frame& X_WA, const SdfSolid& b, const Frame& X_WB,
             double margin, Contacts& contacts) {
  if (shows_distance(a, X_WA, b, X_WB)) {
    collide_surface(field_of(a, X_WA), surface_of(b, X_WB), margin, contacts);
    return;
  }
  const size_t first = contacts.size();
  collide_surface(field_of(b, X_WB), surface_of(a, X_WA), margin, contacts);
  flip(contacts, first);
}

}  // namespace stiction
