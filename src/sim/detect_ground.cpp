// Contacts with height fields and surfaces of triangles that the step's own motion brings about.
//
// A contact knows the ground where a body meets it first. The body then goes on along the ground,
// which rises beyond the next edge, or turns about where it hit. So the poses in which the step
// would end are looked at, and if the body is in the ground there, or has moved by more than it is
// thick, those on its way: where the body first touches, the ground is a plane, or several, and the
// points of the body that end behind it are contacts as well, seen from where the step begins
// (way.h).
#include <algorithm>
#include <limits>

#include "sim/detect.h"
#include "sim/way.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// A way this long, as a share of the body's radius, may lead into ground that was not seen.
constexpr double kLongWay = 0.005;
// Ways that may lead into the ground are looked at this often at least.
constexpr double kLongestGroundAdvance = 1.0 / 64;
// So much more depth is allowed, as a share, for every contact that the step has got here already.
constexpr double kMoreOfGround = 0.125;
// Halvings of what is left between that and the pose before it.
constexpr int kTouchHalvings = 8;
// Cosine of the angle between normals of the same plane.
constexpr double kSamePlane = 0.9999;

const Shape kPlane = Plane{};

bool is_ground(const Shape& shape) {
  return std::holds_alternative<HeightField>(shape) || std::holds_alternative<MeshSurface>(shape);
}

double thickness(const Shape& shape) {
  const Extent box = extent(shape);
  return (box.half + box.radii).minCoeff();
}

// Contacts of the two on their way, with normals from the ground to the body.
class Crossing {
 public:
  Crossing(const Way& ground, const Way& body, std::vector<ContactPoint>& points)
      : ground_(ground), body_(body), points_(points) {}

  // The least gap, if it is below the margin.
  double gap_at(double t, double margin) {
    points_.clear();
    collide(ground_.shape, pose_at(ground_, t), body_.shape, pose_at(body_, t), margin, points_,
            nullptr);
    double gap = margin;
    for (const ContactPoint& point : points_) gap = std::min(gap, point.gap);
    return gap;
  }

  // The first share of the step at which the body is deeper than `floor` says, to a few digits; 2
  // if there is none. Its contacts are in `points`.
  double first_touch(double floor) {
    const double length = ground_.length + body_.length;
    double t = 0;
    double free = 0;
    while (true) {
      const double gap = gap_at(t, length);
      if (gap < floor) break;
      if (t == 1) return 2;
      free = t;
      t = std::min(t + std::max((gap - floor) / length, kLongestGroundAdvance), 1.0);
    }
    for (int k = 0; k < kTouchHalvings; ++k) {
      const double middle = (free + t) / 2;
      (gap_at(middle, 0) < floor ? t : free) = middle;
    }
    gap_at(t, 0);
    return t;
  }

 private:
  const Way& ground_;
  const Way& body_;
  std::vector<ContactPoint>& points_;
};

// The plane that touches the ground at the point when the share t of the step has passed, and goes
// with it.
Way plane_at(const Way& ground, double t, const ContactPoint& point) {
  Way plane{.shape = kPlane};
  const Frame then = pose_at(ground, t);
  const Vector3d p_G = then.R.transpose() * (point.p - 0.5 * point.gap * point.n - then.p);
  const Eigen::Matrix3d R_G =
      then.R.transpose() * Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), point.n).matrix();
  plane.start = {ground.start.R * R_G, ground.start.R * p_G + ground.start.p};
  plane.end = {ground.end.R * R_G, ground.end.R * p_G + ground.end.p};
  plane.o_start = ground.o_start;
  plane.o_end = ground.o_end;
  plane.shift = ground.shift;
  plane.turn = ground.turn;
  return plane;
}

}  // namespace

void ContactDetector::find_ground_pairs(const TreeData& tree, const Matrix6Xd& V_next, double h) {
  ground_pairs_.clear();
  if (!has_ground_) return;
  const auto way = [&](const Placed& placed) {
    if (!placed.moves) return 0.0;
    const auto V = V_next.col(structure_.mover[placed.body]);
    const Vector3d w = V.tail<3>();
    const Vector3d v = V.head<3>() + w.cross(placed.X_WG.p - tree.p_WO[placed.body]);
    return h * (v.norm() + w.norm() * placed.turning);
  };
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const Placed& a = placed_[pairs_[k].i];
    const Placed& b = placed_[pairs_[k].j];
    if (!(a.is_ground && b.has_support) && !(b.is_ground && a.has_support)) continue;
    if (way(a) + way(b) > kLongWay * smaller_radius(a, b)) {
      ground_pairs_.push_back(static_cast<int>(k));
    }
  }
}

bool ContactDetector::find_in_ground(const Way& way_a, const Way& way_b, double slop,
                                     std::span<const ContactForce> known) {
  const bool swapped = is_ground(way_b.shape);
  const Way& ground = swapped ? way_b : way_a;
  const Way& body = swapped ? way_a : way_b;
  double before = 0;
  for (const ContactForce& contact : known) before = std::min(before, contact.gap);
  const double floor = deepest_allowed(before, (1 + kMoreOfGround * count_of_end(known)) * slop, 0);
  Crossing crossing(ground, body, points_);
  if (crossing.gap_at(1, 0) >= floor && ground.length + body.length < thickness(body.shape)) {
    return false;
  }
  const double t = crossing.first_touch(floor);
  if (t > 1) return false;
  std::sort(points_.begin(), points_.end(),
            [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
  std::vector<Vector3d> normals;
  std::vector<ContactPoint> found;
  for (const ContactPoint& touch : points_) {
    const auto same = [&](const Vector3d& n) { return n.dot(touch.n) > kSamePlane; };
    if (std::any_of(normals.begin(), normals.end(), same)) continue;
    normals.push_back(touch.n);
    const Way plane = plane_at(ground, t, touch);
    const Vector3d n = plane.end.R.col(2);
    const double gap = end_gap(plane, body, n);
    if (gap >= floor) continue;
    find_end_points(plane, body, n, gap, 0, path_points_);
    keep_widest(path_points_, 0, std::numeric_limits<double>::infinity(), options_.max_points);
    found.insert(found.end(), path_points_.begin(), path_points_.end());
  }
  path_points_ = found;
  if (swapped) {
    for (ContactPoint& point : path_points_) point.n = -point.n;
  }
  return !found.empty();
}

}  // namespace stiction
