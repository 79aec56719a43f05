#include "sim/detect.h"

#include <algorithm>
#include <map>

namespace stiction {
namespace {

using Eigen::Vector3d;

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
  outran_.resize(groups_.size() + planes_.size());
  for (std::vector<Group>* groups : {&groups_, &planes_}) {
    for (Group& group : *groups) {
      const Vector3d first = place_in_mover(placed_[group.begin]);
      group.reserve = kInfinity;
      for (int i = group.begin; i < group.end; ++i) {
        const double distance = (place_in_mover(placed_[i]) - first).norm();
        group.arm = std::max({group.arm, distance, placed_[i].radius});
        group.reserve = std::min(group.reserve, reserve(placed_[i]));
      }
    }
  }
}

// How much larger a geom's box is than what its speed asks for.
double ContactDetector::reserve(const Placed& placed) const {
  return options_.rest_margin * placed.detail + placed.top_margin;
}

// The geom's origin in the frame of the body that carries it.
Vector3d ContactDetector::place_in_mover(const Placed& placed) const {
  Vector3d p = placed.p_BG;
  for (int b = placed.body; b > 0 && model_.bodies[b].dof_count == 0; b = model_.bodies[b].parent) {
    p = model_.bodies[b].X_PB.p + model_.bodies[b].X_PB.q * p;
  }
  return p;
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
    placed.group = static_cast<int>(groups_.size());
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
    if (!std::holds_alternative<Sphere>(geom.shape)) placed.turning = placed.radius;
    placed.detail = detail_size(geom.shape);
    placed.is_sdf = std::holds_alternative<SdfSolid>(geom.shape);
    placed.is_ground = std::holds_alternative<HeightField>(geom.shape) ||
                       std::holds_alternative<MeshSurface>(geom.shape);
    placed.many_sided = placed.is_sdf || placed.is_ground;
    placed.most_turn = most_turn(geom);
    placed.has_support = has_support(geom.shape);
    has_ground_ |= placed.is_ground;
    placed_.push_back(placed);
  }
  Group group{mover, parent, begin, static_cast<int>(placed_.size())};
  group.most_turn = kInfinity;
  for (int i = begin; i < group.end; ++i) {
    group.most_turn = std::min(group.most_turn, placed_[i].most_turn);
  }
  groups_.push_back(group);
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
    placed.turns = placed.outruns = false;
    if (placed.round) {
      bounds = bounds_about_axis(placed.extent, placed.X_WG.p, R_WB * placed.axis_B);
    } else {
      placed.X_WG.R = R_WB * placed.R_BG;
      bounds = bounds_of(placed.extent, placed.X_WG);
    }
    double reach = reserve(placed);
    if (h > 0 && placed.moves) {
      const Vector6d& V = tree.V[placed.body];
      if (body != placed.body) spin = h * V.tail<3>().norm();
      body = placed.body;
      placed.v = V.head<3>() + V.tail<3>().cross(placed.X_WG.p - tree.p_WO[body]);
      placed.v_next = placed.v;
      placed.turn = spin * placed.turning;
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

void ContactDetector::detect(const TreeData& tree, double h, std::vector<ContactForce>& contacts) {
  contacts.clear();
  if (!model_.options.contact_enabled) return;
  fall_ = h * h * model_.options.gravity.norm();
  for (const Group& group : groups_) place(tree, h, group);
  for (const Group& plane : planes_) place(tree, h, plane);
  std::fill(outran_.begin(), outran_.end(), 0);
  passing_.clear();
  find_all_pairs(h);
  striking_pairs_.clear();
  for (Pair& pair : pairs_) {
    turn(tree, placed_[pair.i]);
    turn(tree, placed_[pair.j]);
    const size_t before = contacts.size();
    collide_pair(pair, h, contacts);
    if (contacts.size() > before && strikes(placed_[pair.i], placed_[pair.j], h)) {
      striking_pairs_.push_back(static_cast<int>(&pair - pairs_.data()));
    }
  }
  look_at_seams(h, contacts);
}

}  // namespace stiction
