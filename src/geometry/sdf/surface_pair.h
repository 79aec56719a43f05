// A distance field A and a triangulated surface B, seen from A.
#pragma once

#include "geometry/sdf/surface_contacts.h"

namespace stiction {

struct SurfacePair {
  SurfacePair(const Field& field, const Surface& surface)
      : a(field),
        b(surface),
        tree(surface.tree),
        R_AB(field.X_WA.R.transpose() * surface.X_WB.R),
        p_AB(field.X_WA.R.transpose() * (surface.X_WB.p - field.X_WA.p)) {}

  const Field& a;
  const Surface& b;
  const SurfaceTree& tree;
  Eigen::Matrix3d R_AB;
  Eigen::Vector3d p_AB;

  /// At x in A's frame, as B's distance is below, with its gradient there.
  double distance_of_a(const Eigen::Vector3d& x, Eigen::Vector3d& gradient) const {
    return a.distance(x, gradient);
  }
  double distance_of_b(const Eigen::Vector3d& x, Eigen::Vector3d& gradient) const {
    Eigen::Vector3d g;
    const double d = (*b.distance)(R_AB.transpose() * (x - p_AB), g);
    gradient = R_AB * g;
    return d;
  }
  /// The same outside, as exact as they get.
  double outside_of_a(const Eigen::Vector3d& x, Eigen::Vector3d& gradient) const {
    return a.outside ? (*a.outside)(x, gradient) : a.distance(x, gradient);
  }
  double outside_of_b(const Eigen::Vector3d& x, Eigen::Vector3d& gradient) const {
    Eigen::Vector3d g;
    const double d = (b.outside ? *b.outside : *b.distance)(R_AB.transpose() * (x - p_AB), g);
    gradient = R_AB * g;
    return d;
  }

  /// Whether what the distance says outside is far from exact, while something else is not.
  bool is_rough_a() const { return a.outside && a.lipschitz > 1; }
  bool is_rough_b() const { return b.outside && b.lipschitz > 1; }

  /// Whether gaps can be found to rounding: distances outside are exact, not only near enough.
  bool is_exact() const {
    return (a.outside || a.lipschitz <= 1) && (b.outside || b.lipschitz <= 1);
  }

  double sum_of_distances(const Eigen::Vector3d& x, Eigen::Vector3d& gradient) const {
    Eigen::Vector3d g;
    const double d = a.distance(x, gradient) + distance_of_b(x, g);
    gradient += g;
    return d;
  }

  /// Whether B's zero leaves the face, so that its distance matters.
  bool is_bent(int face) const { return b.distance && tree.sag[face] > 1e-9 * tree.sizes[face]; }

  /// Whether B has a round edge at the face, which knows only its chords.
  bool is_round(int face) const { return b.distance && tree.beyond[face] > 0; }

  /// Of B at a corner, seen from the face, in B's frame: at a sharp edge B has another gradient on
  /// either side.
  const Eigen::Vector3d& gradient_beside(int face, int corner) const {
    const Eigen::Vector3d& n_face = tree.normals[face];
    if (!b.distance) return n_face;
    const Eigen::Vector3d& gradient = tree.gradients[tree.faces[face][corner]];
    return gradient.dot(n_face) > 0.8 ? gradient : n_face;
  }

  bool is_smooth(int face) const {
    if (!b.distance) return true;
    for (int k = 0; k < 3; ++k) {
      if (tree.gradients[tree.faces[face][k]].dot(tree.normals[face]) <= 0.8) return false;
    }
    return true;
  }
};

}  // namespace stiction
