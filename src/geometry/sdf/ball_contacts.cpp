// Balls against signed distance solids: a contact is a point of the surface that is nearest to the
// ball's centre among those around it.
//
// Where distances are exact, it is the centre moved down the gradient by the distance. Distances of
// threads, grids and networks are exact on the surface only, so that this point is no more than a
// start: it is moved to the zero, and along it until the way to the centre is upright on it. A
// start in another valley is found by the faces of the surface, all of which are asked, so that no
// approximation lets a ball through.
#include <stiction/sdf.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/pairs.h"
#include "geometry/sdf/face_search.h"
#include "geometry/surface_tree.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Newton's method along the gradient; whether it got there. Writes the gradient.
bool move_onto(const DistanceFunction& distance, double tolerance, Vector3d& x,
               Vector3d& gradient) {
  for (int k = 0; k < 12; ++k) {
    const double d = distance(x, gradient);
    if (std::abs(d) <= tolerance) return true;
    const double square = gradient.squaredNorm();
    if (!(square > 0)) return false;
    x -= d / square * gradient;
  }
  return std::abs(distance(x, gradient)) <= tolerance;
}

// Moves x along the zero towards its point nearest to `center`, by steepest descent with the step
// of Barzilai and Borwein, shortened where that leads away. At an edge of the solid it stays.
void approach(const DistanceFunction& distance, double tolerance, const Vector3d& center,
              Vector3d& x, Vector3d& gradient) {
  const auto downhill = [&](const Vector3d& at, const Vector3d& slope) {
    const Vector3d n = slope.normalized(), way = center - at;
    return Vector3d(way - n.dot(way) * n);
  };
  Vector3d along = downhill(x, gradient);
  double length = 1, away = (center - x).norm();
  int shorter = 0;
  for (int k = 0; k < 30; ++k) {
    if (along.squaredNorm() <= 1e-12 * away * away) return;
    Vector3d next = x + length * along, slope;
    const bool found = move_onto(distance, tolerance, next, slope);
    const double next_away = (center - next).norm();
    if (!found || !(next_away < away - tolerance)) {
      if (++shorter > 6) return;
      length /= 4;
      continue;
    }
    const Vector3d next_along = downhill(next, slope);
    const Vector3d moved = next - x;
    const double bend = moved.dot(along - next_along);
    length = bend > 0 ? moved.squaredNorm() / bend : 2 * length;
    x = next;
    gradient = slope;
    along = next_along;
    away = next_away;
    shorter = 0;
  }
}

struct Nearest {
  int face = -1, corner = -1;  // of the tree; -1 if none is near enough
  Vector3d x;                  // of the face
};

// Of the triangles and their corners, where the zero may be nearer than `bound`.
Nearest nearest_of(const SurfaceTree& tree, const Vector3d& center, double bound) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Nearest nearest;
  double to_face = kInfinity, to_corner = kInfinity;
  for_faces(
      tree,
      [&](const SurfaceTree::Ball& ball) {
        return (ball.center - center).norm() - ball.radius < std::min(bound, to_face);
      },
      [&](int face, int) {
        const Eigen::Vector3i& ids = tree.faces[face];
        const Vector3d &a = tree.vertices[ids[0]], &b = tree.vertices[ids[1]],
                       &c = tree.vertices[ids[2]];
        const Vector3d w = nearest_weights(a, b, c, center);
        const Vector3d x = w[0] * a + w[1] * b + w[2] * c;
        const double away = (x - center).norm();
        if (away - tree.sag[face] >= bound) return;
        for (const int id : ids) {
          const double corner_away = (tree.vertices[id] - center).norm();
          if (corner_away >= to_corner) continue;
          to_corner = corner_away;
          nearest.corner = id;
        }
        if (away >= to_face) return;
        to_face = away;
        nearest.face = face;
        nearest.x = x;
      });
  return nearest;
}

class Ball {
 public:
  Ball(const Sphere& sphere, const Frame& X_WB, const SdfSolid& solid, const Frame& X_WS,
       double margin, Contacts& contacts)
      : sdf_(*solid.sdf),
        tree_(*solid.tree),
        X_WS_(X_WS),
        p_WB_(X_WB.p),
        center_(X_WS.R.transpose() * (X_WB.p - X_WS.p)),
        radius_(sphere.radius),
        margin_(margin),
        contacts_(contacts),
        first_(contacts.size()),
        inside_(sdf_.distance(center_, gradient_) < 0) {}

  // The valley of the part that its gradient leads to, if it is not within another part.
  void touch_part(const DistanceFunction& part, std::uint32_t feature) {
    Vector3d slope, ignored;
    const double d = part(center_, slope);
    if (!(d < radius_ + margin_) || (d < 0) != inside_) return;
    Vector3d x = center_ - d * slope;
    if (!move_onto(part, tolerance(), x, slope)) return;
    approach(part, tolerance(), center_, x, slope);
    if (sdf_.distance(x, ignored) >= -1e-3 * sdf_.detail) add(x, feature);
  }

  // The nearest valley of all, unless that is found.
  void touch_surface(std::uint32_t feature) {
    const double bound = inside_ ? nearest_ : std::min(nearest_, radius_ + margin_);
    const Nearest nearest = nearest_of(tree_, center_, bound - tolerance());
    if (nearest.face < 0) return;
    Vector3d x = nearest.x, slope;
    const bool found = move_onto(sdf_.distance, tolerance(), x, slope);
    if (found) approach(sdf_.distance, tolerance(), center_, x, slope);
    // A corner is on the zero for sure.
    const Vector3d& corner = tree_.vertices[nearest.corner];
    if (!found || (corner - center_).norm() < (x - center_).norm()) {
      x = corner;
      slope = tree_.gradients[nearest.corner];
      approach(sdf_.distance, tolerance(), center_, x, slope);
    }
    // Below a groove, gradients lead away from it.
    const double most = (nearest.x - center_).norm() + tree_.sag[nearest.face];
    if (inside_ && (x - center_).norm() > most) x = nearest.x;
    if ((x - center_).norm() < nearest_) add(x, feature);
  }

 private:
  double tolerance() const { return 1e-10 * sdf_.detail; }  // of points on the zero

  // A centre inside has one way out, the shortest; outside, every valley counts.
  void add(const Vector3d& x, std::uint32_t feature) {
    const double away = (x - center_).norm();
    const double gap = (inside_ ? -away : away) - radius_;
    if (inside_ && away >= nearest_) return;
    nearest_ = std::min(nearest_, away);
    if (!(gap < margin_)) return;
    // A centre on the surface has no way to it.
    const Vector3d out = away > 1e-6 * sdf_.detail
                             ? Vector3d((inside_ ? x - center_ : center_ - x) / away)
                             : Vector3d(gradient_.normalized());
    const Vector3d n = -(X_WS_.R * out);
    const ContactPoint contact{p_WB_ + (radius_ + 0.5 * gap) * n, n, gap, feature};
    for (size_t k = first_; k < contacts_.size(); ++k) {
      if (!inside_ && contacts_[k].n.dot(n) <= 0.9999) continue;
      if (inside_ || gap < contacts_[k].gap) contacts_[k] = contact;
      return;
    }
    contacts_.push_back(contact);
  }

  const Sdf& sdf_;
  const SurfaceTree& tree_;
  const Frame& X_WS_;
  Vector3d p_WB_;
  Vector3d center_;  // in the solid's frame
  double radius_, margin_;
  Contacts& contacts_;
  size_t first_;                                              // contact
  Vector3d gradient_;                                         // at the centre
  bool inside_;                                               // the centre
  double nearest_ = std::numeric_limits<double>::infinity();  // to the centre, of what was found
};

}  // namespace

// One contact with each part that shows its own surface there: the wall and the base of a bowl.
void sphere_sdf(const Sphere& sphere, const Frame& X_WB, const SdfSolid& solid, const Frame& X_WS,
                double margin, Contacts& contacts) {
  const Sdf& sdf = *solid.sdf;
  Ball ball(sphere, X_WB, solid, X_WS, margin, contacts);
  std::uint32_t feature = 0;
  if (sdf.parts.empty()) ball.touch_part(sdf.distance, feature++);
  for (const DistanceFunction& part : sdf.parts) ball.touch_part(part, feature++);
  ball.touch_surface(feature);
}

}  // namespace stiction
