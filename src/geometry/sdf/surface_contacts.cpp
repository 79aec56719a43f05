#include "geometry/sdf/surface_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "geometry/sdf/deepest_point.h"
#include "geometry/sdf/face_search.h"
#include "geometry/sdf/nearest_pair.h"
#include "geometry/sdf/surface_clusters.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A point of B in A's frame, and A's distance there.
struct Sample {
  Vector3d x;
  double value = 0;
  Vector3d gradient;
};

// When something last happened to a vertex: numbers of calls.
struct Stamps {
  unsigned known = 0;  // its sample was taken
  unsigned seen = 0;   // it became a contact
};

// A ball of B's tree, on the way down through its levels.
struct Node {
  int index = 0;        // within its level
  bool known = false;   // to be reached by A
  double distance = 0;  // of A at its centre, unless that is known
};

// Takes samples as points come, a block at a time, and hands each to `take(index, sample)`.
template <class Take>
class Sampler {
 public:
  Sampler(const Field& a, const Matrix3d& R_AB, const Vector3d& p_AB, const Take& take)
      : a_(a), R_AB_(R_AB), p_AB_(p_AB), take_(take) {}

  void add(int index, const Vector3d& p_B) {
    block_.x[count_] = p_B.x();
    block_.y[count_] = p_B.y();
    block_.z[count_] = p_B.z();
    indices_[count_] = index;
    if (++count_ == kSize) evaluate();
  }
  // Those that are left.
  void finish() {
    if (count_ == 0) return;
    for (DistanceBlock::Row* row : {&block_.x, &block_.y, &block_.z}) {
      std::fill(row->begin() + count_, row->end(), (*row)[0]);
    }
    evaluate();
  }

 private:
  static constexpr int kSize = DistanceBlock::kSize;

  void evaluate() {
    DistanceBlock& b = block_;
    for (int k = 0; k < kSize; ++k) {
      const double x = b.x[k], y = b.y[k], z = b.z[k];
      b.x[k] = R_AB_(0, 0) * x + R_AB_(0, 1) * y + R_AB_(0, 2) * z + p_AB_[0];
      b.y[k] = R_AB_(1, 0) * x + R_AB_(1, 1) * y + R_AB_(1, 2) * z + p_AB_[1];
      b.z[k] = R_AB_(2, 0) * x + R_AB_(2, 1) * y + R_AB_(2, 2) * z + p_AB_[2];
    }
    if (a_.distances) (*a_.distances)(b);
    for (int k = 0; k < count_; ++k) {
      Sample sample{
          {b.x[k], b.y[k], b.z[k]}, b.distance[k], {b.grad_x[k], b.grad_y[k], b.grad_z[k]}};
      if (!a_.distances) sample.value = a_.distance(sample.x, sample.gradient);
      take_(indices_[k], sample);
    }
    count_ = 0;
  }

  const Field& a_;
  const Matrix3d R_AB_;
  const Vector3d p_AB_;
  const Take& take_;
  int count_ = 0;
  DistanceBlock block_{};
  std::array<int, kSize> indices_;
};

// Reused from call to call, so that a step allocates nothing once it has grown.
struct Scratch {
  std::vector<Node> nodes, children;
  std::vector<NearFace> near;
  std::vector<SurfaceContact> found;
  std::vector<int> more;  // of `near`
  std::vector<Sample> vertices;
  std::vector<Stamps> stamps;  // of `vertices`
  unsigned call = 0;
  SurfaceWork work;
};

Scratch& scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

constexpr std::uint32_t kDeepestFeature = kProbeFeature - 1;
constexpr int kPerPatch = 2;          // contacts of a cluster, of which the deepest is kept
constexpr double kFacing = 1 - 1e-6;  // cosine of opposite normals
constexpr int kSettled = 6;     // contacts beside edges that are searched for to the last digit
constexpr double kApart = 0.2;  // of a face's size, between solids that are searched for edges
constexpr int kMore = 16;       // faces beyond these that are searched for the deepest of all

class Collider {
 public:
  Collider(const Field& a, const Surface& b, double margin)
      : a_(a),
        b_(b),
        tree_(b.tree),
        margin_(margin),
        exact_(std::max(a.lipschitz, b.lipschitz) < 1.1),
        R_AB_(a.X_WA.R.transpose() * b.X_WB.R),
        p_AB_(a.X_WA.R.transpose() * (b.X_WB.p - a.X_WA.p)),
        scratch_(scratch()) {
    scratch_.near.clear();
    scratch_.found.clear();
    if (scratch_.vertices.size() < tree_.vertices.size()) {
      scratch_.vertices.resize(tree_.vertices.size());
      scratch_.stamps.resize(tree_.vertices.size());
    }
    ++scratch_.call;
  }

  void run(Contacts& contacts) {
    find_leaves();
    look_at_leaves();
    if (scratch_.near.size() <= kMaxSurfaceContacts) {
      for (const NearFace& near : scratch_.near) search(near);
      if (exact_) settle_deepest();
      for (const SurfaceContact& found : scratch_.found) contacts.push_back(found.contact);
    } else {
      const int level = cluster_level(tree_, scratch_.near, margin_);
      search_clusters(level);
      search_deepest();
      if (exact_) settle_deepest();
      keep_clusters(tree_, level, b_.X_WB, scratch_.found, contacts);
    }
    scratch_.work.candidates += static_cast<long>(scratch_.found.size());
    if (b_.distance && is_lost()) add_deepest(contacts);
  }

 private:
  // The patches of the last level that A may reach, in `nodes`. Balls that A goes right through
  // have children that it reaches: those are not asked about. Nor is the last level, which would
  // seldom say no.
  void find_leaves() {
    std::vector<Node>& nodes = scratch_.nodes;
    std::vector<Node>& children = scratch_.children;
    nodes.reserve(size_t{1} << tree_.levels);
    children.reserve(size_t{1} << tree_.levels);
    nodes.assign(1, {});
    const auto take = [&](int k, const Sample& center) { nodes[k].distance = center.value; };
    Sampler sampler(a_, R_AB_, p_AB_, take);
    for (int level = 0; level < tree_.levels; ++level) {
      const SurfaceTree::Ball* balls = &tree_.balls[(1 << level) - 1];
      for (int k = 0; k < static_cast<int>(nodes.size()); ++k) {
        if (!nodes[k].known) sampler.add(k, balls[nodes[k].index].center);
      }
      sampler.finish();
      children.clear();
      for (const Node& node : nodes) {
        const double reach = a_.lipschitz * balls[node.index].radius;
        if (!node.known && !(node.distance < margin_ + reach)) continue;
        const bool through = !node.known && node.distance < margin_ + 0.3 * reach;
        children.push_back({2 * node.index, through});
        children.push_back({2 * node.index + 1, through});
      }
      std::swap(nodes, children);
    }
  }

  template <class Visit>
  void for_faces_found(const Visit& visit) const {
    for (const Node& node : scratch_.nodes) {
      const int end = tree_.patch_begin(tree_.levels, node.index + 1);
      for (int f = tree_.patch_begin(tree_.levels, node.index); f < end; ++f) visit(f, node.index);
    }
  }

  void look_at_leaves() {
    const auto take = [&](int id, const Sample& vertex) { scratch_.vertices[id] = vertex; };
    Sampler sampler(a_, R_AB_, p_AB_, take);
    for_faces_found([&](int face, int) {
      for (const int id : tree_.faces[face]) {
        if (scratch_.stamps[id].known == scratch_.call) continue;
        scratch_.stamps[id].known = scratch_.call;
        sampler.add(id, tree_.vertices[id]);
      }
    });
    sampler.finish();
    for_faces_found([&](int face, int leaf) { look_at(face, leaf); });
  }

  // A's distance and its gradient at the corners tell whether the face may be near.
  void look_at(int face, int leaf) {
    const Eigen::Vector3i& ids = tree_.faces[face];
    const Sample &p = scratch_.vertices[ids[0]], &q = scratch_.vertices[ids[1]],
                 &r = scratch_.vertices[ids[2]];
    constexpr double kThird = 1.0 / 3;  // products, because divisions would be most of the work
    const Vector3d middle = kThird * (p.x + q.x + r.x);
    const double mean = kThird * (p.value + q.value + r.value);
    const double tangents = 0.5 * kThird *
                            (p.gradient.dot(middle - p.x) + q.gradient.dot(middle - q.x) +
                             r.gradient.dot(middle - r.x));
    // Of a parabola, the middle is at `mean + tangents`; B's own distance there is known.
    const double guess = tangents + (b_.distance ? tree_.middle_distances[face] : 0);
    const double bend = std::abs(guess);
    const double least = std::min({p.value, q.value, r.value, mean + guess});
    // With twice the bend to be on the safe side.
    if (least - 2 * bend - 0.005 * tree_.sizes[face] >= margin_) return;
    const double lead_p = tree_.leads[ids[0]], lead_q = tree_.leads[ids[1]],
                 lead_r = tree_.leads[ids[2]];
    NearFace& near = scratch_.near.emplace_back();
    near.face = face;
    near.leaf = leaf;
    near.least = least;
    near.rank = std::min({p.value - lead_p, q.value - lead_q, r.value - lead_r,
                          mean + guess - kThird * (lead_p + lead_q + lead_r)});
    near.bend = bend;
  }

  // In each patch, the faces that look deepest; on and on only until there are contacts.
  void search_clusters(int level) {
    auto& all = scratch_.near;
    mark_extremes(tree_, margin_, all);
    const auto patch = [&](const NearFace& near) { return near.leaf >> (tree_.levels - level); };
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && patch(all[end]) == patch(all[begin])) ++end;
      int found = 0;
      double deepest = margin_;  // rank
      const auto look_into = [&](const NearFace& near) {
        if (!search(near)) return;
        ++found;
        deepest = std::min(deepest, scratch_.found.back().rank());
      };
      for (size_t k = begin; k < end; ++k) {
        if (all[k].searched) look_into(all[k]);
      }
      for (int tried = 0; found < kPerPatch; ++tried) {
        NearFace* best = nullptr;
        for (size_t k = begin; k < end; ++k) {
          NearFace& near = all[k];
          if (near.searched || (near.least >= margin_ && tried >= kPerPatch)) continue;
          if (!best || near.rank < best->rank) best = &near;
        }
        if (!best) break;
        // Nothing deeper is to be expected. Faces around a vertex are equally deep but for
        // rounding.
        const double tie = 1e-7 * tree_.sizes[best->face];
        if (found > 0 && best->rank - 2 * best->bend >= deepest - tie) break;
        best->searched = true;
        look_into(*best);
      }
    }
  }

  // A few more of the faces that may hold something deeper than all that was found.
  void search_deepest() {
    double deepest = margin_;  // rank
    for (const SurfaceContact& found : scratch_.found) deepest = std::min(deepest, found.rank());
    // Of a parabola that is known at corners and middle.
    const auto bound = [&](int k) { return scratch_.near[k].rank - 0.5 * scratch_.near[k].bend; };
    const auto promises = [&](int k) {
      return bound(k) < deepest - 1e-7 * tree_.sizes[scratch_.near[k].face];
    };
    std::vector<int>& more = scratch_.more;
    more.clear();
    for (int k = 0; k < static_cast<int>(scratch_.near.size()); ++k) {
      if (!scratch_.near[k].searched && promises(k)) more.push_back(k);
    }
    const auto end = more.begin() + std::min<std::ptrdiff_t>(kMore, std::ssize(more));
    // In steps, so that rounding does not sort what is equally deep.
    const auto step = [&](int k) { return std::floor(bound(k) / (1e-4 * tree_.radius)); };
    std::partial_sort(more.begin(), end, more.end(),
                      [&](int i, int j) { return step(i) != step(j) ? step(i) < step(j) : i < j; });
    for (auto k = more.begin(); k != end && promises(*k); ++k) {
      if (search(scratch_.near[*k])) {
        deepest = std::min(deepest, scratch_.found.back().rank());
      }
    }
    std::sort(scratch_.found.begin(), scratch_.found.end(), [](const auto& x, const auto& y) {
      return x.leaf != y.leaf ? x.leaf < y.leaf : x.contact.feature < y.contact.feature;
    });
  }

  // Whether B is in A without a face of it that looks at the side of A that is nearest, or in the
  // place of A.
  bool is_lost() const {
    for (const SurfaceContact& found : scratch_.found) {
      if (found.contact.gap < 0) return false;
    }
    const double within = scratch_.found.empty() ? 1e-6 : -1e-3;  // of the size of a face
    for (const NearFace& near : scratch_.near) {
      for (const int id : tree_.faces[near.face]) {
        if (scratch_.vertices[id].value < within * tree_.sizes[near.face]) return true;
      }
    }
    return false;
  }

  // One contact where both are deepest, which pushes them apart by the sum of both depths. Of
  // several normals on either side, the two that are most opposite count, the first among equals.
  void add_deepest(Contacts& contacts) const {
    const NearFace& start =
        *std::min_element(scratch_.near.begin(), scratch_.near.end(),
                          [](const NearFace& x, const NearFace& y) { return x.rank < y.rank; });
    Vector3d middle = Vector3d::Zero();
    for (const int id : tree_.faces[start.face]) middle += scratch_.vertices[id].x / 3;
    const auto sum = [&](const Vector3d& x) {
      Vector3d gradient;
      const double d = a_.distance(x, gradient);
      return d + distance_of_b(x, gradient);
    };
    const Vector3d x = least_point(sum, middle, 0.1 * tree_.radius);
    if (!(sum(x) < 0)) return;
    constexpr int kAround = 14;  // axes and diagonals
    std::array<Vector3d, kAround> of_a, of_b;
    for (int k = 0; k < kAround; ++k) {
      const Vector3d d = k < 6 ? Vector3d((k % 2 ? -1 : 1) * Vector3d::Unit(k / 2))
                               : Vector3d(k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1);
      const Vector3d y = x + 1e-6 * tree_.radius * d;
      a_.distance(y, of_a[k]);
      of_b[k].setZero();
      distance_of_b(y, of_b[k]);
    }
    int at_a = 0, at_b = 0;
    for (int i = 0; i < kAround; ++i) {
      for (int j = 0; j < kAround; ++j) {
        if (of_a[i].dot(of_b[j]) < of_a[at_a].dot(of_b[at_b]) - 1e-6) {
          at_a = i;
          at_b = j;
        }
      }
    }
    Vector3d gradient = Vector3d::Zero();
    const Vector3d end_b = x - distance_of_b(x, gradient) * of_b[at_b];
    const Vector3d end_a = x - a_.distance(x, gradient) * of_a[at_a];
    const Vector3d n = (of_a[at_a] - of_b[at_b]).normalized();
    contacts.push_back(
        {a_.X_WA.R * ((end_a + end_b) / 2) + a_.X_WA.p, a_.X_WA.R * n, sum(x), kDeepestFeature});
  }

  // Looks for the least distance on the face; true if there is a contact.
  bool search(const NearFace& near) {
    ++scratch_.work.faces;
    const Eigen::Vector3i& ids = tree_.faces[near.face];
    const double size = tree_.sizes[near.face];
    FacePoint m = least_on_face(near.face);
    if (!(m.value < margin_)) return false;
    if (m.corner >= 0 && scratch_.stamps[ids[m.corner]].seen == scratch_.call) return false;

    const Vector3d n_face = R_AB_ * tree_.normals[near.face];
    Vector3d n_b = n_face;
    if (m.corner >= 0) {
      n_b = R_AB_ * gradient_beside(near.face, m.corner);
    } else if (is_bent(near.face)) {
      n_b.setZero();
      const double off = distance_of_b(m.x, n_b);
      m.x -= off * n_b;
    }
    Vector3d n;
    double gap = a_.distance(m.x, n);
    n.normalize();
    // Smooth surfaces face each other, and the search on the face has found where. At an edge of A,
    // where its gradient jumps, B decides: A is asked a little outside.
    bool sharp = n.dot(n_b) > -0.99 && (!b_.distance || !is_smooth(near.face));
    if (gap < 1e-3 * size && n.dot(n_b) > -0.99) {
      const Vector3d inside = n;
      const double away = std::max(0.0, -gap) + 0.01 * size;
      gap = a_.distance(m.x - away * n_b, n);
      n.normalize();
      gap += away * n.dot(n_b);
      sharp |= n.dot(inside) < 0.99;
    }
    // Surfaces that touch look at each other, at least on one face beside a sharp edge.
    if (!(gap < margin_)) return false;
    if (n.dot(n_face) > -0.1) {
      // Where A's depth has a ridge, it has several normals, of which B faces the one behind.
      if (gap >= 0) return false;
      a_.distance(m.x - 1e-6 * size * n_b, n);
      n.normalize();
      if (n.dot(n_face) > -0.1) return false;
    }
    if (m.corner >= 0) scratch_.stamps[ids[m.corner]].seen = scratch_.call;
    const auto feature =
        static_cast<std::uint32_t>(m.corner >= 0 ? 2 * ids[m.corner] + 1 : 2 * near.face);
    const Vector3d p = m.x - 0.5 * gap * n;
    scratch_.found.push_back({.contact = {a_.X_WA.R * p + a_.X_WA.p, a_.X_WA.R * n, gap, feature},
                              .leaf = near.leaf,
                              .lead = m.lead,
                              .face = near.face,
                              .facing = n.dot(n_b),
                              .sharp = sharp,
                              .chord = is_round(near.face) && m.weights.minCoeff() < 1e-6});
    return true;
  }

  // Beside edges, of which B's faces may know only the chords, the search leaves something to gain:
  // for the deepest contacts, it is found.
  void settle_deepest() {
    double deepest = 0.1 * tree_.radius;
    for (const SurfaceContact& c : scratch_.found) deepest = std::min(deepest, c.contact.gap);
    int left = kSettled;
    for (SurfaceContact& found : scratch_.found) {
      const double size = tree_.sizes[found.face];
      ContactPoint& c = found.contact;
      const bool stopped = found.facing > -kFacing && c.gap <= deepest + 1e-9 * size;
      if (!found.sharp && !found.chord && !stopped) continue;
      const double unsure = 0.01 * size + (is_round(found.face) ? tree_.beyond[found.face] : 0);
      if (c.gap > deepest + unsure || c.gap < -0.1 * size || left == 0) continue;
      --left;
      const auto& [R, origin] = a_.X_WA;
      NearestPair pair{R.transpose() * (c.p + 0.5 * c.gap * c.n - origin), R.transpose() * c.n,
                       c.gap};
      if (!settle(found.face, pair)) continue;
      // Contacts that are as deep as that already stay where they are.
      const double change = pair.gap - c.gap;
      if (found.sharp ? std::abs(change) < 5e-7 * size : change > -1e-6 * size) continue;
      c.gap = pair.gap;
      c.n = R * pair.n;
      c.p = R * (pair.b - 0.5 * pair.gap * pair.n) + origin;
    }
  }

  // The nearest points of A and B, or of the face alone if B is flat there.
  bool settle(int face, NearestPair& pair) const {
    const double size = tree_.sizes[face];
    const auto a = [&](const Vector3d& x, Vector3d& gradient) { return a_.distance(x, gradient); };
    if (is_bent(face) || is_round(face)) {
      const auto b = [&](const Vector3d& x, Vector3d& gradient) {
        gradient.setZero();
        return distance_of_b(x, gradient);
      };
      const double apart = kApart * size + tree_.sag[face] + tree_.beyond[face];
      return find_nearest_pair(a, b, apart, 2 * size, pair);
    }
    const Eigen::Vector3i& ids = tree_.faces[face];
    const Vector3d &p = scratch_.vertices[ids[0]].x, &q = scratch_.vertices[ids[1]].x,
                   &r = scratch_.vertices[ids[2]].x;
    const auto b = [&](const Vector3d& x, Vector3d& gradient) {
      const Vector3d w = nearest_weights(p, q, r, x);
      gradient = x - w[0] * p - w[1] * q - w[2] * r;
      const double d = gradient.norm();
      gradient /= d;
      return d;
    };
    return find_nearest_pair(a, b, kApart * size, 2 * size, pair);
  }

  // Starts from the best of middle and corners, where the lead decides if they are equally deep.
  FacePoint least_on_face(int face) const {
    const Eigen::Vector3i& ids = tree_.faces[face];
    const bool bent = is_bent(face);
    std::array<FacePoint, 3> corners;
    for (int k = 0; k < 3; ++k) {
      const Sample& end = scratch_.vertices[ids[k]];
      corners[k] = {end.x, end.value, end.gradient, tree_.leads[ids[k]], Vector3d::Unit(k), k};
      if (bent) corners[k].gradient += R_AB_ * gradient_beside(face, k);
    }
    FacePoint start;
    start.x = (corners[0].x + corners[1].x + corners[2].x) / 3;
    start.lead = (corners[0].lead + corners[1].lead + corners[2].lead) / 3;
    start.value = a_.distance(start.x, start.gradient);
    if (bent) {
      start.value += tree_.middle_distances[face];
      start.gradient += R_AB_ * tree_.middle_gradients[face];
    }
    for (const FacePoint& corner : corners) {
      if (corner.rank() < start.rank()) start = corner;
    }
    const auto field = [&](const Vector3d& x, Vector3d& gradient) {
      const double d = a_.distance(x, gradient);
      return bent ? d + distance_of_b(x, gradient) : d;
    };
    return minimise_on_face(field, corners, start, 1e-4 * tree_.sizes[face],
                            !bent || is_smooth(face));
  }

  // Whether B's zero leaves the face, so that its distance matters.
  bool is_bent(int face) const { return b_.distance && tree_.sag[face] > 1e-9 * tree_.sizes[face]; }

  // Whether B has a round edge at the face, which knows only its chords.
  bool is_round(int face) const { return b_.distance && tree_.beyond[face] > 0; }

  // Of B at a corner, seen from the face: at a sharp edge B has another gradient on either side.
  const Vector3d& gradient_beside(int face, int corner) const {
    const Vector3d& n_face = tree_.normals[face];
    if (!b_.distance) return n_face;
    const Vector3d& gradient = tree_.gradients[tree_.faces[face][corner]];
    return gradient.dot(n_face) > 0.8 ? gradient : n_face;
  }

  bool is_smooth(int face) const {
    if (!b_.distance) return true;
    for (int k = 0; k < 3; ++k) {
      if (tree_.gradients[tree_.faces[face][k]].dot(tree_.normals[face]) <= 0.8) return false;
    }
    return true;
  }

  // At x in A's frame; adds to the gradient.
  double distance_of_b(const Vector3d& x, Vector3d& gradient) const {
    Vector3d g;
    const double d = (*b_.distance)(R_AB_.transpose() * (x - p_AB_), g);
    gradient += R_AB_ * g;
    return d;
  }

  const Field& a_;
  const Surface& b_;
  const SurfaceTree& tree_;
  double margin_;
  bool exact_;  // both distances grow by one per metre
  Matrix3d R_AB_;
  Vector3d p_AB_;
  Scratch& scratch_;
};

}  // namespace

void collide_surface(const Field& a, const Surface& b, double margin, Contacts& contacts) {
  Collider(a, b, margin).run(contacts);
}

SurfaceWork take_surface_work() { return std::exchange(scratch().work, {}); }

void add_probe(const Field& a, const Vector3d& point_W, double margin, std::uint32_t feature,
               Contacts& contacts) {
  Vector3d gradient;
  const double gap = a.distance(a.X_WA.R.transpose() * (point_W - a.X_WA.p), gradient);
  if (!(gap < margin)) return;
  const Vector3d n = (a.X_WA.R * gradient).normalized();
  contacts.push_back({point_W - 0.5 * gap * n, n, gap, feature});
}

}  // namespace stiction
