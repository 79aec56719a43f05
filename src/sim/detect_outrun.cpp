// Contacts that a step's own forces bring about: a servo may throw a finger through a wall that was
// far out of its reach when the step began.
#include <algorithm>
#include <utility>

#include "sim/detect.h"
#include "sim/way.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Overlaps that a step may add without a contact, m: what is recovered anyway.
constexpr double kUnseen = 1e-6;
// Of a bound: what rounding may take from it.
constexpr double kSure = 1 - 1e-9;

Vector3d velocity_of(const Vector6d& V, const Vector3d& p_O) {
  return V.head<3>() + V.tail<3>().cross(p_O);
}

}  // namespace

// True if no geom of the group can leave the box that `place` expected it in: its velocity changes
// by no more than that of the first geom and what the change of the spin adds.
bool ContactDetector::keeps_pace(const TreeData& tree, const Vector6d& V_next, double h,
                                 const Group& group) const {
  const Placed& first = placed_[group.begin];
  if (outran_[first.group]) return false;
  const Vector6d change = V_next - tree.V[first.body];
  const Vector3d dv = velocity_of(change, first.X_WG.p - tree.p_WO[first.body]);
  const double most = h * (dv.norm() + group.arm * change.tail<3>().norm());
  return most <= kSure * (group.reserve + fall_);
}

// True if a geom of the group leaves the box that `place` expected it in; it then may reach both.
bool ContactDetector::place_outrun(const TreeData& tree, const Vector6d& V_next, double h,
                                   const Group& group) {
  if (keeps_pace(tree, V_next, h, group)) return false;
  bool any = false;
  const double spin = h * V_next.tail<3>().norm();
  for (int i = group.begin; i < group.end; ++i) {
    Placed& placed = placed_[i];
    const Vector3d v_next = velocity_of(V_next, placed.X_WG.p - tree.p_WO[placed.body]);
    const double slack = reserve(placed) + fall_;
    const double more_turn = spin * placed.turning - placed.turn;
    const Vector3d before = h * placed.v;
    const Vector3d after = h * v_next;
    placed.outruns = more_turn > slack || ((after - before.cwiseMax(0)).array() > slack).any() ||
                     ((before.cwiseMin(0) - after).array() > slack).any();
    if (!placed.outruns) continue;
    any = true;
    bounds_[i].lower += after.cwiseMin(0);
    bounds_[i].upper += after.cwiseMax(0);
    bounds_[i].lower.array() -= std::max(more_turn, 0.0);
    bounds_[i].upper.array() += std::max(more_turn, 0.0);
    placed.turn += std::max(more_turn, 0.0);
    placed.v_next = v_next;
  }
  if (any) outran_[placed_[group.begin].group] = true;
  return any;
}

// What was to pass by may have been turned aside.
bool ContactDetector::turn_aside(const TreeData& tree, const Matrix6Xd& V_next, double h) {
  bool any = false;
  for (const auto& [i, j] : passing_) {
    for (Placed* placed : {&placed_[i], &placed_[j]}) {
      if (!placed->moves) continue;
      const int body = placed->body;
      const Vector3d v_next =
          velocity_of(V_next.col(structure_.mover[body]), placed->X_WG.p - tree.p_WO[body]);
      if (h * (v_next - placed->v_next).norm() <= kUnseen) continue;
      placed->v_next = v_next;
      placed->outruns = any = true;
      outran_[placed->group] = true;
    }
  }
  return any;
}

bool ContactDetector::would_penetrate(const TreeData& tree, const Matrix6Xd& V_next, double h,
                                      const ContactForce& contact) const {
  const auto velocity = [&](int body) -> Vector3d {
    const int mover = structure_.mover[body];
    if (mover < 0) return Vector3d::Zero();
    return V_next.col(mover).head<3>() +
           V_next.col(mover).tail<3>().cross(contact.point_on(body) - tree.p_WO[body]);
  };
  const Vector3d relative = velocity(contact.body2) - velocity(contact.body1);
  return contact.gap + h * contact.R_CW.row(2).dot(relative) < -kUnseen;
}

bool ContactDetector::detect_outrun(const TreeData& tree, const Matrix6Xd& V_next, double h,
                                    std::vector<ContactForce>& contacts) {
  if (!model_.options.contact_enabled) return false;
  bool any = false;
  for (const std::vector<Group>* groups : {&groups_, &planes_}) {
    for (const Group& group : *groups) {
      if (group.mover >= 0) any |= place_outrun(tree, V_next.col(group.mover), h, group);
    }
  }
  any |= turn_aside(tree, V_next, h);
  if (!any) return false;
  passing_.clear();
  add_outrun_pairs(h);
  outrun_contacts_.clear();
  bool hits = false;
  for (Pair& pair : pairs_) {
    const Placed& a = placed_[pair.i];
    const Placed& b = placed_[pair.j];
    if (!a.outruns && !b.outruns) continue;
    turn(tree, placed_[pair.i]);
    turn(tree, placed_[pair.j]);
    const size_t first = outrun_contacts_.size();
    collide_pair(pair, h, outrun_contacts_);
    const std::span<const ContactForce> known = contacts_of(a, b, contacts);
    for (size_t k = first; k < outrun_contacts_.size() && !hits; ++k) {
      const ContactForce& contact = outrun_contacts_[k];
      const bool is_known = std::any_of(known.begin(), known.end(),
                                        [&](const ContactForce& c) { return c.id == contact.id; });
      hits = !is_known && would_penetrate(tree, V_next, h, contact);
    }
  }
  if (!hits) return false;
  std::erase_if(contacts, [&](const ContactForce& known) {
    // No other look finds those of the end.
    return !is_of_end(known) && std::binary_search(outrun_contacts_.begin(), outrun_contacts_.end(),
                                                   known, less_by_pair);
  });
  merge_by_pair(outrun_contacts_, contacts);
  return true;
}

}  // namespace stiction
