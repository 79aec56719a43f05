// Pairs without a closed form: any two convex shapes, and a convex mesh on a plane.
#include "geometry/convex_manifold.h"
#include "geometry/pairs.h"

namespace stiction {

void convex_convex(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                   double margin, Contacts& contacts) {
  CorePair pair = make_pair_of_cores(a, X_WA, b, X_WB);
  Separation separation;
  if (!separate(pair, margin + pair.a.radius + pair.b.radius, separation)) return;
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
