// Boxes side by side make a floor. What slides over a seam has its nearest point of the next box on
// that box's side and would be stopped by it: seams are steps, of no height but for what rounding
// and overlaps that are not recovered make of them.
//
// So a pair whose way would take one into the other, while one of the two touches something else
// along which the way leads, is looked at again: the second is moved along its way until the gap
// closes, and a little into it. If the way out is now another, across the way, and as short as a
// step of no height, the contacts are those of there. (Not where the floor is of triangles, nor of
// signed distances.)
#include <algorithm>
#include <cmath>

#include "sim/detect.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kStep = 5e-6;    // of no height, m
constexpr double kInto = 1e-5;    // m
constexpr double kLevel = 1e-3;   // a sine as good as zero
constexpr double kStrike = 1e-7;  // m into another within the step
constexpr int kMostMoves = 30;

}  // namespace

// By points_.
bool ContactDetector::strikes(const Placed& a, const Placed& b, double h) const {
  if (h == 0 || a.many_sided || b.many_sided) return false;
  const Vector3d way = h * (b.v_next - a.v_next);
  const double level = kLevel * way.norm();
  return std::any_of(points_.begin(), points_.end(), [&](const ContactPoint& point) {
    const double closing = -point.n.dot(way);
    return closing > level && point.gap > -kStep && point.gap - closing < -kStrike;
  });
}

// True if the bodies' ways lead past each other as over a seam; path_points_ are then where b has
// moved by `moved_by`.
bool ContactDetector::slides_over(const Placed& a, const Placed& b, double h, Vector3d& moved_by) {
  const Vector3d way = h * (b.v_next - a.v_next);
  const double length = way.norm();
  double moved = 0;
  path_points_ = points_;
  for (int k = 0; k < kMostMoves && !path_points_.empty(); ++k) {
    const ContactPoint& point = nearest(path_points_);
    const double closing = -point.n.dot(way) / length;
    if (point.gap < -kStep) return false;
    if (closing <= kLevel || moved == length) return k > 0;
    moved = std::min(moved + std::max(point.gap, 0.0) / closing + kInto, length);
    moved_by = moved / length * way;
    Frame X_WG = b.X_WG;
    X_WG.p += moved_by;
    path_points_.clear();
    collide(a.shape, a.X_WG, b.shape, X_WG, length + kStep, path_points_, nullptr);
  }
  return false;
}

bool ContactDetector::slides_on_another(const Pair& pair, double h,
                                        const std::vector<ContactForce>& contacts) const {
  const Placed& a = placed_[pair.i];
  const Placed& b = placed_[pair.j];
  const Vector3d way = h * (b.v_next - a.v_next);
  const double level = kLevel * way.norm();
  const auto is_of = [](const Placed& placed, const ContactForce& contact) {
    return placed.moves && (contact.body1 == placed.body || contact.body2 == placed.body);
  };
  return std::any_of(contacts.begin(), contacts.end(), [&](const ContactForce& contact) {
    return contact.gap <= kStep && (is_of(a, contact) || is_of(b, contact)) &&
           !(contact.geom1 == a.geom && contact.geom2 == b.geom) &&
           std::abs(contact.R_CW.row(2).dot(way)) <= level;
  });
}

void ContactDetector::look_at_seams(double h, std::vector<ContactForce>& contacts) {
  seam_contacts_.clear();
  for (const int k : striking_pairs_) {
    Pair& pair = pairs_[k];
    pair.at_seam = slides_on_another(pair, h, contacts);
    if (pair.at_seam) collide_pair(pair, h, seam_contacts_);
  }
  if (seam_contacts_.empty()) return;
  std::erase_if(contacts, [&](const ContactForce& known) {
    return std::binary_search(seam_contacts_.begin(), seam_contacts_.end(), known, less_by_pair);
  });
  merge_by_pair(seam_contacts_, contacts);
}

}  // namespace stiction
