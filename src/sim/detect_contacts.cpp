// Narrow phase: the contacts of a pair where the two meet, with its margin, its law and its names,
// unless they only pass by each other.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/detect.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Of the smaller body's size: bodies that stay this far apart pass by each other.
constexpr double kPassing = 0.01;
constexpr int kMostAdvances = 50;
constexpr double kCloseEnough = 0.01;
// Sine of the angle at which bodies touch while they graze each other.
constexpr double kGrazing = 0.1;

// Rows t1, t2, n. The tangents follow the world axis that is most perpendicular to n.
Eigen::Matrix3d contact_frame(const Vector3d& n) {
  Eigen::Index axis;
  n.cwiseAbs().minCoeff(&axis);
  const Vector3d t1 = Vector3d::Unit(axis).cross(n).normalized();
  Eigen::Matrix3d R_CW;
  R_CW << t1.transpose(), n.cross(t1).transpose(), n.transpose();
  return R_CW;
}

// Either of the two may be stopped by a third within the step.
double closing_speed(const Vector3d& v1, const Vector3d& v2) {
  return std::sqrt(std::max({(v1 - v2).squaredNorm(), v1.squaredNorm(), v2.squaredNorm()}));
}

}  // namespace

// Fast bodies have contacts at gaps as wide as their way within the step. With the normal of where
// they are now, such a contact would stop what never touches it, past a corner, and throw what does
// into another direction. So the second is moved along its way relative to the first, by no more
// than the gap at a time, until the two touch. Turning counts as size. Signed distances are not
// asked, as each answer takes long.
ContactDetector::Meeting ContactDetector::find_meeting(const Placed& a, const Placed& b, double h,
                                                       Vector3d& moved_by) {
  moved_by.setZero();
  if (h == 0 || a.is_sdf || b.is_sdf) return Meeting::kNear;
  const double touch = kPassing * std::min(a.detail, b.detail) + a.top_margin + b.top_margin +
                       2 * fall_ + a.turn + b.turn;
  const Vector3d way = h * (b.v_next - a.v_next);
  bool reaches = false;
  for (const ContactPoint& point : points_) {
    if (point.gap <= touch) return Meeting::kNear;
    reaches |= point.gap + point.n.dot(way) < touch;
  }
  if (!reaches) return Meeting::kNear;  // contacts that stay open are as good
  const double length = way.norm();
  const auto collide_at = [&](double moved) {
    Frame X_WG = b.X_WG;
    moved_by = moved / length * way;
    X_WG.p += moved_by;
    path_points_.clear();
    collide(a.shape, a.X_WG, b.shape, X_WG, length + touch, path_points_, nullptr);
  };
  path_points_ = points_;
  double gap = nearest(path_points_).gap;
  double moved = 0;
  for (int k = 0; k < kMostAdvances; ++k) {
    if (gap <= (1 + kCloseEnough) * touch) {
      const double closing = -nearest(path_points_).n.dot(way) / length;
      if (closing > kGrazing) collide_at(std::min(moved + gap / closing, length));
      return Meeting::kOnTheWay;
    }
    moved += gap - touch;
    if (moved >= length) return Meeting::kNever;
    collide_at(moved);
    gap = path_points_.empty() ? length + touch : nearest(path_points_).gap;
  }
  moved_by.setZero();
  return Meeting::kNear;
}

const ContactPair* ContactDetector::own_law(const Placed& a, const Placed& b) const {
  if (explicit_.empty()) return nullptr;
  const auto found = explicit_.find({a.geom, b.geom});
  return found == explicit_.end() ? nullptr : &model_.pairs[found->second];
}

// MuJoCo's rule: the geom of higher priority decides; at equal priority the larger value does.
ContactDetector::PairLaw ContactDetector::law_of(const Placed& first, const Placed& second) const {
  if (const ContactPair* own = own_law(first, second)) {
    return {own->condim, own->friction[0], own->restitution};
  }
  const Contact& a = model_.geoms[first.geom].contact;
  const Contact& b = model_.geoms[second.geom].contact;
  if (a.priority != b.priority) {
    const Contact& higher = a.priority > b.priority ? a : b;
    return {higher.condim, higher.friction[0], higher.restitution};
  }
  return {std::max(a.condim, b.condim), std::max(a.friction[0], b.friction[0]),
          std::max(a.restitution, b.restitution)};
}

ContactForce ContactDetector::make_contact(const Placed& first, const Placed& second,
                                           const PairLaw& law, const ContactPoint& point) {
  ContactForce contact;
  contact.id = (static_cast<std::uint64_t>(first.geom) << 48) ^
               (static_cast<std::uint64_t>(second.geom) << 32) ^ point.feature;
  contact.geom1 = first.geom;
  contact.geom2 = second.geom;
  contact.body1 = first.body;
  contact.body2 = second.body;
  contact.p_W = point.p;
  contact.R_CW = contact_frame(point.n);
  contact.gap = point.gap;
  contact.apart_W = std::max(point.gap, 0.0) * point.n;
  contact.mu = law.condim == 1 ? 0 : law.mu;
  contact.restitution = law.restitution;
  return contact;
}

void ContactDetector::collide_pair(Pair& pair, double h, std::vector<ContactForce>& contacts) {
  const Placed& first = placed_[pair.i];
  const Placed& second = placed_[pair.j];
  const ContactPair* own = own_law(first, second);
  double margin = own ? own->margin : std::max(first.margin, second.margin);
  margin += options_.rest_margin * (first.detail + second.detail) + first.turn + second.turn;
  if (h > 0) {
    double closing = closing_speed(first.v, second.v);
    if (first.outruns || second.outruns) {  // one may have been thrown back at the other
      closing =
          std::max({closing, closing_speed(first.v_next, second.v_next),
                    closing_speed(first.v, second.v_next), closing_speed(first.v_next, second.v)});
    }
    margin += h * closing + 2 * fall_;
  }
  points_.clear();
  if (!collide(first.shape, first.X_WG, second.shape, second.X_WG, margin, points_, &pair.memory)) {
    unsupported_.insert({first.geom, second.geom});
    return;
  }
  if (points_.empty()) return;
  Vector3d moved_by;
  const Meeting meeting = pair.at_seam && slides_over(first, second, h, moved_by)
                              ? Meeting::kOnTheWay
                              : find_meeting(first, second, h, moved_by);
  switch (meeting) {
    case Meeting::kNever:
      passing_.emplace_back(pair.i, pair.j);
      return;
    case Meeting::kOnTheWay:  // seen from the start
      points_.swap(path_points_);
      for (ContactPoint& point : points_) {
        point.p -= 0.5 * moved_by;
        point.gap -= point.n.dot(moved_by);
      }
      std::erase_if(points_, [&](const ContactPoint& point) { return point.gap >= margin; });
      break;
    case Meeting::kNear:
      break;
  }
  if (!first.many_sided && !second.many_sided) {
    keep_widest(points_, 0, margin, options_.max_points);
  }
  const PairLaw law = law_of(first, second);
  // Two that are near and move keep their angular momentum (assemble.h).
  const bool in_common = meeting == Meeting::kNear && first.moves && second.moves &&
                         !first.many_sided && !second.many_sided;
  for (const ContactPoint& point : points_) {
    ContactForce& contact = contacts.emplace_back(make_contact(first, second, law, point));
    if (in_common) {
      contact.apart_W.setZero();
    } else {
      contact.apart_W += point.n.dot(moved_by) * point.n - moved_by;
    }
  }
}

const ContactPoint& ContactDetector::nearest(const std::vector<ContactPoint>& points) {
  return *std::min_element(
      points.begin(), points.end(),
      [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
}

// A plane has none.
double ContactDetector::smaller_radius(const Placed& a, const Placed& b) {
  return a.radius > 0 && b.radius > 0 ? std::min(a.radius, b.radius) : std::max(a.radius, b.radius);
}

bool ContactDetector::less_by_pair(const ContactForce& a, const ContactForce& b) {
  return std::pair(a.geom1, a.geom2) < std::pair(b.geom1, b.geom2);
}

std::span<const ContactForce> ContactDetector::contacts_of(
    const Placed& a, const Placed& b, const std::vector<ContactForce>& contacts) {
  ContactForce wanted;
  wanted.geom1 = a.geom;
  wanted.geom2 = b.geom;
  const auto [begin, end] =
      std::equal_range(contacts.begin(), contacts.end(), wanted, less_by_pair);
  return {begin, end};
}

void ContactDetector::merge_by_pair(const std::vector<ContactForce>& more,
                                    std::vector<ContactForce>& contacts) {
  const auto middle = static_cast<std::ptrdiff_t>(contacts.size());
  contacts.insert(contacts.end(), more.begin(), more.end());
  std::inplace_merge(contacts.begin(), contacts.begin() + middle, contacts.end(), less_by_pair);
}

}  // namespace stiction
