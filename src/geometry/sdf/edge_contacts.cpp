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
constexpr int kMore = 6;               // the same, that turn out to be the deepest after these
constexpr double kNext = 0.01;         // of a face's size: gaps that nearly exact distances know
constexpr double kApart = 0.2;         // of a face's size, between solids that are moved apart
constexpr int kTries = 3;              // each with a tenth of that
constexpr double kWrong = 5e-4;        // of a face's size, that gaps beside edges are off at most
constexpr double kClose =
    1e-3;  // of a face's size, apart, to see whether it is the nearest already
constexpr double kLevel = 5e-6;     // of unit vectors: slopes that are not worth following
constexpr double kReach = 4;        // of a face's size, that the nearest points are off at most
constexpr double kTogether = 10;    // depths, between contacts at the same place
constexpr double kDeep = 1;         // of a face's size: what overlaps by more is left alone
constexpr double kRoughDeep = 0.1;  // the same of triangles, and where distances are rough
constexpr int kTilts = 6;           // other normals that are tried where solids overlap
constexpr double kTilt = 1.5;       // tangent of the angle to those

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
    const double shallow = solids_.b.distance ? std::max(0.0, deepest) : deepest;
    if (gap > shallow + unsure || is_too_deep(contact)) return;
    int place = count_;
    while (place > 0 && gap < candidates_[place - 1].contact->contact.gap) --place;
    if (place == kSettled) return;
    count_ = std::min(count_ + 1, kSettled);
    std::move_backward(begin() + place, end() - 1, end());
    candidates_[place].contact = &contact;
  }

  void settle() {
    for (Candidate& one : *this) settle(one);
    const auto deepest = std::min_element(begin(), end(), [](const auto& x, const auto& y) {
      return x.settled != y.settled ? x.settled : x.pair.gap < y.pair.gap;
    });
    if (deepest != end() && deepest->settled) try_tilts(*deepest);
    take_shortest_ways();
    for (const Candidate& one : *this) store(one);
  }

  // As long as the deepest contact is one that has stopped before the surfaces face each other.
  void settle_more(std::vector<SurfaceContact>& found) {
    for (int k = 0; k < kMore && !found.empty(); ++k) {
      SurfaceContact& deepest = *std::min_element(
          found.begin(), found.end(), [](const SurfaceContact& x, const SurfaceContact& y) {
            return x.contact.gap < y.contact.gap;
          });
      if (deepest.facing <= -kFacing || is_too_deep(deepest)) return;
      if (std::any_of(begin(), end(), [&](const auto& x) { return x.contact == &deepest; })) return;
      Candidate& one = candidates_[count_++];
      one.contact = &deepest;
      settle(one);
      take_shortest_ways();
      store(one);
    }
  }

  Candidate* begin() { return candidates_.data(); }
  Candidate* end() { return candidates_.data() + count_; }

 private:
  bool is_too_deep(const SurfaceContact& contact) const {
    const bool rough = solids_.is_rough_a() || solids_.is_rough_b();
    const double most = solids_.b.distance && !rough ? kDeep : kRoughDeep;
    return contact.contact.gap < -most * tree_.sizes[contact.face];
  }

  void settle(Candidate& one) const {
    const auto& [R, origin] = solids_.a.X_WA;
    const ContactPoint& c = one.contact->contact;
    one.pair = {R.transpose() * (c.p + 0.5 * c.gap * c.n - origin), R.transpose() * c.n, c.gap};
    one.settled = settle(one.contact->face, one.pair);
  }

  // Solids that overlap beside edges may be moved apart in several directions: of those that were
  // found at a place, the shortest way counts.
  void take_shortest_ways() {
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

  // On what is level, or a ring, contacts that are as deep as that already stay where they are.
  void store(const Candidate& one) const {
    if (!one.settled) return;
    const auto& [R, origin] = solids_.a.X_WA;
    const auto& [b, n, gap] = one.pair;
    ContactPoint& c = one.contact->contact;
    const double little = kLittle * tree_.sizes[one.contact->face];
    const Vector3d n_W = R * n, before = R.transpose() * (c.p - origin);
    Vector3d ignored;
    const bool level =
        std::abs(gap - c.gap) < little && (n_W - c.n).norm() * std::abs(c.gap) < little &&
        (!solids_.b.distance ||
         (std::abs(solids_.distance_of_a(before - 0.5 * gap * n, ignored)) < little &&
          std::abs(solids_.distance_of_b(before + 0.5 * gap * n, ignored)) < little));
    c = {level ? c.p : R * (b - 0.5 * gap * n) + origin, n_W, gap, c.feature};
    one.contact->faces = true;
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

  // The nearest points of A and B. Distances that are nearly exact are so next to the surface.
  bool settle(int face, NearestPair& pair) const {
    const NearestPair start = pair;
    const bool found = settle(false, face, pair);
    const bool next = found && pair.gap < kNext * tree_.sizes[face];
    if (next || !(solids_.a.outside || solids_.b.outside)) return found;
    if (!found) pair = start;
    return settle(true, face, pair);
  }

  // By the slower distances where they are much better, or everywhere if `exact`; by those of the
  // triangles there if B has none.
  bool settle(bool exact, int face, NearestPair& pair) const {
    const auto a = [&, outside = exact || solids_.is_rough_a()](const Vector3d& x, Vector3d& n) {
      return outside ? solids_.outside_of_a(x, n) : solids_.distance_of_a(x, n);
    };
    if (solids_.b.distance) {
      const auto b = [&, outside = exact || solids_.is_rough_b()](const Vector3d& x, Vector3d& n) {
        return outside ? solids_.outside_of_b(x, n) : solids_.distance_of_b(x, n);
      };
      if (!exact && is_nearest_pair(a, b, kClose * tree_.sizes[face], kLevel, pair)) return true;
      return settle(a, b, face, pair);
    }
    const TrianglePatch patch(solids_, face);
    const auto b = [&](const Vector3d& x, Vector3d& gradient) {
      return patch.distance(x, gradient);
    };
    return settle(a, b, face, pair);
  }

  // Moved far apart, solids that are not convex may be nearest elsewhere, further than before: then
  // it is tried again with less.
  template <class FieldA, class FieldB>
  bool settle(const FieldA& a, const FieldB& b, int face, NearestPair& pair) const {
    const double size = tree_.sizes[face], most = std::max(0.0, pair.gap) + kLittle * size;
    double apart = kApart * size;
    if (solids_.b.distance) apart += tree_.sag[face] + tree_.beyond[face];
    const NearestPair start = pair;
    for (int k = 0; k < kTries; ++k, apart *= 0.1) {
      pair = start;
      // In the end it is the guess that was wrong.
      const double more = k + 1 < kTries ? 0 : kWrong * size;
      if (find_nearest_pair(a, b, apart, kReach * size, pair) && pair.gap <= most + more) {
        return true;
      }
    }
    return false;
  }

  const SurfacePair& solids_;
  const SurfaceTree& tree_;
  std::array<Candidate, kSettled + kMore> candidates_;
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
  settler.settle_more(found);
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
