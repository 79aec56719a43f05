#include "geometry/separation.h"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "geometry/epa.h"
#include "geometry/features.h"
#include "geometry/gjk.h"
#include "geometry/likely_normal.h"
#include "geometry/proof.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// A face normal this close to n, and this much worse relative to the size, replaces n.
constexpr double kSnapAngle = 5e-3;
constexpr double kSnapLoss = 1e-11;
// Within this angle it always does: of two parallel faces the first core's is the reference,
// whatever the last digits say.
constexpr double kParallelFaces = 1e-7;
// Tolerances of GJK. Towards curved surfaces it creeps, and refinement is faster from early on.
constexpr double kExact = 1e-13;
constexpr double kEarly = 1e-5;
// Cores that only just touch are apart when each is smaller by this share.
constexpr double kShrink = 1e-3;

Separation from_gjk(CorePair& pair, const GjkResult& apart) {
  return {separation_along(pair, apart.n), apart.n, apart.a, apart.b, ReferenceFace::kNone};
}

// Of cores that GJK leaves open, or takes for touching.
Separation from_epa(CorePair& pair, const GjkResult& apart) {
  const EpaResult overlap = epa(pair);
  const double value = separation_along(pair, overlap.n);
  if (apart.status != GjkStatus::kApart) {
    return {value, overlap.n, overlap.a, overlap.b, ReferenceFace::kNone};
  }
  // The nearest points are GJK's in any case.
  Separation best = from_gjk(pair, apart);
  if (value > best.value) {
    best.n = overlap.n;
    best.value = value;
  }
  return best;
}

// Of cores that only just touch: the normal of smaller ones, refined. True if it is upright on both
// where they touch. (Where they overlap, that could be a way out that is not the shortest, but none
// is shorter by more than the overlap.)
bool just_touch(CorePair& pair, Separation& separation) {
  if (pair.a.kind == ConvexCore::Kind::kHull || pair.b.kind == ConvexCore::Kind::kHull)
    return false;
  CorePair smaller = pair;
  smaller.a.size *= 1 - kShrink;
  smaller.b.size *= 1 - kShrink;
  const GjkResult apart = gjk(smaller, std::numeric_limits<double>::infinity(), kEarly);
  if (apart.status != GjkStatus::kApart) return false;
  separation = from_gjk(pair, apart);
  refine_normal(pair, separation);
  return separation.value <= kNear * pair.size && is_proven(pair, separation);
}

// The best normal, refined. False if the cores are beyond the limit.
bool best_normal(CorePair& pair, double limit, const Vector3d& guess, Separation& separation) {
  if (is_smooth(pair.a) || is_smooth(pair.b)) {
    if (separate_likely(pair, limit, separation)) return separation.value <= limit;
    const GjkResult apart = gjk(pair, limit, kEarly);
    separation = from_gjk(pair, apart);
    if (apart.status == GjkStatus::kBeyond) return false;
    if (apart.status == GjkStatus::kTouching) {
      if (just_touch(pair, separation)) return true;
    } else {
      refine_normal(pair, separation);
      if (separation.value > kNear * pair.size && is_exact(pair, separation)) return true;
      if (std::abs(separation.value) <= kNear * pair.size && just_touch(pair, separation))
        return true;
    }
  } else if (guess.squaredNorm() > 0 && separate_by_edges(pair, guess, separation) &&
             separation.value > kNear * pair.size && is_exact(pair, separation)) {
    return true;
  }
  const GjkResult apart = gjk(pair, limit, kExact);
  separation = from_gjk(pair, apart);
  if (apart.status == GjkStatus::kBeyond) return false;
  if (apart.status == GjkStatus::kTouching || !is_exact(pair, separation)) {
    separation = from_epa(pair, apart);
  }
  refine_normal(pair, separation);
  return true;
}

void try_face(CorePair& pair, const Vector3d& m, ReferenceFace reference, double floor,
              Separation& separation) {
  if (separation.reference != ReferenceFace::kNone) return;
  const double angle = (m - separation.n).norm();
  if (angle > kSnapAngle) return;
  const double value = separation_along(pair, m);
  if (angle > kParallelFaces && value < floor) return;
  separation.n = m;
  separation.value = value;
  separation.reference = reference;
}

}  // namespace

bool separate(CorePair& pair, double limit, const Vector3d& guess, Separation& separation) {
  if (!best_normal(pair, limit, guess, separation)) return false;

  const Vector3d n = separation.n;
  separation.value = separation_along(pair, n);  // leaves the hints next to the contact
  const double floor = separation.value - kSnapLoss * pair.size;
  if (const int face = aligned_face(pair.a, n, pair.hint_a); face >= 0) {
    try_face(pair, face_normal(pair.a, face), ReferenceFace::kOfA, floor, separation);
  }
  if (const int face = aligned_face(pair.b, -pair.R_AB.transpose() * n, pair.hint_b); face >= 0) {
    try_face(pair, -pair.R_AB * face_normal(pair.b, face), ReferenceFace::kOfB, floor, separation);
  }
  // Faces that were tried in vain moved the hints; the manifold wants them at the contact.
  if (separation.reference == ReferenceFace::kNone) support(pair, n);
  return separation.value <= limit;
}

}  // namespace stiction
