#include "geometry/sdf/near_faces.h"

#include <cmath>
#include <utility>

namespace stiction {

using Eigen::Vector3d;

namespace {

// A's distance and its gradient at the corners tell whether the face may be near.
void look_at(const SurfacePair& pair, const std::vector<Sample>& vertices, double margin, int face,
             int leaf, std::vector<NearFace>& faces) {
  const SurfaceTree& tree = pair.tree;
  const Eigen::Vector3i& ids = tree.faces[face];
  const Sample &p = vertices[ids[0]], &q = vertices[ids[1]], &r = vertices[ids[2]];
  constexpr double kThird = 1.0 / 3;  // products, because divisions would be most of the work
  const Vector3d middle = kThird * (p.x + q.x + r.x);
  const double mean = kThird * (p.value + q.value + r.value);
  const double tangents =
      0.5 * kThird *
      (p.gradient.dot(middle - p.x) + q.gradient.dot(middle - q.x) + r.gradient.dot(middle - r.x));
  // Of a parabola, the middle is at `mean + tangents`; B's own distance there is known.
  const double guess = tangents + (pair.b.distance ? tree.middle_distances[face] : 0);
  const double bend = std::abs(guess);
  const double least = std::min({p.value, q.value, r.value, mean + guess});
  // With twice the bend to be on the safe side.
  if (least - 2 * bend - 0.005 * tree.sizes[face] >= margin) return;
  const double lead_p = tree.leads[ids[0]], lead_q = tree.leads[ids[1]],
               lead_r = tree.leads[ids[2]];
  NearFace& near = faces.emplace_back();
  near.face = face;
  near.leaf = leaf;
  near.least = least;
  near.rank = std::min({p.value - lead_p, q.value - lead_q, r.value - lead_r,
                        mean + guess - kThird * (lead_p + lead_q + lead_r)});
  near.bend = bend;
}

}  // namespace

// The patches of the last level that A may reach, in `nodes_`. Balls that A goes right through
// have children that it reaches: those are not asked about. Nor is the last level, which would
// seldom say no.
void NearFaces::find_leaves(const SurfacePair& pair, double margin) {
  const SurfaceTree& tree = pair.tree;
  nodes_.reserve(size_t{1} << tree.levels);
  children_.reserve(size_t{1} << tree.levels);
  nodes_.assign(1, {});
  const auto take = [&](int k, const Sample& center) { nodes_[k].distance = center.value; };
  BlockSampler sampler(pair, take);
  for (int level = 0; level < tree.levels; ++level) {
    const SurfaceTree::Ball* balls = &tree.balls[(1 << level) - 1];
    for (int k = 0; k < static_cast<int>(nodes_.size()); ++k) {
      if (!nodes_[k].known) sampler.add(k, balls[nodes_[k].index].center);
    }
    sampler.finish();
    children_.clear();
    for (const Node& node : nodes_) {
      const double reach = pair.a.lipschitz * balls[node.index].radius;
      if (!node.known && !(node.distance < margin + reach)) continue;
      const bool through = !node.known && node.distance < margin + 0.3 * reach;
      children_.push_back({2 * node.index, through});
      children_.push_back({2 * node.index + 1, through});
    }
    std::swap(nodes_, children_);
  }
}

template <class Visit>
void NearFaces::for_faces_found(const SurfaceTree& tree, const Visit& visit) const {
  for (const Node& node : nodes_) {
    const int end = tree.patch_begin(tree.levels, node.index + 1);
    for (int f = tree.patch_begin(tree.levels, node.index); f < end; ++f) visit(f, node.index);
  }
}

void NearFaces::find(const SurfacePair& pair, double margin) {
  const SurfaceTree& tree = pair.tree;
  faces.clear();
  if (vertices.size() < tree.vertices.size()) {
    vertices.resize(tree.vertices.size());
    known_.resize(tree.vertices.size());
  }
  ++call_;
  find_leaves(pair, margin);
  const auto take = [&](int id, const Sample& vertex) { vertices[id] = vertex; };
  BlockSampler sampler(pair, take);
  for_faces_found(tree, [&](int face, int) {
    for (const int id : tree.faces[face]) {
      if (std::exchange(known_[id], call_) != call_) sampler.add(id, tree.vertices[id]);
    }
  });
  sampler.finish();
  for_faces_found(tree,
                  [&](int face, int leaf) { look_at(pair, vertices, margin, face, leaf, faces); });
}

}  // namespace stiction
