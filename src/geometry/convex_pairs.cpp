// Pairs without a closed form: any two convex shapes, and a convex mesh on a plane.
#include "geometry/convex_manifold.h"
#include "geometry/pairs.h"

namespace stiction {

namespace {

// GJK is more exact than this, relative to the size: where an axis separates by so much more than
// the margin, it would have found no contact either.
constexpr double kSlack = 1e-10;

// Whether the unit `axis`, in the frame of a, separates the shapes by more than the margin.
bool proves_apart(const Eigen::Vector3d& axis, const ConvexCore& a, const Frame& X_WA,
                  const ConvexCore& b, const Frame& X_WB, double margin) {
  if (axis.isZero(0)) return false;
  const Eigen::Vector3d n = X_WA.R * axis;
  const Eigen::Vector3d n_B = X_WB.R.transpose() * n;
  int start_a = 0, start_b = 0;
  const double separation = n.dot(X_WB.p - X_WA.p) - axis.dot(support(a, axis, start_a)) +
                            n_B.dot(support(b, -n_B, start_b)) - a.radius - b.radius;
  const double size = a.bound + a.radius + b.bound + b.radius + margin;
  return separation > margin + kSlack * size;
}

}  // namespace

void convex_convex(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                   double margin, Contacts& contacts) {
  PairMemory nothing;
  convex_convex_again(a, X_WA, b, X_WB, margin, contacts, nothing);
}

void convex_convex_again(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                         double margin, Contacts& contacts, PairMemory& memory) {
  const ConvexCore core_a = convex_core(a);
  const ConvexCore core_b = convex_core(b);
  if (proves_apart(memory.axis, core_a, X_WA, core_b, X_WB, margin)) return;
  CorePair pair = make_pair_of_cores(core_a, X_WA, core_b, X_WB);
  Separation separation;
  const double limit = margin + pair.a.radius + pair.b.radius;
  const bool near = separate(pair, limit, memory.axis, separation);
  memory.axis = separation.n;
  if (!near) return;
  add_manifold(pair, separation, X_WA, X_WB, margin, contacts);
}

void plane_convex_mesh(const Plane&, const Frame& X_WP, const ConvexMesh& convex, const Frame& X_WC,
                       double margin, Contacts& contacts) {
  const size_t first = contacts.size();
  const Eigen::Vector3d n_W = X_WP.R.col(2);
  const Eigen::Vector3d n_C = X_WC.R.transpose() * n_W;
  const double origin = n_W.dot(X_WC.p - X_WP.p);
  if (origin - convex.hull->radius >= margin) return;
  const auto& vertices = convex.hull->vertices;
  for (size_t v = 0; v < vertices.size(); ++v) {
    const double gap = origin + n_C.dot(vertices[v]);
    if (gap >= margin) continue;
    contacts.push_back(
        {X_WC.R * vertices[v] + X_WC.p - 0.5 * gap * n_W, n_W, gap, static_cast<std::uint32_t>(v)});
  }
  keep_widest(contacts, first, margin);
}

}  // namespace stiction
