// Pairs without a closed form: any two convex shapes, and a convex mesh on a plane.
#include "geometry/convex_manifold.h"
#include "geometry/pairs.h"

namespace stiction {

// GJK is more exact than this, relative to the size: where an axis separates by so much more than
// the limit, it would have found no contact either.
constexpr double kSlack = 1e-10;

void convex_convex(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                   double margin, Contacts& contacts) {
  PairMemory nothing;
  convex_convex_again(a, X_WA, b, X_WB, margin, contacts, nothing);
}

void convex_convex_again(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                         double margin, Contacts& contacts, PairMemory& memory) {
  CorePair pair = make_pair_of_cores(a, X_WA, b, X_WB);
  const double limit = margin + pair.a.radius + pair.b.radius;
  if (!memory.axis.isZero(0) &&
      separation_along(pair, memory.axis) > limit + kSlack * (pair.size + limit)) {
    return;
  }
  pair.hint_a = pair.hint_b = 0;
  Separation separation;
  if (!separate(pair, limit, separation)) {
    memory.axis = separation.n;
    return;
  }
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
  keep_widest(contacts, first);
}

}  // namespace stiction
