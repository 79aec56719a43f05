// Contacts of bodies that turn much within a step. A contact is a point and a normal of where the
// bodies are when the step begins; what turns by a radian meets others with points that were far
// away then, and its points move along arcs. So the poses in which the step would end are looked
// at: where bodies overlap, the points that do are contacts as well, seen from where the step
// begins (way.h).
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sim/detect.h"
#include "sim/way.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Turning by less, rad, leaves contacts right to a thousandth of the size; of flat bodies less.
constexpr double kTurn = 0.08;
constexpr double kRoundTurn = 0.04;  // of ellipsoids, whose points of contact never stay
// Share of the smaller radius by which an overlap may grow in a step.
constexpr double kDeeper = 1e-3;
// So much more, as a share, for every contact that an earlier round of the step has found here:
// points that turn away are replaced by others, and rounds are few.
constexpr double kMore = 0.125;
// Bodies whose ways cross are looked at this often at least.
constexpr double kLongestAdvance = 1.0 / 16;

bool is_plane(const Shape& shape) { return std::holds_alternative<Plane>(shape); }

// True if one of the contacts that are known says so: its normal still separates the two.
bool are_apart(const Way& a, const Way& b, double slop, std::span<const ContactForce> contacts) {
  if (is_plane(a.shape) || is_plane(b.shape)) return false;  // whose normal turns with it
  return std::any_of(contacts.begin(), contacts.end(), [&](const ContactForce& contact) {
    return end_gap(a, b, contact.R_CW.row(2)) >= -slop;
  });
}

// Where two that overlap do so first: the normal from a to b, which later, when they have gone
// through each other, nobody knows. `before` is the gap at the start. False if they stay apart.
bool meet(const Way& a, const Way& b, double slop, double more, std::vector<ContactPoint>& points,
          double& before, Vector3d& n) {
  if (is_plane(a.shape) || is_plane(b.shape)) {
    n = a.end.R.col(2);
    if (!is_plane(a.shape)) n = -b.end.R.col(2);
    before = start_gap(a, b, n);
    return true;
  }
  const double length = a.length + b.length;
  double t = 0;
  while (true) {
    points.clear();
    collide(a.shape, pose_at(a, t), b.shape, pose_at(b, t), 2 * length, points, nullptr);
    double gap = 2 * length;
    for (const ContactPoint& point : points) {
      if (point.gap >= gap) continue;
      gap = point.gap;
      n = point.n;
    }
    if (t == 0) before = gap;
    if (gap < deepest_allowed(before, slop, more)) return true;
    if (t == 1) return false;
    t = std::min(t + std::max((gap + slop) / length, kLongestAdvance), 1.0);
  }
}

}  // namespace

bool ContactDetector::has_support(const Shape& shape) {
  return !std::holds_alternative<HeightField>(shape) &&
         !std::holds_alternative<MeshSurface>(shape) && !std::holds_alternative<SdfSolid>(shape);
}

// A flat body's points of contact cross it when it turns by little, those of a ball stay.
double ContactDetector::most_turn(const Geom& geom) {
  if (is_plane(geom.shape)) return kTurn;
  if (std::holds_alternative<Sphere>(geom.shape) && geom.X_BG.p.isZero(0)) return kInfinity;
  const Extent box = extent(geom.shape);
  const Vector3d size = box.half + box.radii;
  const double turn = std::holds_alternative<Ellipsoid>(geom.shape) ? kRoundTurn : kTurn;
  return turn * std::sqrt(size.minCoeff() / size.maxCoeff());
}

void ContactDetector::find_turning_pairs(const Matrix6Xd& V_next, double h) {
  turning_pairs_.clear();
  bool any = false;
  for (const std::vector<Group>* groups : {&groups_, &planes_}) {
    for (const Group& group : *groups) {
      if (group.mover < 0) continue;
      const double angle = h * V_next.col(group.mover).tail<3>().norm();
      if (angle <= group.most_turn) continue;
      any = true;
      for (int i = group.begin; i < group.end; ++i) {
        placed_[i].turns = angle > placed_[i].most_turn;
      }
    }
  }
  if (!any) return;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const Placed& a = placed_[pairs_[k].i];
    const Placed& b = placed_[pairs_[k].j];
    if ((a.turns || b.turns) && a.has_support && b.has_support) {
      turning_pairs_.push_back(static_cast<int>(k));
    }
  }
}

bool ContactDetector::any_goes_far(const TreeData& tree, const Matrix6Xd& V_next, double h) {
  if (!model_.options.contact_enabled) return false;
  find_turning_pairs(V_next, h);
  find_ground_pairs(tree, V_next, h);
  return !turning_pairs_.empty() || !ground_pairs_.empty();
}

Way ContactDetector::way_of(const TreeData& tree, const TreeData& next, const Matrix6Xd& V_next,
                            double h, Placed& placed) const {
  turn(tree, placed);
  const int body = placed.body;
  Way way{.shape = placed.shape, .start = placed.X_WG};
  way.end = {next.R_WB[body] * placed.R_BG, next.p_WB[body] + next.R_WB[body] * placed.p_BG};
  if (!placed.moves) return way;
  const int mover = structure_.mover[body];
  const int carrier = structure_.model_body[mover];
  way.o_start = tree.p_WB[carrier] + tree.R_WB[carrier] * structure_.pivot[mover];
  way.o_end = next.p_WB[carrier] + next.R_WB[carrier] * structure_.pivot[mover];
  const auto V = V_next.col(mover);
  way.turn = h * V.tail<3>();
  way.shift = h * V.head<3>() + way.turn.cross(way.o_start - tree.p_WO[body]);
  way.length = (way.end.p - way.start.p).norm() + way.turn.norm() * placed.radius;
  return way;
}

// Of turning bodies a and b; path_points_ has them.
bool ContactDetector::find_turned(const Way& way_a, const Way& way_b, double slop, double rest,
                                  std::span<const ContactForce> known) {
  const double more = kMore * count_of_end(known);
  double before = 0;
  Vector3d n;
  if (are_apart(way_a, way_b, slop, known) ||
      !meet(way_a, way_b, slop, more, path_points_, before, n)) {
    return false;
  }
  const double gap = end_gap(way_a, way_b, n);
  if (gap >= deepest_allowed(before, slop, more)) return false;
  find_end_points(way_a, way_b, n, gap, rest, path_points_);
  // All of them touch at the end, whatever their gap when the step begins.
  keep_widest(path_points_, 0, std::numeric_limits<double>::infinity(), options_.max_points);
  return true;
}

bool ContactDetector::detect_at_end(const TreeData& tree, const TreeData& next,
                                    const Matrix6Xd& V_next, double h,
                                    std::vector<ContactForce>& contacts) {
  std::vector<ContactForce> found;
  for (const std::vector<int>* pairs : {&turning_pairs_, &ground_pairs_}) {
    for (const int k : *pairs) {
      Placed& a = placed_[pairs_[k].i];
      Placed& b = placed_[pairs_[k].j];
      const Way way_a = way_of(tree, next, V_next, h, a);
      const Way way_b = way_of(tree, next, V_next, h, b);
      const double slop = kDeeper * smaller_radius(a, b);
      const double rest = options_.rest_margin * (a.detail + b.detail);
      const auto known = contacts_of(a, b, contacts);
      const bool any = pairs == &turning_pairs_ ? find_turned(way_a, way_b, slop, rest, known)
                                                : find_in_ground(way_a, way_b, slop, known);
      if (!any) continue;
      for (ContactPoint& point : path_points_) {
        point.feature = static_cast<std::uint32_t>(kEndFeature + contacts.size() + found.size());
        found.push_back(make_contact(a, b, law_of(a, b), point));
      }
    }
  }
  merge_by_pair(found, contacts);
  return !found.empty();
}

}  // namespace stiction
