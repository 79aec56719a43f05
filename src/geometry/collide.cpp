#include "geometry/collide.h"

#include <array>
#include <cmath>
#include <limits>

#include "geometry/pairs.h"

namespace stiction {
namespace {

using PairFunction = void (*)(const Shape&, const Frame&, const Shape&, const Frame&, double,
                              Contacts&);
constexpr size_t kShapes = std::variant_size_v<Shape>;
using PairTable = std::array<std::array<PairFunction, kShapes>, kShapes>;

// A pair function on variants whose alternatives are known.
template <class A, class B,
          void (*function)(const A&, const Frame&, const B&, const Frame&, double, Contacts&)>
void on_variants(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                 double margin, Contacts& contacts) {
  function(*std::get_if<A>(&a), X_WA, *std::get_if<B>(&b), X_WB, margin, contacts);
}

PairTable make_table() {
  // Row and column in the order of the variant; entries above the diagonal only.
  constexpr int plane = 0, sphere = 1, capsule = 2, cylinder = 3, box = 4, ellipsoid = 5,
                convex_mesh = 6;
  PairTable table{};
  // Convex shapes have a general way; closed forms replace it where they exist.
  for (int i = sphere; i <= convex_mesh; ++i) {
    for (int j = i; j <= convex_mesh; ++j) table[i][j] = convex_convex;
  }
  table[plane][sphere] = on_variants<Plane, Sphere, plane_sphere>;
  table[plane][capsule] = on_variants<Plane, Capsule, plane_capsule>;
  table[plane][cylinder] = on_variants<Plane, Cylinder, plane_cylinder>;
  table[plane][box] = on_variants<Plane, Box, plane_box>;
  table[plane][ellipsoid] = on_variants<Plane, Ellipsoid, plane_ellipsoid>;
  table[plane][convex_mesh] = on_variants<Plane, ConvexMesh, plane_convex_mesh>;
  table[sphere][sphere] = on_variants<Sphere, Sphere, sphere_sphere>;
  table[sphere][capsule] = on_variants<Sphere, Capsule, sphere_capsule>;
  table[sphere][cylinder] = on_variants<Sphere, Cylinder, sphere_cylinder>;
  table[sphere][box] = on_variants<Sphere, Box, sphere_box>;
  table[capsule][capsule] = on_variants<Capsule, Capsule, capsule_capsule>;
  table[box][box] = on_variants<Box, Box, box_box>;
  return table;
}

bool is_prepared(const Shape& shape) {
  const ConvexMesh* convex = std::get_if<ConvexMesh>(&shape);
  return !convex || convex->hull;
}

struct BoundingRadius {
  double operator()(const Plane&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const Sphere& sphere) const { return sphere.radius; }
  double operator()(const Capsule& capsule) const { return capsule.radius + capsule.half_length; }
  double operator()(const Cylinder& cylinder) const {
    return std::hypot(cylinder.radius, cylinder.half_length);
  }
  double operator()(const Box& box) const { return box.half_size.norm(); }
  double operator()(const Ellipsoid& ellipsoid) const { return ellipsoid.radii.maxCoeff(); }
  double operator()(const ConvexMesh& convex) const {
    double radius = 0;
    for (const Eigen::Vector3d& vertex : convex.mesh->vertices) {
      radius = std::max(radius, vertex.norm());
    }
    return radius;
  }
  double operator()(const HeightField& field) const {
    double height = field.grid->base;
    for (double value : field.grid->heights) height = std::max(height, std::abs(value));
    return std::hypot(field.grid->half_extent.norm(), height);
  }
};

}  // namespace

bool collide(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB, double margin,
             std::vector<ContactPoint>& contacts) {
  static const PairTable table = make_table();
  if (!is_prepared(a) || !is_prepared(b)) return false;
  if (const PairFunction function = table[a.index()][b.index()]) {
    function(a, X_WA, b, X_WB, margin, contacts);
    return true;
  }
  const PairFunction swapped = table[b.index()][a.index()];
  if (!swapped) return false;
  const size_t first = contacts.size();
  swapped(b, X_WB, a, X_WA, margin, contacts);
  for (size_t k = first; k < contacts.size(); ++k) contacts[k].n = -contacts[k].n;
  return true;
}

double bounding_radius(const Shape& shape) { return std::visit(BoundingRadius{}, shape); }

}  // namespace stiction
