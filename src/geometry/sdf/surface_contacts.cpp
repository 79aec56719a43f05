#include "geometry/sdf/surface_contacts.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Vector3d;

struct Candidate {
  ContactPoint contact;
  int face = 0;
};

// Reused from call to call, so that a step allocates nothing once it has grown.
struct Scratch {
  std::vector<Candidate> candidates;
  std::vector<unsigned> seen;  // per vertex: the call in which it was used
  unsigned call = 0;
  std::vector<unsigned> known;  // per vertex: the call in which A was asked there
  std::vector<double> values;
  std::vector<Vector3d> gradients;
  std::vector<char> kept;
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
    scratch_.candidates.clear();
    if (const size_t count = b.tree.vertices.size(); scratch_.seen.size() < count) {
      scratch_.seen.resize(count);
      scratch_.known.resize(count);
      scratch_.values.resize(count);
      scratch_.gradients.resize(count);
    }
    ++scratch_.call;
  }

  SurfaceWork run(Contacts& contacts) {
    Vector3d ignored;
    for_faces(
        b_.tree,
        [&](const SurfaceTree::Ball& ball) {
          return a_.distance(R_AB_ * ball.center + p_AB_, ignored) <
                 margin_ + a_.lipschitz * ball.radius;
        },
        [&](int face) { add_face(face); });
    work_.candidates = static_cast<long>(scratch_.candidates.size());
    keep_clusters(contacts);
    return work_;
  }

 private:
  void add_face(int face) {
    const Eigen::Vector3i& ids = b_.tree.faces[face];
    std::array<Minimum, 3> ends;
    for (int k = 0; k < 3; ++k) ends[k] = corner(ids[k], k);
    Minimum m;
    m.x = (ends[0].x + ends[1].x + ends[2].x) / 3;
    double size = 0;
    for (const Minimum& end : ends) size = std::max(size, (end.x - m.x).squaredNorm());
    size = std::sqrt(size);
    m.value = a_.distance(m.x, m.gradient);
    if (b_.distance) m.value += b_.tree.middles[face].distance;
    if (is_far(m.value, ends, size)) return;
    ++work_.faces;
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
        ends, 1e-4 * size, m);
    if (!(m.value < margin_)) return;
    if (m.corner >= 0 && scratch_.seen[ids[m.corner]] == scratch_.call) return;

    const Vector3d n_face = R_AB_ * b_.tree.normals[face];
    Vector3d n_b = n_face;
    if (b_.distance) {
      n_b.setZero();
      const double off = distance_of_b(m.x, n_b);
      m.x -= off * n_b;
    }
    // A's gradient is asked for a little outside of A: at an edge of A, where it jumps, B decides.
    const double away = std::max(0.0, -m.value) + 0.01 * size;
    Vector3d n;
    double gap = a_.distance(m.x - away * n_b, n);
    n.normalize();
    gap += away * n.dot(n_b);
    // Surfaces that touch look at each other, at least on one face beside a sharp edge.
    if (!(gap < margin_) || n.dot(n_face) > -0.1) return;
    if (m.corner >= 0) scratch_.seen[ids[m.corner]] = scratch_.call;
    const std::uint32_t feature = m.corner >= 0 ? static_cast<std::uint32_t>(2 * ids[m.corner] + 1)
                                                : static_cast<std::uint32_t>(2 * face);
    const Vector3d p = m.x - 0.5 * gap * n;
    scratch_.candidates.push_back({{a_.X_WA.R * p + a_.X_WA.p, a_.X_WA.R * n, gap, feature}, face});
  }

  // A's distance at a vertex of B is asked for once per call.
  Minimum corner(int vertex, int k) const {
    const Vector3d x = R_AB_ * b_.tree.vertices[vertex] + p_AB_;
    if (scratch_.known[vertex] != scratch_.call) {
      scratch_.known[vertex] = scratch_.call;
      scratch_.values[vertex] = a_.distance(x, scratch_.gradients[vertex]);
    }
    return {x, scratch_.values[vertex], scratch_.gradients[vertex], k};
  }

  // By the parabola through the middle and the corners, with twice its bend to be on the safe side.
  bool is_far(double middle, const std::array<Minimum, 3>& ends, double size) const {
    const double least = std::min({middle, ends[0].value, ends[1].value, ends[2].value});
    const double bend = std::abs(middle - (ends[0].value + ends[1].value + ends[2].value) / 3);
    return least - 2 * bend - 0.005 * size >= margin_;
  }

  // At x in A's frame; adds to the gradient.
  double distance_of_b(const Vector3d& x, Vector3d& gradient) const {
    Vector3d g;
    const double d = (*b_.distance)(R_AB_.transpose() * (x - p_AB_), g);
    gradient += R_AB_ * g;
    return d;
  }

  // The patches of one level of the tree are the clusters: the finest level that has few enough.
  // Each keeps its deepest contact; besides, the extremes along the axes of B are kept.
  void keep_clusters(Contacts& contacts) {
    const auto& candidates = scratch_.candidates;
    if (candidates.size() <= kMaxSurfaceContacts) {
      for (const Candidate& c : candidates) contacts.push_back(c.contact);
      return;
    }
    scratch_.kept.assign(candidates.size(), 0);
    for (int axis = 0; axis < 3; ++axis) {
      const auto along = [&](const Candidate& x, const Candidate& y) {
        return b_.X_WB.R.col(axis).dot(x.contact.p - y.contact.p) < 0;
      };
      const auto [low, high] = std::minmax_element(candidates.begin(), candidates.end(), along);
      scratch_.kept[low - candidates.begin()] = scratch_.kept[high - candidates.begin()] = 1;
    }
    int level = b_.tree.levels;
    while (level > 0 && count_patches(level) + 6 > kMaxSurfaceContacts) --level;
    for (size_t k = 0; k < candidates.size();) {
      const int patch = b_.tree.patch(candidates[k].face, level);
      size_t deepest = k;
      size_t end = k;
      for (; end < candidates.size() && b_.tree.patch(candidates[end].face, level) == patch;
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

  int count_patches(int level) const {
    int count = 0, last = -1;
    for (const Candidate& c : scratch_.candidates) {
      const int patch = b_.tree.patch(c.face, level);
      count += patch != last;
      last = patch;
    }
    return count;
  }

  const Field& a_;
  const Surface& b_;
  double margin_;
  Eigen::Matrix3d R_AB_;
  Vector3d p_AB_;
  Scratch& scratch_;
  SurfaceWork work_;
};

}  // namespace

SurfaceWork collide_surface(const Field& a, const Surface& b, double margin, Contacts& contacts) {
  return Collider(a, b, margin).run(contacts);
}

void add_probe(const Field& a, const Vector3d& point_W, double margin, std::uint32_t feature,
               Contacts& contacts) {
  Vector3d gradient;
  const double gap = a.distance(a.X_WA.R.transpose() * (point_W - a.X_WA.p), gradient);
  if (!(gap < margin)) return;
  const Vector3d n = (a.X_WA.R * gradient).normalized();
  contacts.push_back({point_W - 0.5 * gap * n, n, gap, feature});
}

}  // namespace stiction
