#include "geometry/sdf/surface_contacts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

using Eigen::Vector3d;

struct Candidate {
  ContactPoint contact;
  int leaf = 0;  // its face's patch of the tree's last level
};

// A face that may hold a contact, before it is searched.
struct Near {
  int face = 0;
  int leaf = 0;
  double size = 0;   // from its middle to its furthest corner
  double value = 0;  // at its middle
  Vector3d gradient;
  double least = 0;  // of middle and corners
  double bend = 0;   // of the parabola through these
  bool searched = false;
};

// A vertex of B in A's frame, and A's distance there.
struct Vertex {
  unsigned known = 0;  // the call in which the rest was set
  unsigned seen = 0;   // the call in which it became a contact
  double value = 0;
  Vector3d x;
  Vector3d gradient;
};

// Reused from call to call, so that a step allocates nothing once it has grown.
struct Scratch {
  std::vector<Near> near;
  std::vector<Candidate> candidates;
  std::vector<Vertex> vertices;
  std::vector<unsigned> crossed;  // per ball: the call in which A went through it
  unsigned call = 0;
  std::vector<char> kept;
  SurfaceWork work;
};

Scratch& scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

struct Minimum {
  Vector3d x;
  double value = 0;
  Vector3d gradient;
  int corner = -1;  // if it is one
};

constexpr int kIterations = 12;
constexpr int kPerPatch = 2;  // contacts of a cluster, of which the deepest is kept

// From a start with known value and gradient; `field(x, gradient)` is what is minimised, `ends` are
// its values at the corners.
template <class Function>
void minimise_on_face(const Function& field, const std::array<Minimum, 3>& ends, double tolerance,
                      Minimum& m) {
  for (int k = 0; k < kIterations; ++k) {
    int best = 0;
    for (int c = 1; c < 3; ++c) {
      if (m.gradient.dot(ends[c].x - ends[best].x) < 0) best = c;
    }
    const Minimum& end = ends[best];
    const Vector3d step = end.x - m.x;
    const double slope = m.gradient.dot(step);
    if (slope > -tolerance) return;  // the dual gap of Frank and Wolfe
    const double end_slope = end.gradient.dot(step);
    if (end_slope <= 0 && end.value <= m.value) {
      m = end;
      continue;
    }
    // Where the slope, taken for linear, vanishes.
    const double share = end_slope > 0 ? slope / (slope - end_slope) : 0.5;
    Minimum next{m.x + share * step, 0, Vector3d::Zero(), -1};
    next.value = field(next.x, next.gradient);
    if (next.value >= m.value) {
      if (end.value < m.value) m = end;
      return;
    }
    m = next;
  }
}

class Collider {
 public:
  Collider(const Field& a, const Surface& b, double margin)
      : a_(a),
        b_(b),
        margin_(margin),
        R_AB_(a.X_WA.R.transpose() * b.X_WB.R),
        p_AB_(a.X_WA.R.transpose() * (b.X_WB.p - a.X_WA.p)),
        scratch_(scratch()) {
    scratch_.near.clear();
    scratch_.candidates.clear();
    if (scratch_.vertices.size() < b.tree.vertices.size()) {
      scratch_.vertices.resize(b.tree.vertices.size());
    }
    if (scratch_.crossed.size() < b.tree.balls.size()) {
      scratch_.crossed.resize(b.tree.balls.size());
    }
    ++scratch_.call;
  }

  void run(Contacts& contacts) {
    for_faces(
        b_.tree, [&](const SurfaceTree::Ball& ball) { return reaches(ball); },
        [&](int face) { look_at(face); });
    if (scratch_.near.size() <= kMaxSurfaceContacts) {
      for (Near& near : scratch_.near) search(near);
      for (const Candidate& c : scratch_.candidates) contacts.push_back(c.contact);
    } else {
      const int level = finest_level();
      search_clusters(level);
      keep_clusters(level, contacts);
    }
    scratch_.work.candidates += static_cast<long>(scratch_.candidates.size());
  }

 private:
  // Balls that A goes right through have children that it reaches: those are not asked about.
  bool reaches(const SurfaceTree::Ball& ball) {
    const auto node = static_cast<size_t>(&ball - b_.tree.balls.data());
    if (node > 0 && scratch_.crossed[(node - 1) / 2] == scratch_.call) return true;
    Vector3d ignored;
    const double d = a_.distance(R_AB_ * ball.center + p_AB_, ignored);
    const double reach = a_.lipschitz * ball.radius;
    if (d < margin_ + 0.3 * reach) scratch_.crossed[node] = scratch_.call;
    return d < margin_ + reach;
  }

  // A's distance at the corners tells whether the face may be near, then the middle does.
  void look_at(int face) {
    const Eigen::Vector3i& ids = b_.tree.faces[face];
    const std::array<const Vertex*, 3> ends = {&vertex(ids[0]), &vertex(ids[1]), &vertex(ids[2])};
    const Vector3d middle = (ends[0]->x + ends[1]->x + ends[2]->x) / 3;
    Near near;
    near.face = face;
    double corners = 0, tangents = 0;
    near.least = ends[0]->value;
    for (const Vertex* end : ends) {
      near.size = std::max(near.size, (end->x - middle).squaredNorm());
      near.least = std::min(near.least, end->value);
      corners += end->value / 3;
      tangents += end->gradient.dot(middle - end->x) / 6;
    }
    near.size = std::sqrt(near.size);
    // Of a parabola, the middle is at `corners + tangents`; B's own distance there is known.
    const double sag = b_.distance ? b_.tree.middles[face].distance : 0;
    const double guess = tangents + sag;
    if (is_far(std::min(near.least, corners + guess), std::abs(guess), near.size)) return;
    near.value = a_.distance(middle, near.gradient) + sag;
    near.bend = std::abs(near.value - corners);
    near.least = std::min(near.least, near.value);
    if (is_far(near.least, near.bend, near.size)) return;
    near.leaf = b_.tree.patch(face, b_.tree.levels);
    scratch_.near.push_back(near);
  }

  // With twice the bend to be on the safe side.
  bool is_far(double least, double bend, double size) const {
    return least - 2 * bend - 0.005 * size >= margin_;
  }

  // Looks for the least distance on the face; true if there is a contact.
  bool search(Near& near) {
    near.searched = true;
    ++scratch_.work.faces;
    const int face = near.face;
    const Eigen::Vector3i& ids = b_.tree.faces[face];
    std::array<Minimum, 3> ends;
    for (int k = 0; k < 3; ++k) {
      const Vertex& end = vertex(ids[k]);
      ends[k] = {end.x, end.value, end.gradient, k};
    }
    Minimum m;
    m.x = (ends[0].x + ends[1].x + ends[2].x) / 3;
    m.value = near.value;
    m.gradient = near.gradient;
    if (b_.distance) {
      m.gradient += R_AB_ * b_.tree.middles[face].gradient;
      for (int k = 0; k < 3; ++k) ends[k].gradient += R_AB_ * b_.tree.gradients[ids[k]];
    }
    for (const Minimum& end : ends) {
      if (end.value < m.value) m = end;
    }
    minimise_on_face(
        [this](const Vector3d& x, Vector3d& gradient) {
          const double d = a_.distance(x, gradient);
          return b_.distance ? d + distance_of_b(x, gradient) : d;
        },
        ends, 1e-4 * near.size, m);
    if (!(m.value < margin_)) return false;
    if (m.corner >= 0 && scratch_.vertices[ids[m.corner]].seen == scratch_.call) return false;

    const Vector3d n_face = R_AB_ * b_.tree.normals[face];
    Vector3d n_b = n_face;
    if (b_.distance) {
      n_b.setZero();
      const double off = distance_of_b(m.x, n_b);
      m.x -= off * n_b;
    }
    // A's gradient is asked for a little outside of A: at an edge of A, where it jumps, B decides.
    const double away = std::max(0.0, -m.value) + 0.01 * near.size;
    Vector3d n;
    double gap = a_.distance(m.x - away * n_b, n);
    n.normalize();
    gap += away * n.dot(n_b);
    // Surfaces that touch look at each other, at least on one face beside a sharp edge.
    if (!(gap < margin_) || n.dot(n_face) > -0.1) return false;
    if (m.corner >= 0) scratch_.vertices[ids[m.corner]].seen = scratch_.call;
    const std::uint32_t feature = m.corner >= 0 ? static_cast<std::uint32_t>(2 * ids[m.corner] + 1)
                                                : static_cast<std::uint32_t>(2 * face);
    const Vector3d p = m.x - 0.5 * gap * n;
    scratch_.candidates.push_back(
        {{a_.X_WA.R * p + a_.X_WA.p, a_.X_WA.R * n, gap, feature}, near.leaf});
    return true;
  }

  // The patches of one level of the tree are the clusters: the finest level that has few enough of
  // them with a point within the margin.
  int finest_level() const {
    // Two faces are in different patches from the level on where their leaves' numbers differ.
    std::array<int, 64> more{};
    int last = -1;
    for (const Near& near : scratch_.near) {
      if (near.least >= margin_) continue;
      const unsigned differs =
          static_cast<unsigned>(last < 0 ? 1 << b_.tree.levels : near.leaf ^ last);
      if (differs != 0) ++more[b_.tree.levels + 1 - std::bit_width(differs)];
      last = near.leaf;
    }
    int level = 0;
    for (int count = more[0]; level < b_.tree.levels; ++level) {
      count += more[level + 1];
      if (count + 6 > kMaxSurfaceContacts) break;
    }
    return level;
  }

  // In each patch, the faces that look deepest; on and on only until there are contacts.
  void search_clusters(int level) {
    auto& all = scratch_.near;
    mark_extremes();
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      const int patch = all[begin].leaf >> (b_.tree.levels - level);
      while (end < all.size() && all[end].leaf >> (b_.tree.levels - level) == patch) ++end;
      int found = 0;
      for (size_t k = begin; k < end; ++k) {
        if (all[k].searched) found += search(all[k]);
      }
      for (int tried = 0; found < kPerPatch; ++tried) {
        Near* best = nullptr;
        for (size_t k = begin; k < end; ++k) {
          Near& near = all[k];
          if (near.searched || (near.least >= margin_ && tried >= kPerPatch)) continue;
          if (!best || near.least < best->least) best = &near;
        }
        if (!best) break;
        // Nothing deeper is to be expected.
        if (found > 0 && best->least - 2 * best->bend >= scratch_.candidates.back().contact.gap)
          break;
        found += search(*best);
      }
    }
  }

  // The faces that reach furthest along the axes of B are searched whatever else there is.
  void mark_extremes() {
    for (int axis = 0; axis < 3; ++axis) {
      Near *low = nullptr, *high = nullptr;
      const auto along = [&](const Near* near) {
        return b_.tree.vertices[b_.tree.faces[near->face][0]][axis];
      };
      for (Near& near : scratch_.near) {
        if (near.least >= margin_) continue;
        if (!low || along(&near) < along(low)) low = &near;
        if (!high || along(&near) > along(high)) high = &near;
      }
      if (low) low->searched = high->searched = true;
    }
  }

  // A's distance at a vertex of B is asked for once per call.
  const Vertex& vertex(int id) const {
    Vertex& vertex = scratch_.vertices[id];
    if (vertex.known != scratch_.call) {
      vertex.known = scratch_.call;
      vertex.x = R_AB_ * b_.tree.vertices[id] + p_AB_;
      vertex.value = a_.distance(vertex.x, vertex.gradient);
    }
    return vertex;
  }

  // At x in A's frame; adds to the gradient.
  double distance_of_b(const Vector3d& x, Vector3d& gradient) const {
    Vector3d g;
    const double d = (*b_.distance)(R_AB_.transpose() * (x - p_AB_), g);
    gradient += R_AB_ * g;
    return d;
  }

  // Each cluster keeps its deepest contact; besides, the extremes along the axes of B are kept.
  void keep_clusters(int level, Contacts& contacts) {
    const auto& candidates = scratch_.candidates;
    if (candidates.empty()) return;
    scratch_.kept.assign(candidates.size(), 0);
    for (int axis = 0; axis < 3; ++axis) {
      const auto along = [&](const Candidate& x, const Candidate& y) {
        return b_.X_WB.R.col(axis).dot(x.contact.p - y.contact.p) < 0;
      };
      const auto [low, high] = std::minmax_element(candidates.begin(), candidates.end(), along);
      scratch_.kept[low - candidates.begin()] = scratch_.kept[high - candidates.begin()] = 1;
    }
    for (size_t k = 0; k < candidates.size();) {
      const int patch = candidates[k].leaf >> (b_.tree.levels - level);
      size_t deepest = k;
      size_t end = k;
      for (; end < candidates.size() && candidates[end].leaf >> (b_.tree.levels - level) == patch;
           ++end) {
        if (candidates[end].contact.gap < candidates[deepest].contact.gap) deepest = end;
      }
      for (size_t j = k; j < end; ++j) {
        if (j == deepest) {
          contacts.push_back(candidates[j].contact);
          contacts.back().feature =
              0x80000000u | static_cast<std::uint32_t>((1 << level) - 1 + patch);
        } else if (scratch_.kept[j]) {
          contacts.push_back(candidates[j].contact);
        }
      }
      k = end;
    }
  }

  const Field& a_;
  const Surface& b_;
  double margin_;
  Eigen::Matrix3d R_AB_;
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
