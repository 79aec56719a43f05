#include "geometry/sdf/surface_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/sdf/deepest_contact.h"
#include "geometry/sdf/edge_contacts.h"
#include "geometry/sdf/face_contact.h"
#include "geometry/sdf/near_faces.h"
#include "geometry/sdf/surface_clusters.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Reused from call to call, so that a step allocates nothing once it has grown.
struct Scratch {
  NearFaces near;
  std::vector<SurfaceContact> found;
  std::vector<SurfaceContact> turned;  // the surfaces do not look at each other
  std::vector<int> more;               // of the faces that are near
  std::vector<unsigned> seen;  // per vertex: the number of the call when it last became a contact
  unsigned call = 0;
  SurfaceWork work;
};

Scratch& scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

constexpr int kPerPatch = 2;  // contacts of a cluster, of which the deepest is kept
constexpr int kMore = 16;     // faces beyond these that are searched for the deepest of all

class Collider {
 public:
  Collider(const Field& a, const Surface& b, double margin)
      : pair_(a, b),
        tree_(b.tree),
        margin_(margin),
        scratch_(scratch()),
        near_(scratch_.near.faces),
        found_(scratch_.found) {
    found_.clear();
    scratch_.turned.clear();
    if (scratch_.seen.size() < tree_.vertices.size()) scratch_.seen.resize(tree_.vertices.size());
    ++scratch_.call;
  }

  void run(Contacts& contacts) {
    scratch_.near.find(pair_, margin_);
    if (near_.size() <= kMaxSurfaceContacts) {
      for (const NearFace& near : near_) search(near);
      if (pair_.is_exact()) settle_deepest(pair_, scratch_.turned, found_);
      for (const SurfaceContact& found : found_) contacts.push_back(found.contact);
    } else {
      const int level = cluster_level(tree_, near_, margin_);
      search_clusters(level);
      search_deepest();
      if (pair_.is_exact()) settle_deepest(pair_, scratch_.turned, found_);
      keep_clusters(tree_, level, pair_.b.X_WB, found_, contacts);
    }
    scratch_.work.candidates += static_cast<long>(found_.size());
    if (pair_.b.distance && is_lost()) {
      add_deepest(pair_, middle_of(deepest_face()), contacts);
    }
  }

 private:
  // In each patch, the faces that look deepest; on and on only until there are contacts.
  void search_clusters(int level) {
    std::vector<NearFace>& all = near_;
    mark_extremes(tree_, margin_, all);
    const auto patch = [&](const NearFace& near) { return near.leaf >> (tree_.levels - level); };
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && patch(all[end]) == patch(all[begin])) ++end;
      int found = 0;
      double deepest = margin_;  // rank
      const auto look_into = [&](const NearFace& near) {
        if (!search(near)) return;
        ++found;
        deepest = std::min(deepest, found_.back().rank());
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
    for (const SurfaceContact& found : found_) deepest = std::min(deepest, found.rank());
    // Of a parabola that is known at corners and middle.
    const auto bound = [&](int k) { return near_[k].rank - 0.5 * near_[k].bend; };
    const auto promises = [&](int k) {
      return bound(k) < deepest - 1e-7 * tree_.sizes[near_[k].face];
    };
    std::vector<int>& more = scratch_.more;
    more.clear();
    for (int k = 0; k < static_cast<int>(near_.size()); ++k) {
      if (!near_[k].searched && promises(k)) more.push_back(k);
    }
    const auto end = more.begin() + std::min<std::ptrdiff_t>(kMore, std::ssize(more));
    // In steps, so that rounding does not sort what is equally deep.
    const auto step = [&](int k) { return std::floor(bound(k) / (1e-4 * tree_.radius)); };
    std::partial_sort(more.begin(), end, more.end(),
                      [&](int i, int j) { return step(i) != step(j) ? step(i) < step(j) : i < j; });
    for (auto k = more.begin(); k != end && promises(*k); ++k) {
      if (search(near_[*k])) {
        deepest = std::min(deepest, found_.back().rank());
      }
    }
    std::sort(found_.begin(), found_.end(), [](const auto& x, const auto& y) {
      return x.leaf != y.leaf ? x.leaf < y.leaf : x.contact.feature < y.contact.feature;
    });
  }

  // Whether B is in A without a face of it that looks at the side of A that is nearest, or in the
  // place of A.
  bool is_lost() const {
    for (const SurfaceContact& found : found_) {
      if (found.contact.gap < 0) return false;
    }
    const double within = found_.empty() ? 1e-6 : -1e-3;  // of the size of a face
    for (const NearFace& near : near_) {
      for (const int id : tree_.faces[near.face]) {
        if (scratch_.near.vertices[id].value < within * tree_.sizes[near.face]) return true;
      }
    }
    return false;
  }

  int deepest_face() const {
    return std::min_element(near_.begin(), near_.end(),
                            [](const NearFace& x, const NearFace& y) { return x.rank < y.rank; })
        ->face;
  }

  Vector3d middle_of(int face) const {
    Vector3d middle = Vector3d::Zero();
    for (const int id : tree_.faces[face]) middle += scratch_.near.vertices[id].x / 3;
    return middle;
  }

  // Looks for the least distance on the face; true if there is a contact.
  bool search(const NearFace& near) {
    ++scratch_.work.faces;
    const FacePoint m = least_on_face(pair_, scratch_.near.vertices, near.face);
    if (!(m.value < margin_)) return false;
    unsigned* seen = m.corner >= 0 ? &scratch_.seen[tree_.faces[near.face][m.corner]] : nullptr;
    if (seen && *seen == scratch_.call) return false;
    SurfaceContact found;
    if (!contact_at(pair_, near, m, margin_, found)) return false;
    if (!found.faces) {
      if (found.sharp) scratch_.turned.push_back(found);
      return false;
    }
    if (seen) *seen = scratch_.call;
    found_.push_back(found);
    return true;
  }

  SurfacePair pair_;
  const SurfaceTree& tree_;
  double margin_;
  Scratch& scratch_;
  std::vector<NearFace>& near_;
  std::vector<SurfaceContact>& found_;
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
