#include "geometry/convex_manifold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/clip.h"
#include "geometry/features.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Angle below which two lines touch along a line.
constexpr double kParallel = 1e-3;

// Contacts that are not corners of a clipped face.
constexpr std::uint32_t kPointFeature = 1u << 31;
constexpr std::uint32_t kLowEndFeature = kPointFeature + 1;
constexpr std::uint32_t kHighEndFeature = kPointFeature + 2;
// Names of corners that are not made by clipping are below.
constexpr std::uint32_t kFirstCrossing = 1u << 12;

// On a surface of many pieces, corners of what rests on it keep their names wherever they slide;
// all else is named after the piece, too.
std::uint32_t on_piece(const CorePair& pair, std::uint32_t feature) {
  return feature ^ (0x165667b1u * pair.piece & ~kPointFeature);
}

Frame relative(const CorePair& pair, bool b_in_a) {
  if (b_in_a) return {pair.R_AB, pair.p_AB};
  return {pair.R_AB.transpose(), -pair.R_AB.transpose() * pair.p_AB};
}

// Two points of the cores; `n` and the points in the frame of A.
void add_pair_of_points(const CorePair& pair, const Frame& X_WA, const Vector3d& n,
                        const Vector3d& a, const Vector3d& b, double separation, double margin,
                        std::uint32_t feature, Contacts& contacts) {
  const double gap = separation - pair.a.radius - pair.b.radius;
  if (gap >= margin) return;
  const Vector3d middle = 0.5 * (a + pair.a.radius * n + b - pair.b.radius * n);
  contacts.push_back({X_WA.R * middle + X_WA.p, X_WA.R * n, gap, on_piece(pair, feature)});
}

// The overlap of two nearly parallel segments, both at right angles to n. False if there is none.
bool add_segments(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                  double margin, Contacts& contacts) {
  std::array<Vector3d, 2> a, b;
  const Vector3d n_B = -pair.R_AB.transpose() * separation.n;
  if (!supporting_segment(pair.a, separation.n, pair.hint_a, kParallel, a)) return false;
  if (!supporting_segment(pair.b, n_B, pair.hint_b, kParallel, b)) return false;
  for (Vector3d& end : b) end = pair.R_AB * end + pair.p_AB;
  const double length = (a[1] - a[0]).norm();
  const Vector3d u = (a[1] - a[0]) / length;
  const Vector3d along = b[1] - b[0];
  if (u.cross(along).norm() > kParallel * along.norm()) return false;
  const double t0 = u.dot(b[0] - a[0]);
  const double t1 = u.dot(b[1] - a[0]);
  const double low = std::max(0.0, std::min(t0, t1));
  const double high = std::min(length, std::max(t0, t1));
  if (!(low < high)) return false;
  const auto add = [&](double t, std::uint32_t feature) {
    const Vector3d on_a = a[0] + t * u;
    const Vector3d on_b = b[0] + (t - t0) / (t1 - t0) * along;
    const double gap = separation.n.dot(on_b - on_a);
    add_pair_of_points(pair, X_WA, separation.n, on_a, on_b, gap, margin, feature, contacts);
  };
  add(low, kLowEndFeature);
  add(high, kHighEndFeature);
  return true;
}

void add_single(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                double margin, Contacts& contacts) {
  add_pair_of_points(pair, X_WA, separation.n, separation.a, separation.b, separation.value, margin,
                     kPointFeature, contacts);
}

}  // namespace

void add_clipped(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                 const Frame& X_WB, double margin, Contacts& contacts) {
  const bool of_a = separation.reference == ReferenceFace::kOfA;
  const Frame& X_WR = of_a ? X_WA : X_WB;
  const ConvexCore& reference = of_a ? pair.a : pair.b;
  const ConvexCore& incident = of_a ? pair.b : pair.a;
  const Frame X_RI = relative(pair, of_a);
  const Vector3d n = of_a ? separation.n : Vector3d(-pair.R_AB.transpose() * separation.n);
  const int face = aligned_face(reference, n, of_a ? pair.hint_a : pair.hint_b);

  Ring ring;
  facing_ring(incident, -X_RI.R.transpose() * n, of_a ? pair.hint_b : pair.hint_a, ring);
  for (int k = 0; k < ring.count; ++k) ring.vertices[k].p = X_RI.R * ring.vertices[k].p + X_RI.p;
  const double slack = 1e-7 * pair.size;
  if (reference.kind == ConvexCore::Kind::kCylinder) {
    clip_to_disc(reference.size[0], slack, ring);
  } else {
    Ring sides;
    face_ring(reference, face, n, sides);
    clip_to_face(sides, n, slack, ring);
  }

  int hint = 0;
  const double surface = n.dot(support(reference, n, hint));
  const std::uint32_t base =
      (of_a ? 0x9e3779b9u : 0x85ebca6bu) * (ring.face + 1) + 0x27d4eb2fu * (face + 1);
  for (int k = 0; k < ring.count; ++k) {
    const RingVertex& vertex = ring.vertices[k];
    const double gap = n.dot(vertex.p) - surface - incident.radius;
    if (gap >= margin) continue;
    const Vector3d p = vertex.p - (incident.radius + 0.5 * gap) * n;
    const Vector3d n_W = X_WR.R * (of_a ? n : Vector3d(-n));
    const std::uint32_t feature = (base ^ (0xc2b2ae35u * (vertex.id + 1))) & ~kPointFeature;
    const bool own = of_a && vertex.id < kFirstCrossing;
    contacts.push_back({X_WR.R * p + X_WR.p, n_W, gap, own ? feature : on_piece(pair, feature)});
  }
}

void add_manifold(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                  const Frame& X_WB, double margin, Contacts& contacts) {
  const size_t first = contacts.size();
  if (separation.reference == ReferenceFace::kNone) {
    if (!add_segments(pair, separation, X_WA, margin, contacts)) {
      add_single(pair, separation, X_WA, margin, contacts);
    }
    return;
  }
  add_clipped(pair, separation, X_WA, X_WB, margin, contacts);
  // Eight points of a disc and thinned rings may miss the deepest one.
  const double gap = separation.value - pair.a.radius - pair.b.radius;
  double smallest = std::numeric_limits<double>::infinity();
  for (size_t k = first; k < contacts.size(); ++k) smallest = std::min(smallest, contacts[k].gap);
  if (smallest > gap + 1e-8 * pair.size) add_single(pair, separation, X_WA, margin, contacts);
  keep_widest(contacts, first);
}

}  // namespace stiction
