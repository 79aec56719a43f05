#include "sim/detect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace stiction {
namespace {

using Eigen::Vector3d;

// Every pair of groups within a cluster is looked at in every step.
constexpr int kClusterSize = 16;

// Of the smaller body's size: bodies that stay this far apart pass by each other.
constexpr double kPassing = 0.01;
constexpr int kMostAdvances = 50;
constexpr double kCloseEnough = 0.01;

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

Bounds bounds_of_all(const std::vector<Bounds>& bounds, int begin, int end) {
  Bounds all = bounds[begin];
  for (int i = begin + 1; i < end; ++i) {
    all.lower = all.lower.cwiseMin(bounds[i].lower);
    all.upper = all.upper.cwiseMax(bounds[i].upper);
  }
  return all;
}

bool is_plane(const Geom& geom) { return std::holds_alternative<Plane>(geom.shape); }

}  // namespace

ContactDetector::ContactDetector(const Model& model, const Structure& structure,
                                 const ContactOptions& options)
    : model_(model), structure_(structure), options_(options) {
  for (const auto& pair : model.excludes) excluded_.insert(std::minmax(pair[0], pair[1]));
  std::set<int> in_pairs;
  for (size_t k = 0; k < model.pairs.size(); ++k) {
    const ContactPair& pair = model.pairs[k];
    explicit_[std::minmax(pair.geom1, pair.geom2)] = static_cast<int>(k);
    in_pairs.insert({pair.geom1, pair.geom2});
  }
  std::map<int, std::vector<int>> moving;  // by mover
  std::vector<int> fixed;
  std::vector<int> planes;
  for (int g = 0; g < static_cast<int>(model.geoms.size()); ++g) {
    const Geom& geom = model.geoms[g];
    const Contact& contact = geom.contact;
    if (contact.contype == 0 && contact.conaffinity == 0 && !in_pairs.count(g)) continue;
    const int mover = structure.mover[geom.body];
    (is_plane(geom) ? planes : mover < 0 ? fixed : moving[mover]).push_back(g);
  }
  const auto parent = [&](int g) { return structure.weld_parent[model.geoms[g].body]; };
  for (const auto& [mover, geoms] : moving) add_group(mover, parent(geoms.front()), geoms);
  const size_t movable = groups_.size();
  for (const int g : fixed) add_group(-1, -1, {g});
  const size_t finite = groups_.size();
  for (const int g : planes) add_group(structure.mover[model.geoms[g].body], parent(g), {g});
  planes_.assign(groups_.begin() + static_cast<std::ptrdiff_t>(finite), groups_.end());
  groups_.resize(finite);
  group_bounds_.resize(finite);
  make_clusters(movable);
  bounds_.resize(placed_.size());
  for (Placed& placed : placed_) {
    for (const ContactPair& pair : model.pairs) {
      if (pair.geom1 != placed.geom && pair.geom2 != placed.geom) continue;
      placed.top_margin = std::max(placed.top_margin, pair.margin);
    }
  }
}

void ContactDetector::add_group(int mover, int parent, const std::vector<int>& geoms) {
  const int begin = static_cast<int>(placed_.size());
  for (const int g : geoms) {
    const Geom& geom = model_.geoms[g];
    Placed placed;
    placed.geom = g;
    placed.shape = geom.shape;
    prepare_for_collision(placed.shape);
    placed.body = geom.body;
    placed.moves = mover >= 0;
    placed.p_BG = geom.X_BG.p;
    placed.R_BG = geom.X_BG.q.toRotationMatrix();
    placed.axis_B = placed.R_BG.col(2);
    placed.extent = extent(geom.shape);
    placed.round = is_about_axis(placed.extent);
    placed.contype = geom.contact.contype;
    placed.conaffinity = geom.contact.conaffinity;
    placed.margin = placed.top_margin = geom.contact.margin;
    if (!is_plane(geom)) placed.radius = placed.extent.radius();
    placed.detail = detail_size(geom.shape);
    placed.many_sided = std::holds_alternative<MeshSurface>(geom.shape) ||
                        std::holds_alternative<SdfSolid>(geom.shape);
    placed_.push_back(placed);
  }
  groups_.push_back({mover, parent, begin, static_cast<int>(placed_.size())});
}

// Groups come in the order of the movers, so that those of a tree, and of its branches, mostly
// follow each other.
void ContactDetector::make_clusters(size_t movable) {
  std::vector<int> root(structure_.model_body.size());
  for (size_t m = 0; m < root.size(); ++m) {
    const int parent = structure_.weld_parent[structure_.model_body[m]];
    root[m] = parent < 0 ? static_cast<int>(m) : root[parent];
  }
  for (size_t k = 0; k < groups_.size(); ++k) {
    const int index = static_cast<int>(k);
    if (k > 0 && k < movable && root[groups_[k].mover] == root[groups_[k - 1].mover] &&
        index - clusters_.back().begin < kClusterSize) {
      clusters_.back().end = index + 1;
    } else {
      clusters_.push_back({index, index + 1});
    }
    for (int other = clusters_.back().begin; other < index; ++other) {
      if (moves_together(groups_[other], groups_[k]) && explicit_.empty()) continue;
      cluster_pairs_.push_back({other, index});
    }
  }
  cluster_bounds_.resize(clusters_.size());
}

// The boxes of two geoms overlap whenever they are nearer than their margin and approaching.
void ContactDetector::place(const TreeData& tree, double h, const Group& group) {
  int body = -1;
  double spin = 0;  // h * angular speed
  for (int i = group.begin; i < group.end; ++i) {
    Placed& placed = placed_[i];
    Bounds& bounds = bounds_[i];
    const Eigen::Matrix3d& R_WB = tree.R_WB[placed.body];
    placed.X_WG.p = tree.p_WB[placed.body] + R_WB * placed.p_BG;
    placed.turned = !placed.round;
    if (placed.round) {
      bounds = bounds_about_axis(placed.extent, placed.X_WG.p, R_WB * placed.axis_B);
    } else {
      placed.X_WG.R = R_WB * placed.R_BG;
      bounds = bounds_of(placed.extent, placed.X_WG);
    }
    double reach = options_.rest_margin * placed.detail + placed.top_margin;
    if (h > 0 && placed.moves) {
      const Vector6d& V = tree.V[placed.body];
      if (body != placed.body) spin = h * V.tail<3>().norm();
      body = placed.body;
      placed.v = V.head<3>() + V.tail<3>().cross(placed.X_WG.p - tree.p_WO[body]);
      placed.turn = spin * placed.radius;
      reach += placed.turn + fall_;
      bounds.lower += (h * placed.v).cwiseMin(0);
      bounds.upper += (h * placed.v).cwiseMax(0);
    }
    bounds.lower.array() -= reach;
    bounds.upper.array() += reach;
  }
}

void ContactDetector::turn(const TreeData& tree, Placed& placed) const {
  if (placed.turned) return;
  placed.X_WG.R = tree.R_WB[placed.body] * placed.R_BG;
  placed.turned = true;
}

bool ContactDetector::moves_together(const Group& a, const Group& b) const {
  if (a.mover == b.mover) return true;
  if (!model_.options.filter_parent_enabled) return false;
  // Parent and child, unless the parent is the world.
  return (a.mover >= 0 && b.parent == a.mover) || (b.mover >= 0 && a.parent == b.mover);
}

bool ContactDetector::filtered(const Placed& a, const Placed& b) const {
  if (!(a.contype & b.conaffinity) && !(b.contype & a.conaffinity)) return true;
  return !excluded_.empty() && excluded_.count(std::minmax(a.body, b.body)) > 0;
}

void ContactDetector::add_pair(int i, int j, bool together) {
  const int geom1 = placed_[i].geom;
  const int geom2 = placed_[j].geom;
  const bool off = together || filtered(placed_[i], placed_[j]);
  if (off && !explicit_.count(std::minmax(geom1, geom2))) return;
  if (geom1 > geom2) std::swap(i, j);
  const auto low = static_cast<std::uint64_t>(std::min(geom1, geom2));
  const auto high = static_cast<std::uint64_t>(std::max(geom1, geom2));
  found_pairs_.push_back({low << 32 | high, i, j, {}});
}

void ContactDetector::find_pairs_of_groups(int k, int m) {
  const Group& a = groups_[k];
  const Group& b = groups_[m];
  const bool together = moves_together(a, b);
  if (together && explicit_.empty()) return;
  for (int i = a.begin; i < a.end; ++i) {
    if (!overlap(bounds_[i], group_bounds_[m])) continue;
    for (int j = b.begin; j < b.end; ++j) {
      if (overlap(bounds_[i], bounds_[j])) add_pair(i, j, together);
    }
  }
}

void ContactDetector::find_pairs() {
  for (const auto& [k, m] : cluster_pairs_) {
    if (overlap(group_bounds_[k], group_bounds_[m])) find_pairs_of_groups(k, m);
  }
  for (const auto& [x, y] : broad_phase_.update(cluster_bounds_)) {
    const Cluster& a = clusters_[x];
    const Cluster& b = clusters_[y];
    if (a.end - a.begin == 1 && b.end - b.begin == 1) {
      find_pairs_of_groups(a.begin, b.begin);
      continue;
    }
    near_.clear();
    for (int m = b.begin; m < b.end; ++m) {
      if (overlap(group_bounds_[m], cluster_bounds_[x])) near_.push_back(m);
    }
    for (int k = a.begin; k < a.end; ++k) {
      if (!overlap(group_bounds_[k], cluster_bounds_[y])) continue;
      for (const int m : near_) {
        if (overlap(group_bounds_[k], group_bounds_[m])) find_pairs_of_groups(k, m);
      }
    }
  }
}

void ContactDetector::find_pairs_with_planes(double h) {
  for (const Group& plane_group : planes_) {
    const Placed& plane = placed_[plane_group.begin];
    const Vector3d n = plane.X_WG.R.col(2);
    const double level = n.dot(plane.X_WG.p) + plane.top_margin + h * plane.v.norm();
    const auto above = [&](const Bounds& box) {
      const Vector3d lowest = (n.array() > 0).select(box.lower, box.upper);
      return n.dot(lowest) > level;
    };
    for (size_t k = 0; k < groups_.size(); ++k) {
      const bool together = moves_together(plane_group, groups_[k]);
      if ((together && explicit_.empty()) || above(group_bounds_[k])) continue;
      for (int i = groups_[k].begin; i < groups_[k].end; ++i) {
        if (!above(bounds_[i])) add_pair(plane_group.begin, i, together);
      }
    }
  }
}

// By counting pairs of each first geom, then by insertion among the few that share it.
void ContactDetector::sort_pairs() {
  pairs_of_.assign(model_.geoms.size() + 1, 0);
  for (const Pair& pair : found_pairs_) ++pairs_of_[(pair.key >> 32) + 1];
  std::partial_sum(pairs_of_.begin(), pairs_of_.end(), pairs_of_.begin());
  pairs_.assign(found_pairs_.size(), {});
  for (const Pair& pair : found_pairs_) {
    const auto first = static_cast<int>(pair.key >> 32);
    int at = pairs_of_[first]++;
    for (; at > 0 && pairs_[at - 1].key >> 32 == pair.key >> 32 && pairs_[at - 1].key > pair.key;
         --at) {
      pairs_[at] = pairs_[at - 1];
    }
    pairs_[at] = pair;
  }
}

// Both lists are sorted: the last step's pairs are found by going through them at once.
void ContactDetector::recall_memories() {
  auto last = previous_pairs_.begin();
  for (Pair& pair : pairs_) {
    while (last != previous_pairs_.end() && last->key < pair.key) ++last;
    if (last == previous_pairs_.end()) return;
    if (last->key == pair.key) pair.memory = last->memory;
  }
}

void ContactDetector::find_all_pairs(double h) {
  for (size_t k = 0; k < groups_.size(); ++k) {
    group_bounds_[k] = bounds_of_all(bounds_, groups_[k].begin, groups_[k].end);
  }
  for (size_t k = 0; k < clusters_.size(); ++k) {
    cluster_bounds_[k] = bounds_of_all(group_bounds_, clusters_[k].begin, clusters_[k].end);
  }
  std::swap(pairs_, previous_pairs_);
  found_pairs_.clear();
  find_pairs();
  find_pairs_with_planes(h);
  sort_pairs();
  recall_memories();
}

void ContactDetector::detect(const TreeData& tree, double h, std::vector<ContactForce>& contacts) {
  contacts.clear();
  if (!model_.options.contact_enabled) return;
  fall_ = h * h * model_.options.gravity.norm();
  for (const Group& group : groups_) place(tree, h, group);
  for (const Group& plane : planes_) place(tree, h, plane);
  passing_.clear();
  find_all_pairs(h);
  for (Pair& pair : pairs_) {
    turn(tree, placed_[pair.i]);
    turn(tree, placed_[pair.j]);
    collide_pair(pair, h, contacts);
  }
}

// Fast bodies have contacts at gaps as wide as their way within the step, with the normal of where
// they are now: past a corner, such a contact would stop what never touches it. So the second is
// moved along its way relative to the first, by no more than the gap at a time. Turning counts as
// size. True if they stay apart; many-sided shapes are not asked, as each answer takes long.
bool ContactDetector::passes_by(const Placed& a, const Placed& b, double h) {
  if (h == 0 || a.many_sided || b.many_sided) return false;
  const double touch = kPassing * std::min(a.detail, b.detail) + a.top_margin + b.top_margin +
                       2 * fall_ + a.turn + b.turn;
  const Vector3d way = h * (b.v - a.v);
  bool reaches = false;
  for (const ContactPoint& point : points_) {
    if (point.gap <= touch) return false;
    reaches |= point.gap + point.n.dot(way) < touch;
  }
  if (!reaches) return false;  // contacts that stay open are as good
  const double length = way.norm();
  Frame X_WG = b.X_WG;
  double moved = 0;
  for (int k = 0; k < kMostAdvances; ++k) {
    path_points_.clear();
    collide(a.shape, a.X_WG, b.shape, X_WG, length + touch, path_points_, nullptr);
    double gap = length + touch;
    for (const ContactPoint& point : path_points_) gap = std::min(gap, point.gap);
    if (gap <= (1 + kCloseEnough) * touch) return false;
    moved += gap - touch;
    if (moved >= length) return true;
    X_WG.p = b.X_WG.p + moved / length * way;
  }
  return false;
}

const ContactPair* ContactDetector::own_law(const Placed& a, const Placed& b) const {
  if (explicit_.empty()) return nullptr;
  const auto found = explicit_.find({a.geom, b.geom});
  return found == explicit_.end() ? nullptr : &model_.pairs[found->second];
}

void ContactDetector::collide_pair(Pair& pair, double h, std::vector<ContactForce>& contacts) {
  const Placed& first = placed_[pair.i];
  const Placed& second = placed_[pair.j];
  const ContactPair* own = own_law(first, second);
  double margin = own ? own->margin : std::max(first.margin, second.margin);
  margin += options_.rest_margin * (first.detail + second.detail) + first.turn + second.turn;
  if (h > 0) {
    // Either of the two may be stopped by a third within the step.
    const double closing = std::sqrt(std::max(
        {(first.v - second.v).squaredNorm(), first.v.squaredNorm(), second.v.squaredNorm()}));
    margin += h * closing + 2 * fall_;
  }
  points_.clear();
  if (!collide(first.shape, first.X_WG, second.shape, second.X_WG, margin, points_, &pair.memory)) {
    unsupported_.insert({first.geom, second.geom});
    return;
  }
  if (points_.empty()) return;
  if (passes_by(first, second, h)) {
    passing_.emplace_back(pair.i, pair.j);
    return;
  }
  if (!first.many_sided && !second.many_sided) {
    keep_widest(points_, 0, margin, options_.max_points);
  }
  PairLaw law = combine(model_.geoms[first.geom].contact, model_.geoms[second.geom].contact);
  if (own) law = {own->condim, own->friction[0], own->restitution};
  for (const ContactPoint& point : points_) {
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
    contact.mu = law.condim == 1 ? 0 : law.mu;
    contact.restitution = law.restitution;
    contacts.push_back(contact);
  }
}

}  // namespace stiction
