#include "geometry/sdf/edge_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "geometry/sdf/nearest_pair.h"
#include "geometry/sdf/triangle_patch.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kFacing = 1 - 1e-11;  // cosine of opposite normals
constexpr double kLittle = 1e-6;       // of a face's size, between depths
constexpr int kSettled = 6;            // contacts that are searched for to the last digit
constexpr double kApart = 0.2;         // of a face's size, between solids that are moved apart
constexpr int kTries = 3;              // each with a tenth of that
constexpr double kReach = 4;           // the same, that the nearest points are off at most
constexpr double kTogether = 10;       // depths, between contacts at the same place
constexpr double kDeep = 1;            // of a face's size: what overlaps by more is left alone
constexpr int kTilts = 6;              // other normals that are tried where solids overlap
constexpr double kTilt = 1.5;          // tangent of the angle to those

struct Candidate {
  SurfaceContact* contact = nullptr;
  NearestPair pair{};  // in A's frame
  bool settled = false;
};

class Settler {
 public:
  explicit Settler(const SurfacePair& solids) : solids_(solids), tree_(solids.tree) {}

  // Takes in what may be as deep as `deepest`, the deepest first: what is beside an edge, and what
  // has stopped before the surfaces face each other, if it is the deepest found.
  void consider(SurfaceContact& contact, double deepest, double deepest_found) {
    const double size = tree_.sizes[contact.face], gap = contact.contact.gap;
    const bool stopped = contact.facing > -kFacing && gap <= deepest_found;
    if (!contact.sharp && !contact.chord && !stopped) return;
    const double unsure =
        0.01 * size + (solids_.is_round(contact.face) ? tree_.beyond[contact.face] : 0);
    // Overlaps may turn out less deep than others.
    const double shallow = is_exact() ? std::max(0.0, deepest) : deepest;
    if (gap > shallow + unsure || gap < -(is_exact() ? kDeep : 0.1) * size) return;
    int place = count_;
    while (place > 0 && gap < candidates_[place - 1].contact->contact.gap) --place;
    if (place == kSettled) return;
    count_ = std::min(count_ + 1, kSettled);
    std::move_backward(begin() + place, end() - 1, end());
    candidates_[place].contact = &contact;
  }

  void settle() {
    const auto& [R, origin] = solids_.a.X_WA;
    for (Candidate& one : *this) {
      const ContactPoint& c = one.contact->contact;
      one.pair = {R.transpose() * (c.p + 0.5 * c.gap * c.n - origin), R.transpose() * c.n, c.gap};
      one.settled = settle(one.contact->face, one.pair);
    }
    const auto deepest = std::min_element(begin(), end(), [](const auto& x, const auto& y) {
      return x.settled != y.settled ? x.settled : x.pair.gap < y.pair.gap;
    });
    if (deepest != end() && deepest->settled) try_tilts(*deepest);
    // Solids that overlap beside edges may be moved apart in several directions: of those that were
    // found at a place, the shortest way counts.
    for (Candidate& one : *this) {
      if (!one.settled) continue;
      const double little = kLittle * tree_.sizes[one.contact->face];
      for (const Candidate& other : *this) {
        if (!other.settled || other.pair.gap > 0 || other.pair.gap <= one.pair.gap + little)
          continue;
        if ((other.pair.b - one.pair.b).norm() < -kTogether * one.pair.gap) one.pair = other.pair;
      }
    }
  }

  Candidate* begin() { return candidates_.data(); }
  Candidate* end() { return candidates_.data() + count_; }

 private:
  // Whether both are solids whose distances are right, not only near enough.
  bool is_exact() const {
    return solids_.b.distance && std::max(solids_.a.lipschitz, solids_.b.lipschitz) <= 1;
  }

  // Looks for a shorter way out along other normals around that of an overlap.
  void try_tilts(Candidate& one) const {
    const NearestPair start = one.pair;
    const double little = kLittle * tree_.sizes[one.contact->face];
    if (start.gap > -little || !(one.contact->sharp || one.contact->chord)) return;
    const Vector3d u = start.n.unitOrthogonal(), v = start.n.cross(u);
    for (int k = 0; k < kTilts; ++k) {
      const double angle = 2 * std::numbers::pi * k / kTilts;
      NearestPair other = start;
      other.n = (start.n + kTilt * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
      if (settle(one.contact->face, other) && other.gap > one.pair.gap + little) one.pair = other;
    }
  }

  // The nearest points of A and B, or of the triangles there if B has no distance.
  bool settle(int face, NearestPair& pair) const {
    const auto a = [&](const Vector3d& x, Vector3d& gradient) {
      return solids_.distance_of_a(x, gradient);
    };
    if (solids_.b.distance) {
      const auto b = [&](const Vector3d& x, Vector3d& gradient) {
        return solids_.distance_of_b(x, gradient);
      };
      return settle(a, b, face, pair);
    }
    const TrianglePatch patch(solids_, face);
    const auto b = [&](const Vector3d& x, Vector3d& gradient) {
      return patch.distance(x, gradient);
    };
    return settle(a, b, face, pair);
  }

  // Moved far apart, solids that are not convex may be nearest elsewhere, further than before: then
  // it is tried again with less, unless distances that are not exact may be to blame.
  template <class FieldA, class FieldB>
  bool settle(const FieldA& a, const FieldB& b, int face, NearestPair& pair) const {
    const double size = tree_.sizes[face], most = std::max(0.0, pair.gap) + kLittle * size;
    double apart = kApart * size;
    if (solids_.b.distance) apart += tree_.sag[face] + tree_.beyond[face];
    const NearestPair start = pair;
    if (solids_.b.distance && !is_exact()) {
      return find_nearest_pair(a, b, apart, kReach * size, pair);
    }
    for (int k = 0; k < kTries; ++k, apart *= 0.1) {
      pair = start;
      if (find_nearest_pair(a, b, apart, kReach * size, pair) && pair.gap <= most) return true;
    }
    return false;
  }

  const SurfacePair& solids_;
  const SurfaceTree& tree_;
  std::array<Candidate, kSettled> candidates_;
  int count_ = 0;
};

double deepest_of(const std::vector<SurfaceContact>& found, double deepest) {
  for (const SurfaceContact& one : found) deepest = std::min(deepest, one.contact.gap);
  return deepest;
}

}  // namespace

void settle_deepest(const SurfacePair& solids, std::vector<SurfaceContact>& turned,
                    std::vector<SurfaceContact>& found) {
  const double deepest_found = deepest_of(found, 0.1 * solids.tree.radius);
  const double deepest = deepest_of(turned, deepest_found);
  Settler settler(solids);
  for (SurfaceContact& one : found) settler.consider(one, deepest, deepest_found);
  for (SurfaceContact& one : turned) settler.consider(one, deepest, deepest_found);
  settler.settle();
  const auto& [R, origin] = solids.a.X_WA;
  for (const Candidate& one : settler) {
    if (!one.settled) continue;
    ContactPoint& c = one.contact->contact;
    const Vector3d n = R * one.pair.n,
                   p = R * (one.pair.b - 0.5 * one.pair.gap * one.pair.n) + origin;
    // On what is level, or a ring, contacts that are as deep as that already stay where they are.
    const double little = kLittle * solids.tree.sizes[one.contact->face];
    const bool level =
        std::abs(one.pair.gap - c.gap) < little && (n - c.n).norm() * std::abs(c.gap) < little;
    c = {level ? c.p : p, n, one.pair.gap, c.feature};
    one.contact->faces = true;
  }
  // A point that had been turned away counts if there is nothing as deep.
  const SurfaceContact* missed = nullptr;
  for (const SurfaceContact& one : turned) {
    if (one.faces && (!missed || one.contact.gap < missed->contact.gap)) missed = &one;
  }
  if (!missed) return;
  const double tie = kLittle * solids.tree.sizes[missed->face];
  if (missed->contact.gap >= deepest_of(found, 0.1 * solids.tree.radius) - tie) return;
  const auto place = std::upper_bound(
      found.begin(), found.end(), *missed,
      [](const SurfaceContact& x, const SurfaceContact& y) { return x.leaf < y.leaf; });
  found.insert(place, *missed);
}

}  // namespace stiction
