#include "geometry/convex_manifold.h"

#include <algorithm>
#include <cmath>

#include "geometry/clip.h"
#include "geometry/features.h"
#include "geometry/line_contacts.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Cosine of the angle up to which a face is level with a normal. A gap that this angle opens is not
// closed within a step, but by bodies that turn by as much.
constexpr double kLevel = 0.98;
constexpr double kEqual = 1e-7;

// Contacts that are not corners of a clipped face.
constexpr std::uint32_t kPointFeature = 1u << 31;
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

void add_single(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                double margin, Contacts& contacts) {
  const double gap = separation.value - pair.a.radius - pair.b.radius;
  if (gap >= margin) return;
  const Vector3d& n = separation.n;
  const Vector3d middle =
      0.5 * (separation.a + pair.a.radius * n + separation.b - pair.b.radius * n);
  contacts.push_back({X_WA.R * middle + X_WA.p, X_WA.R * n, gap, on_piece(pair, kPointFeature)});
}

// Cosine between n and the normal of the face that is nearest to it; -1 if no face is near.
double levelness(const ConvexCore& core, const Vector3d& n, int vertex) {
  const int face = aligned_face(core, n, vertex);
  return face < 0 ? -1 : n.dot(face_normal(core, face));
}

bool shows_more_than_a_point(const ConvexCore& core) {
  return core.kind != ConvexCore::Kind::kPoint && core.kind != ConvexCore::Kind::kEllipsoid;
}

// The face that is nearly level with a normal that is of no face. Discs come first: they clip to
// their true rim.
ReferenceFace level_face(const CorePair& pair, const Vector3d& n) {
  if (!shows_more_than_a_point(pair.a) || !shows_more_than_a_point(pair.b)) {
    return ReferenceFace::kNone;
  }
  const double of_a = levelness(pair.a, n, pair.hint_a);
  const double of_b = levelness(pair.b, -pair.R_AB.transpose() * n, pair.hint_b);
  if (std::max(of_a, of_b) < kLevel) return ReferenceFace::kNone;
  if (of_a >= kLevel && pair.a.kind == ConvexCore::Kind::kCylinder) return ReferenceFace::kOfA;
  if (of_b >= kLevel && pair.b.kind == ConvexCore::Kind::kCylinder) return ReferenceFace::kOfB;
  return of_a + kEqual >= of_b ? ReferenceFace::kOfA : ReferenceFace::kOfB;
}

// Moves each point along n, in the frame of a cylinder, by `share` of its height over the cap.
void slide_along(const Vector3d& n, double half_length, double share, Ring& ring) {
  const Vector3d slope(n[0] / n[2], n[1] / n[2], 0);
  const double cap = std::copysign(half_length, n[2]);
  for (int k = 0; k < ring.count; ++k) {
    ring.vertices[k].p += share * (ring.vertices[k].p[2] - cap) * slope;
  }
}

}  // namespace

void add_clipped(const CorePair& pair, const Separation& separation, const Frame& X_WA,
                 const Frame& X_WB, double margin, bool own_corners, Contacts& contacts) {
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
    slide_along(n, reference.size[2], -1, ring);
    clip_to_disc(reference.size[0], slack, ring);
    slide_along(n, reference.size[2], 1, ring);
  } else {
    Ring sides;
    face_ring(reference, face, n, sides);
    clip_to_face(sides, n, slack, ring);
  }

  const double nearest = separation.value - pair.a.radius - pair.b.radius;
  const Vector3d m = face_normal(reference, face);
  const double cosine = m.dot(n);
  int hint = 0;
  const double surface = m.dot(support(reference, m, hint));
  const std::uint32_t base =
      (of_a ? 0x9e3779b9u : 0x85ebca6bu) * (ring.face + 1) + 0x27d4eb2fu * (face + 1);
  for (int k = 0; k < ring.count; ++k) {
    const RingVertex& vertex = ring.vertices[k];
    const double gap = std::max((m.dot(vertex.p) - surface) / cosine - incident.radius, nearest);
    if (gap >= margin || (own_corners && vertex.id >= kFirstCrossing)) continue;
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
  const double gap = separation.value - pair.a.radius - pair.b.radius;
  Separation seen = separation;
  // The normal of a piece is checked against its neighbours where it touches, and nowhere else.
  if (pair.piece == 0 && seen.reference == ReferenceFace::kNone) {
    seen.reference = level_face(pair, separation.n);
  }
  if (seen.reference != ReferenceFace::kNone) {
    add_clipped(pair, seen, X_WA, X_WB, margin, false, contacts);
  } else {
    add_line_ends(pair, separation.n, gap, X_WA, margin, contacts);
    for (size_t k = first; k < contacts.size(); ++k) {
      contacts[k].feature = on_piece(pair, contacts[k].feature);
    }
  }
  // Eight points of a disc and thinned rings may miss the deepest one, and so may the ends of
  // lines.
  const auto nearest =
      std::min_element(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
                       [](const auto& c, const auto& d) { return c.gap < d.gap; });
  if (nearest == contacts.end() || nearest->gap > gap + 1e-8 * pair.size) {
    add_single(pair, separation, X_WA, margin, contacts);
  } else if (separation.reference == ReferenceFace::kNone) {
    nearest->gap = gap;  // to the last digit, as others may have been clipped with some slack
  }
  keep_widest(contacts, first, margin);
}

}  // namespace stiction
