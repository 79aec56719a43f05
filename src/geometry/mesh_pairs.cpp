// A surface of triangles against convex shapes.
//
// Every triangle near the shape is a prism, thick enough to push the shape out at the front, and
// touches it as any two convex shapes do. What a triangle cannot know is what lies beyond its
// edges: where the neighbour goes on flat or rises, the edge is inside of the solid, and a normal
// that leans across it is a phantom on which sliding bodies would stumble. Such a normal is
// replaced by that of the face.
#include <algorithm>

#include "geometry/convex_manifold.h"
#include "geometry/pairs.h"
#include "geometry/prism.h"
#include "geometry/surface_tree.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kAngle = 1e-6;  // radians within which directions count as equal

void shape_prism(const SurfaceTree& tree, int face, double thickness, ConvexHull& prism) {
  const Vector3d& n = tree.normals[face];
  for (int k = 0; k < 3; ++k) {
    prism.vertices[k] = tree.vertices[tree.faces[face][k]];
    prism.vertices[k + 3] = prism.vertices[k] - thickness * n;
  }
  finish_prism(n, n, prism);
}

struct Scratch {
  ConvexHull prism = make_prism();
  Contacts found;
};

Scratch& scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

// Whether the normal at the point a of the face's front can be one of the whole surface.
bool is_allowed(const SurfaceTree& tree, const ConvexHull& prism, int face, const Vector3d& n,
                const Vector3d& a, double tolerance) {
  const Vector3d& n_face = tree.normals[face];
  if (n.dot(n_face) < 0) return false;
  bool on_edge = false;
  for (int k = 0; k < 3; ++k) {
    const Vector3d& outward = prism.normals[2 + k];
    const bool here = outward.dot(a - prism.vertices[k]) > -tolerance;
    const double lean = n.dot(outward);
    on_edge |= here;
    if (!here || lean < kAngle) continue;
    const SurfaceTree::Edge& edge = tree.edges[face][k];
    if (edge.neighbor < 0) continue;
    if (!edge.convex) return false;
    // Into the neighbour, at right angles to the edge.
    const Vector3d along = (prism.vertices[(k + 1) % 3] - prism.vertices[k]).normalized();
    if (n.dot(along.cross(edge.normal)) > kAngle) return false;
  }
  return on_edge;
}

bool above_face(const ConvexHull& prism, const Vector3d& p, double tolerance) {
  for (int k = 0; k < 3; ++k) {
    if (prism.normals[2 + k].dot(p - prism.vertices[k]) > tolerance) return false;
  }
  return true;
}

void add_face(const SurfaceTree& tree, int face, const Frame& X_WM, CorePair& pair,
              const Frame& X_WC, double margin, Scratch& work) {
  const Vector3d& n_face = tree.normals[face];
  const double radii = pair.a.radius + pair.b.radius;
  const Vector3d center = pair.R_AB * pair.b.center + pair.p_AB;
  if (n_face.dot(center - tree.vertices[tree.faces[face][0]]) < 0) return;  // behind the face
  shape_prism(tree, face, 2 * pair.b.bound + margin, work.prism);
  pair.a = {.kind = ConvexCore::Kind::kHull,
            .bound = work.prism.radius,
            .center = work.prism.center,
            .hull = &work.prism};
  pair.size = work.prism.radius + pair.b.bound + pair.b.radius;
  pair.piece = static_cast<std::uint32_t>(face + 1);
  pair.hint_a = 0;
  Separation separation;
  if (!separate(pair, margin + radii, Vector3d::Zero(), separation)) return;
  const double tolerance = 1e-7 * pair.size;
  const bool on_face = separation.n.dot(n_face) > 1 - kAngle * kAngle;
  const bool free =
      !on_face && is_allowed(tree, work.prism, face, separation.n, separation.a, tolerance);
  const size_t first = work.found.size();
  if (!free) {
    separation.n = n_face;
    const DifferencePoint deepest = support(pair, n_face);
    separation.value = -n_face.dot(deepest.w);
    separation.a = deepest.b();
    separation.a -= n_face.dot(separation.a - work.prism.vertices[0]) * n_face;
    separation.b = deepest.b();
    separation.reference = ReferenceFace::kOfA;
    if (separation.value - radii >= margin) return;
  }
  add_manifold(pair, separation, X_WM, X_WC, margin, work.found);
  size_t kept = first;
  for (size_t k = first; k < work.found.size(); ++k) {
    ContactPoint contact = work.found[k];
    const Vector3d p_M = X_WM.R.transpose() * (contact.p - X_WM.p);
    if (!free && !above_face(work.prism, p_M, tolerance)) continue;
    contact.feature ^= 0x9e3779b9u * static_cast<std::uint32_t>(face + 1);
    work.found[kept++] = contact;
  }
  work.found.resize(kept);
}

}  // namespace

void convex_mesh_surface(const Shape& convex, const Frame& X_WC, const Shape& surface,
                         const Frame& X_WM, double margin, Contacts& contacts) {
  const SurfaceTree& tree = *std::get_if<MeshSurface>(&surface)->tree;
  Scratch& work = scratch();
  work.found.clear();
  CorePair pair;
  pair.b = convex_core(convex);
  pair.R_AB = X_WM.R.transpose() * X_WC.R;
  pair.p_AB = X_WM.R.transpose() * (X_WC.p - X_WM.p);
  const double reach = pair.b.bound + pair.b.radius + margin;
  for_faces(
      tree,
      [&](const SurfaceTree::Ball& ball) {
        return (ball.center - pair.p_AB).norm() <= ball.radius + reach;
      },
      [&](int face, int) { add_face(tree, face, X_WM, pair, X_WC, margin, work); });
  for (ContactPoint& contact : work.found) contact.n = -contact.n;  // from the shape to the surface
  merge_by_normal(work.found, margin, contacts);
}

}  // namespace stiction
