#include "geometry/sdf/face_contact.h"

namespace stiction {

using Eigen::Vector3d;

// Starts from the best of middle and corners, where the lead decides if they are equally deep.
FacePoint least_on_face(const SurfacePair& pair, const std::vector<Sample>& vertices, int face) {
  const SurfaceTree& tree = pair.tree;
  const Eigen::Vector3i& ids = tree.faces[face];
  const bool bent = pair.is_bent(face);
  std::array<FacePoint, 3> corners;
  for (int k = 0; k < 3; ++k) {
    const Sample& end = vertices[ids[k]];
    corners[k] = {end.x, end.value, end.gradient, tree.leads[ids[k]], Vector3d::Unit(k), k};
    if (bent) corners[k].gradient += pair.R_AB * pair.gradient_beside(face, k);
  }
  FacePoint start;
  start.x = (corners[0].x + corners[1].x + corners[2].x) / 3;
  start.lead = (corners[0].lead + corners[1].lead + corners[2].lead) / 3;
  start.value = pair.distance_of_a(start.x, start.gradient);
  if (bent) {
    start.value += tree.middle_distances[face];
    start.gradient += pair.R_AB * tree.middle_gradients[face];
  }
  for (const FacePoint& corner : corners) {
    if (corner.rank() < start.rank()) start = corner;
  }
  const auto field = [&](const Vector3d& x, Vector3d& gradient) {
    return bent ? pair.sum_of_distances(x, gradient) : pair.distance_of_a(x, gradient);
  };
  return minimise_on_face(field, corners, start, 1e-4 * tree.sizes[face],
                          !bent || pair.is_smooth(face));
}

bool contact_at(const SurfacePair& pair, const NearFace& near, FacePoint m, double margin,
                SurfaceContact& found) {
  const double size = pair.tree.sizes[near.face];
  const Vector3d n_face = pair.R_AB * pair.tree.normals[near.face];
  Vector3d n_b = n_face;
  if (m.corner >= 0) {
    n_b = pair.R_AB * pair.gradient_beside(near.face, m.corner);
  } else if (pair.is_bent(near.face)) {
    // A distance that is not exact takes a few steps of Newton's method to its zero.
    const int steps = pair.is_rough_b() ? 4 : 1;
    for (int k = 0; k < steps; ++k) {
      const double off = pair.distance_of_b(m.x, n_b);
      m.x -= off / n_b.squaredNorm() * n_b;
    }
    n_b.normalize();
  }
  Vector3d n;
  double gap = pair.distance_of_a(m.x, n);
  if (pair.is_rough_a() && gap > 0) gap = pair.outside_of_a(m.x, n);
  n.normalize();
  // Smooth surfaces face each other, and the search on the face has found where. At an edge of A,
  // where its gradient jumps, B decides: A is asked a little outside.
  bool sharp = n.dot(n_b) > -0.99 && (!pair.b.distance || !pair.is_smooth(near.face));
  if (gap < 1e-3 * size && n.dot(n_b) > -0.99) {
    const Vector3d inside = n;
    const double away = std::max(0.0, -gap) + 0.01 * size;
    gap = pair.distance_of_a(m.x - away * n_b, n);
    n.normalize();
    gap += away * n.dot(n_b);
    sharp |= n.dot(inside) < 0.99;
  }
  // Surfaces that touch look at each other, at least on one face beside a sharp edge.
  if (!(gap < margin)) return false;
  bool faces = n.dot(n_face) <= -0.1;
  if (!faces && gap < 0) {
    // Where A's depth has a ridge, it has several normals, of which B faces the one behind.
    Vector3d behind;
    pair.distance_of_a(m.x - 1e-6 * size * n_b, behind);
    behind.normalize();
    faces = behind.dot(n_face) <= -0.1;
    if (faces) n = behind;
  }
  const int corner = m.corner >= 0 ? pair.tree.faces[near.face][m.corner] : -1;
  const auto feature = static_cast<std::uint32_t>(corner >= 0 ? 2 * corner + 1 : 2 * near.face);
  const Frame& X_WA = pair.a.X_WA;
  const Vector3d p = m.x - 0.5 * gap * n;
  found = {.contact = {X_WA.R * p + X_WA.p, X_WA.R * n, gap, feature},
           .leaf = near.leaf,
           .lead = m.lead,
           .face = near.face,
           .facing = n.dot(n_b),
           .faces = faces,
           .sharp = sharp,
           .chord = pair.is_round(near.face) && m.weights.minCoeff() < 1e-6};
  return true;
}

}  // namespace stiction
