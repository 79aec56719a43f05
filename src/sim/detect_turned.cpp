// Contacts of bodies that turn much within a step. A contact is a point and a normal of where the
// bodies are when the step begins; what turns by a radian meets others with points that were far
// away then, and its points move along arcs. So the poses in which the step would end are looked
// at: where bodies overlap, the points that do are contacts as well, seen from where the step
// begins.
//
// A body turns by w h while its pivot o (structure.h) moves by v h. A point at o + r moves by
//
//   h v + (R(w h) - 1) r = h (v + w x rho),   rho = r_w + sin(a) / a R(w h / 2) (r - r_w),
//
// with a = |w| h / 2 and r_w the part of r along w. So a contact at o + rho, an arm half way
// between start and end, has exactly the gap that is left for this v and w, and nearly for others.
// Its gap at the start is not negative, so that it takes energy, as any other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "geometry/support.h"
#include "math/rotation.h"
#include "sim/detect.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Turning by less, rad, leaves contacts right to half a hundredth of the size; of flat bodies less.
constexpr double kTurn = 0.1;
// Share of the smaller radius by which an overlap may grow in a step.
constexpr double kDeeper = 1e-3;
// Bodies whose ways cross are looked at this often at least.
constexpr double kLongestAdvance = 1.0 / 16;
// Of contacts that only such a step has: their impulses start no other.
constexpr std::uint32_t kTurnedFeature = 0x7fff0000;
// Cosine of the angle between two normals that mean the same side of a body.
constexpr double kSameSide = 0.7;

// A geom's way through the step.
struct Way {
  const Shape& shape;
  Frame start{};
  Frame end{};
  Vector3d o_start = Vector3d::Zero();  // the body's pivot
  Vector3d o_end = Vector3d::Zero();
  Vector3d shift = Vector3d::Zero();  // h v of the pivot
  Vector3d turn = Vector3d::Zero();   // h w
  double length = 0;                  // no point of the geom goes further
};

bool is_plane(const Shape& shape) { return std::holds_alternative<Plane>(shape); }

// As far as the normal of a plane goes: another direction has no answer.
double reach(const Shape& shape, const Frame& X_WS, const Vector3d& d) {
  if (is_plane(shape)) return d.dot(X_WS.p);
  const ConvexCore core = convex_core(shape);
  int hint = 0;
  const Vector3d d_S = X_WS.R.transpose() * d;
  return d.dot(X_WS.p) + d_S.dot(support(core, d_S, hint)) + core.radius;
}

// At the end of the step, along n from a to b.
double end_gap(const Way& a, const Way& b, const Vector3d& n) {
  return -reach(a.shape, a.end, n) - reach(b.shape, b.end, -n);
}

Frame pose_at(const Way& way, double t) {
  return {exp_rotation(t * way.turn).toRotationMatrix() * way.start.R,
          way.start.p + t * (way.end.p - way.start.p)};
}

// True if one of the contacts that are known says so: its normal still separates the two.
bool are_apart(const Way& a, const Way& b, double slop, std::span<const ContactForce> contacts) {
  if (is_plane(a.shape) || is_plane(b.shape)) return false;  // whose normal turns with it
  return std::any_of(contacts.begin(), contacts.end(), [&](const ContactForce& contact) {
    return end_gap(a, b, contact.R_CW.row(2)) >= -slop;
  });
}

// Where two that overlap do so first: the normal from a to b, which later, when they have gone
// through each other, nobody knows. `before` is the gap at the start. False if they stay apart.
bool meet(const Way& a, const Way& b, double slop, std::vector<ContactPoint>& points,
          double& before, Vector3d& n) {
  if (is_plane(a.shape) || is_plane(b.shape)) {
    n = a.end.R.col(2);
    if (!is_plane(a.shape)) n = -b.end.R.col(2);
    before = -reach(a.shape, a.start, n) - reach(b.shape, b.start, -n);
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
    if (gap < std::min(before, 0.0) - slop) return true;
    if (t == 1) return false;
    t = std::min(t + std::max((gap + slop) / length, kLongestAdvance), 1.0);
  }
}

// o + rho of the material point that ends at x.
Vector3d middle(const Way& way, const Vector3d& x) {
  const Vector3d half = exp_rotation(-0.5 * way.turn) * (x - way.o_end);
  const double angle = way.turn.norm();
  if (angle == 0) return way.o_start + half;
  const Vector3d axis = way.turn / angle;
  const Vector3d along = axis.dot(half) * axis;
  return way.o_start + along + std::sin(angle / 2) / (angle / 2) * (half - along);
}

// The material points that end at x_a and x_b, seen from the start: of two bodies that turn, the
// one that turns more says where. What the arms leave is in the gap; across it each body's point
// is its own (assemble.h).
ContactPoint seen_from_start(const Way& a, const Way& b, const Vector3d& x_a, const Vector3d& x_b,
                             const Vector3d& n) {
  const double share = a.turn.norm() / (a.turn.norm() + b.turn.norm());
  const Vector3d p = share * middle(a, x_a) + (1 - share) * middle(b, x_b);
  const auto moved = [&](const Way& way) -> Vector3d {
    return way.shift + way.turn.cross(p - way.o_start);
  };
  const double gap = std::max(n.dot(x_b - x_a) - n.dot(moved(b) - moved(a)), 0.0);
  return {p + (share - 0.5) * gap * n, n, gap, 0};
}

// Of two that end with the gap along n, all that is nearer than `margin` then. Moved apart so that
// they just touch, they have the contacts of that side.
void find_points(const Way& a, const Way& b, const Vector3d& n, double gap, double margin,
                 std::vector<ContactPoint>& points) {
  Frame X_WB = b.end;
  X_WB.p -= gap * n;
  points.clear();
  collide(a.shape, a.end, b.shape, X_WB, margin - gap, points, nullptr);
  std::erase_if(points, [&](const ContactPoint& point) { return point.n.dot(n) < kSameSide; });
  for (ContactPoint& point : points) {
    const Vector3d half_gap = 0.5 * point.gap * point.n;
    point = seen_from_start(a, b, point.p - half_gap, point.p + half_gap + gap * n, point.n);
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
  return kTurn * std::sqrt(size.minCoeff() / size.maxCoeff());
}

bool ContactDetector::any_turns(const Matrix6Xd& V_next, double h) {
  turning_pairs_.clear();
  if (!model_.options.contact_enabled) return false;
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
  if (!any) return false;
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const Placed& a = placed_[pairs_[k].i];
    const Placed& b = placed_[pairs_[k].j];
    if ((a.turns || b.turns) && a.has_support && b.has_support) {
      turning_pairs_.push_back(static_cast<int>(k));
    }
  }
  return !turning_pairs_.empty();
}

bool ContactDetector::detect_turned(const TreeData& tree, const TreeData& next,
                                    const Matrix6Xd& V_next, double h,
                                    std::vector<ContactForce>& contacts) {
  const auto way_of = [&](Placed& placed) {
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
  };
  std::vector<ContactForce> found;
  for (const int k : turning_pairs_) {
    Placed& a = placed_[pairs_[k].i];
    Placed& b = placed_[pairs_[k].j];
    const Way way_a = way_of(a);
    const Way way_b = way_of(b);
    const double slop = kDeeper * smaller_radius(a, b);
    double before = 0;
    Vector3d n;
    if (are_apart(way_a, way_b, slop, contacts_of(a, b, contacts)) ||
        !meet(way_a, way_b, slop, path_points_, before, n)) {
      continue;
    }
    const double gap = end_gap(way_a, way_b, n);
    if (gap >= std::min(before, 0.0) - slop) continue;
    const double rest = options_.rest_margin * (a.detail + b.detail);
    find_points(way_a, way_b, n, gap, rest, path_points_);
    // All of them touch at the end, whatever their gap when the step begins.
    keep_widest(path_points_, 0, std::numeric_limits<double>::infinity(), options_.max_points);
    for (ContactPoint& point : path_points_) {
      point.feature = static_cast<std::uint32_t>(kTurnedFeature + contacts.size() + found.size());
      found.push_back(make_contact(a, b, law_of(a, b), point));
    }
  }
  merge_by_pair(found, contacts);
  return !found.empty();
}

}  // namespace stiction
