#include "sim/detect.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Vector3d;

// Resting contacts are kept while their gap is below this share of the smaller shape's radius.
constexpr double kRestMargin = 0.01;

struct PairLaw {
  int condim = 3;
  double mu = 0;
  double restitution = 0;
};

// MuJoCo's rule: the geom of higher priority decides; at equal priority the larger value does.
PairLaw combine(const Contact& a, const Contact& b) {
  if (a.priority != b.priority) {
    const Contact& first = a.priority > b.priority ? a : b;
    return {first.condim, first.friction[0], first.restitution};
  }
  return {std::max(a.condim, b.condim), std::max(a.friction[0], b.friction[0]),
          std::max(a.restitution, b.restitution)};
}

// Rows t1, t2, n. The tangents follow the world axis that is most perpendicular to n.
Eigen::Matrix3d contact_frame(const Vector3d& n) {
  Eigen::Index axis;
  n.cwiseAbs().minCoeff(&axis);
  const Vector3d t1 = Vector3d::Unit(axis).cross(n).normalized();
  Eigen::Matrix3d R_CW;
  R_CW << t1.transpose(), n.cross(t1).transpose(), n.transpose();
  return R_CW;
}

}  // namespace

ContactDetector::ContactDetector(const Model& model, const Structure& structure)
    : model_(model),
      structure_(structure),
      shapes_(model.geoms.size()),
      frames_(model.geoms.size()),
      reach_(model.geoms.size()) {
  for (const auto& pair : model.excludes) excluded_.insert(std::minmax(pair[0], pair[1]));
  std::set<int> in_pairs;
  for (const ContactPair& pair : model.pairs) {
    explicit_.insert(std::minmax(pair.geom1, pair.geom2));
    in_pairs.insert({pair.geom1, pair.geom2});
  }
  for (int g = 0; g < static_cast<int>(model.geoms.size()); ++g) {
    const Contact& contact = model.geoms[g].contact;
    if (contact.contype == 0 && contact.conaffinity == 0 && !in_pairs.count(g)) continue;
    active_.push_back(g);
    radius_.push_back(bounding_radius(model.geoms[g].shape));
    shapes_[g] = model.geoms[g].shape;
    prepare_for_collision(shapes_[g]);
  }
  bounds_.resize(active_.size());
}

bool ContactDetector::filtered(int geom1, int geom2) const {
  if (explicit_.count({geom1, geom2})) return false;
  const Geom& a = model_.geoms[geom1];
  const Geom& b = model_.geoms[geom2];
  const int mover1 = structure_.mover[a.body];
  const int mover2 = structure_.mover[b.body];
  if (mover1 == mover2) return true;
  if (!(a.contact.contype & b.contact.conaffinity) &&
      !(b.contact.contype & a.contact.conaffinity)) {
    return true;
  }
  if (excluded_.count(std::minmax(a.body, b.body))) return true;
  if (!model_.options.filter_parent_enabled) return false;
  // Parent and child, unless the parent is the world.
  return (mover1 >= 0 && structure_.weld_parent[b.body] == mover1) ||
         (mover2 >= 0 && structure_.weld_parent[a.body] == mover2);
}

void ContactDetector::detect(const TreeData& tree, const Eigen::VectorXd& qvel, double h,
                             std::vector<ContactForce>& contacts) {
  contacts.clear();
  if (!model_.options.contact_enabled) return;
  const double fall = h * model_.options.gravity.norm();
  for (size_t k = 0; k < active_.size(); ++k) {
    const Geom& geom = model_.geoms[active_[k]];
    Frame& frame = frames_[active_[k]];
    frame.R = tree.R_WB[geom.body] * geom.X_BG.q.toRotationMatrix();
    frame.p = tree.p_WB[geom.body] + tree.R_WB[geom.body] * geom.X_BG.p;
    const double radius = radius_[k];
    double speed = 0;
    if (structure_.mover[geom.body] >= 0 && qvel.size() > 0) {
      const Vector6d& V = tree.V[geom.body];
      const Vector3d v = V.head<3>() + V.tail<3>().cross(frame.p - tree.p_WO[geom.body]);
      speed = v.norm() + V.tail<3>().norm() * (std::isfinite(radius) ? radius : 0) + fall;
    }
    const double rest = std::isfinite(radius) ? kRestMargin * radius : 0;
    reach_[active_[k]] = h * speed + rest;
    const double size = radius + reach_[active_[k]];
    bounds_[k] = {frame.p - Vector3d::Constant(size), frame.p + Vector3d::Constant(size)};
  }
  for (const auto& [i, j] : broad_phase_.update(bounds_)) {
    if (!filtered(active_[i], active_[j])) add_pair(active_[i], active_[j], contacts);
  }
}

void ContactDetector::add_pair(int geom1, int geom2, std::vector<ContactForce>& contacts) {
  const Geom& a = model_.geoms[geom1];
  const Geom& b = model_.geoms[geom2];
  points_.clear();
  const double margin = reach_[geom1] + reach_[geom2];
  if (!collide(shapes_[geom1], frames_[geom1], shapes_[geom2], frames_[geom2], margin, points_)) {
    unsupported_.insert({geom1, geom2});
    return;
  }
  PairLaw law = combine(a.contact, b.contact);
  for (const ContactPair& pair : model_.pairs) {
    if (std::minmax(pair.geom1, pair.geom2) == std::minmax(geom1, geom2)) {
      law = {pair.condim, pair.friction[0], pair.restitution};
    }
  }
  for (const ContactPoint& point : points_) {
    ContactForce contact;
    contact.id = (static_cast<std::uint64_t>(geom1) << 48) ^
                 (static_cast<std::uint64_t>(geom2) << 32) ^ point.feature;
    contact.geom1 = geom1;
    contact.geom2 = geom2;
    contact.body1 = a.body;
    contact.body2 = b.body;
    contact.p_W = point.p;
    contact.R_CW = contact_frame(point.n);
    contact.gap = point.gap;
    contact.mu = law.condim == 1 ? 0 : law.mu;
    contact.restitution = law.restitution;
    contacts.push_back(contact);
  }
}

}  // namespace stiction
