// A geom's way through a step, and contacts that are found where it ends, seen from where it
// begins.
//
// A body turns by w h while its pivot o (structure.h) moves by v h. A point at o + r moves by
//
//   h v + (R(w h) - 1) r = h (v + w x rho),   rho = r_w + sin(a) / a R(w h / 2) (r - r_w),
//
// with a = |w| h / 2 and r_w the part of r along w. So a contact at o + rho, an arm half way
// between start and end, has exactly the gap that is left for this v and w, and nearly for others.
// Its gap at the start is not negative, so that it takes energy, as any other.
#pragma once

#include <stiction/simulation.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/collide.h"

namespace stiction {

/// Names of contacts that only such a step has, from here on: their impulses start no other.
constexpr std::uint32_t kEndFeature = 0x7fff0000;

struct Way {
  const Shape& shape;
  Frame start{};
  Frame end{};
  Eigen::Vector3d o_start = Eigen::Vector3d::Zero();  ///< the body's pivot
  Eigen::Vector3d o_end = Eigen::Vector3d::Zero();
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  ///< h v of the pivot
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();   ///< h w
  double length = 0;                                ///< no point of the geom goes further
};

/// At the share t of the step.
Frame pose_at(const Way& way, double t);

/// Along n from a to b at the end of the step; each is a plane or convex.
double end_gap(const Way& a, const Way& b, const Eigen::Vector3d& n);

/// The same when it begins.
double start_gap(const Way& a, const Way& b, const Eigen::Vector3d& n);

/// The gap that two may end with, of which one began with the gap `before`: as deep as that, or as
/// `slop`. What is deeper may grow by a tenth of it, in steps that do not recover (recover.h).
/// By `more`, as a share of slop, where earlier rounds of the step could not hold it back.
inline double deepest_allowed(double before, double slop, double more) {
  return std::min(before - (0.1 + more) * slop, -slop);
}

/// Whether a contact is of the end of an earlier round.
inline bool is_of_end(const ContactForce& contact) {
  return static_cast<std::uint32_t>(contact.id) >> 16 == kEndFeature >> 16;
}

/// How many are.
inline double count_of_end(std::span<const ContactForce> contacts) {
  return static_cast<double>(std::count_if(contacts.begin(), contacts.end(), is_of_end));
}

/// Of two that end with the gap along n, all points that are nearer than `margin` then.
void find_end_points(const Way& a, const Way& b, const Eigen::Vector3d& n, double gap,
                     double margin, std::vector<ContactPoint>& points);

}  // namespace stiction
