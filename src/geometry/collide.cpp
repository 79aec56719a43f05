#include "geometry/collide.h"

#include <stiction/sdf.h>

#include <array>

#include "geometry/bounds.h"
#include "geometry/hull.h"
#include "geometry/pairs.h"
#include "geometry/surface_tree.h"

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
  // Row and column in the order of the variant; each pair has one entry, in either order.
  constexpr int plane = 0, sphere = 1, capsule = 2, cylinder = 3, box = 4, ellipsoid = 5,
                convex_mesh = 6, height_field = 7, mesh_surface = 8, sdf = 9;
  PairTable table{};
  // Convex shapes have a general way; closed forms replace it where they exist.
  for (int i = sphere; i <= convex_mesh; ++i) {
    for (int j = i; j <= convex_mesh; ++j) table[i][j] = convex_convex;
    table[height_field][i] = height_field_convex;
    table[i][mesh_surface] = convex_mesh_surface;
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
  table[plane][sdf] = on_variants<Plane, SdfSolid, plane_sdf>;
  table[sphere][sdf] = on_variants<Sphere, SdfSolid, sphere_sdf>;
  table[capsule][sdf] = on_variants<Capsule, SdfSolid, capsule_sdf>;
  table[cylinder][sdf] = on_variants<Cylinder, SdfSolid, cylinder_sdf>;
  table[box][sdf] = on_variants<Box, SdfSolid, box_sdf>;
  table[ellipsoid][sdf] = on_variants<Ellipsoid, SdfSolid, ellipsoid_sdf>;
  table[convex_mesh][sdf] = on_variants<ConvexMesh, SdfSolid, convex_mesh_sdf>;
  table[mesh_surface][sdf] = on_variants<MeshSurface, SdfSolid, mesh_surface_sdf>;
  table[height_field][sdf] = on_variants<HeightField, SdfSolid, height_field_sdf>;
  table[sdf][sdf] = on_variants<SdfSolid, SdfSolid, sdf_sdf>;
  table[box][box] = on_variants<Box, Box, box_box>;
  // Ground against ground has no contacts, as in MuJoCo; one that moves is reported as unsupported.
  return table;
}

bool is_prepared(const Shape& shape) {
  if (const auto* convex = std::get_if<ConvexMesh>(&shape)) return convex->hull != nullptr;
  if (const auto* surface = std::get_if<MeshSurface>(&shape)) return surface->tree != nullptr;
  if (const auto* solid = std::get_if<SdfSolid>(&shape)) return solid->tree != nullptr;
  return true;
}

void call(PairFunction function, const Shape& a, const Frame& X_WA, const Shape& b,
          const Frame& X_WB, double margin, Contacts& contacts, PairMemory* memory) {
  if (memory && function == convex_convex) {
    convex_convex_again(a, X_WA, b, X_WB, margin, contacts, *memory);
  } else {
    function(a, X_WA, b, X_WB, margin, contacts);
  }
}

}  // namespace

bool collide(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB, double margin,
             std::vector<ContactPoint>& contacts, PairMemory* memory) {
  static const PairTable table = make_table();
  if (!is_prepared(a) || !is_prepared(b)) return false;
  if (const PairFunction function = table[a.index()][b.index()]) {
    call(function, a, X_WA, b, X_WB, margin, contacts, memory);
    return true;
  }
  const PairFunction swapped = table[b.index()][a.index()];
  if (!swapped) return false;
  const size_t first = contacts.size();
  call(swapped, b, X_WB, a, X_WA, margin, contacts, memory);
  for (size_t k = first; k < contacts.size(); ++k) contacts[k].n = -contacts[k].n;
  return true;
}

double detail_size(const Shape& shape) {
  if (const auto* solid = std::get_if<SdfSolid>(&shape)) return solid->sdf->detail;
  const bool is_ground = std::holds_alternative<Plane>(shape) ||
                         std::holds_alternative<HeightField>(shape) ||
                         std::holds_alternative<MeshSurface>(shape);
  return is_ground ? 0 : extent(shape).radius();
}

void prepare_for_collision(Shape& shape) {
  if (auto* convex = std::get_if<ConvexMesh>(&shape); convex && !convex->hull) {
    convex->hull = std::make_shared<const ConvexHull>(make_collision_hull(*convex->mesh));
  } else if (auto* surface = std::get_if<MeshSurface>(&shape); surface && !surface->tree) {
    surface->tree = std::make_shared<const SurfaceTree>(make_surface_tree(*surface->mesh));
  } else if (auto* solid = std::get_if<SdfSolid>(&shape); solid && !solid->tree) {
    solid->tree = std::make_shared<const SurfaceTree>(make_surface_tree(*solid->sdf));
  }
}

}  // namespace stiction
