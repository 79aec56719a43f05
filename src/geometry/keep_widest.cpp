// Which contacts of a manifold to keep: their hull seen along the normal grows, point by point, by
// the most area there is to gain.
//
// Open contacts count for less: they are taken to be nearer to the deepest one, by the share of the
// margin that their gap is. Half of the contacts are for the area if others are needed for what
// they overlook: of a rod with many sides, which touches with one corner of each end, the two
// corners beside it hold more area, and would let it sink.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/collide.h"
#include "geometry/overlooked.h"

namespace stiction {
namespace {

using Contacts = std::vector<ContactPoint>;
using Eigen::Vector3d;

// Gaps and distances closer than this, relative to the manifold's width, are equal: of equals the
// first is taken, so that rounding does not exchange contacts from step to step.
constexpr double kEqual = 1e-6;
// Beside those that span the area, contacts are worth keeping whose normals differ by so much.
constexpr double kOtherNormal = 1e-2;

struct Manifold {
  size_t first;
  double margin;
  double equal;     // length
  Vector3d center;  // the deepest contact

  // Where a contact is, or is taken to be if it is open.
  Vector3d place(const ContactPoint& contact) const {
    if (contact.gap <= 0) return contact.p;
    return center + (1 - contact.gap / margin) * (contact.p - center);
  }
};

Manifold describe(const Contacts& contacts, size_t first, double margin) {
  double square = 0;
  for (size_t k = first; k < contacts.size(); ++k) {
    square = std::max(square, (contacts[k].p - contacts[first].p).squaredNorm());
  }
  return {first, margin, kEqual * std::sqrt(square), Vector3d::Zero()};
}

// Of those as deep as the deepest, the one furthest from the middle.
size_t deepest(const Contacts& contacts, const Manifold& manifold) {
  double gap = std::numeric_limits<double>::infinity();
  Vector3d middle = Vector3d::Zero();
  for (size_t k = manifold.first; k < contacts.size(); ++k) {
    gap = std::min(gap, contacts[k].gap);
    middle += contacts[k].p / static_cast<double>(contacts.size() - manifold.first);
  }
  size_t best = manifold.first;
  double furthest = -1;
  for (size_t k = manifold.first; k < contacts.size(); ++k) {
    const double distance = (contacts[k].p - middle).norm();
    if (contacts[k].gap > gap + manifold.equal || distance <= furthest + manifold.equal) continue;
    furthest = distance;
    best = k;
  }
  return best;
}

// How far p lies to the right of the line from a to b, seen against n: outside, if the hull's
// corners go round counter-clockwise.
double beyond(const Vector3d& a, const Vector3d& b, const Vector3d& p, const Vector3d& n) {
  return n.dot((p - a).cross(b - a));
}

// Twice the area that p adds to the hull of contacts first ... first + kept - 1, which are in
// order, and the place among them where it would go.
double area_gained(const Contacts& contacts, const Manifold& manifold, size_t kept,
                   const ContactPoint& contact, size_t& place) {
  const size_t first = manifold.first;
  const Vector3d& n = contacts[first].n;
  const Vector3d p = manifold.place(contact);
  double gained = 0;
  double most = 0;
  place = first + kept;
  for (size_t k = 0; k < kept; ++k) {
    const double area = beyond(manifold.place(contacts[first + k]),
                               manifold.place(contacts[first + (k + 1) % kept]), p, n);
    if (area <= 0) continue;
    gained += area;
    if (area <= most) continue;
    most = area;
    place = first + k + 1;
  }
  return gained;
}

// Moves contact k to `place`, those between one on.
void move_to(Contacts& contacts, size_t k, size_t place) {
  const auto begin = contacts.begin();
  std::rotate(begin + static_cast<std::ptrdiff_t>(place), begin + static_cast<std::ptrdiff_t>(k),
              begin + static_cast<std::ptrdiff_t>(k) + 1);
}

// The contact from `begin` on with the largest value above `threshold`; contacts.size() if none.
template <class Value>
size_t best_by(const Contacts& contacts, size_t begin, double threshold, const Value& value) {
  size_t best = contacts.size();
  for (size_t k = begin; k < contacts.size(); ++k) {
    const double at_k = value(contacts[k]);
    if (at_k <= threshold * (1 + kEqual)) continue;
    threshold = at_k;
    best = k;
  }
  return best;
}

// Puts others in the place of kept ones while that gains area: growing point by point may have
// begun with one that fits the rest badly. The first is the deepest; only one as deep may take its
// place.
void exchange(Contacts& contacts, const Manifold& manifold, size_t kept, double little) {
  const size_t first = manifold.first;
  const double gap = contacts[first].gap;
  size_t unchanged = 0;
  for (size_t turn = 0; turn < 4 * kept && unchanged < kept; ++turn) {
    const size_t i = turn % kept;
    const Vector3d before = manifold.place(contacts[first + (i + kept - 1) % kept]);
    const Vector3d after = manifold.place(contacts[first + (i + 1) % kept]);
    const auto area = [&](const ContactPoint& c) {
      if (i == 0 && c.gap > gap + manifold.equal) return 0.0;
      return beyond(before, after, manifold.place(c), contacts[first].n);
    };
    const double now = std::max(0.0, area(contacts[first + i]));
    const size_t better = best_by(contacts, first + kept, now + little, area);
    ++unchanged;
    if (better == contacts.size()) continue;
    std::swap(contacts[first + i], contacts[better]);
    unchanged = 0;
  }
}

// Adds to the one contact kept the furthest, then what gains area. Returns how many are kept.
size_t span_area(Contacts& contacts, const Manifold& manifold, size_t limit) {
  const size_t first = manifold.first;
  const ContactPoint start = contacts[first];
  const auto distance = [&](const ContactPoint& c) {
    return (manifold.place(c) - start.p).cross(start.n).norm();
  };
  const size_t second = best_by(contacts, first + 1, manifold.equal, distance);
  if (limit < 2 || second == contacts.size()) return 1;
  const double little = manifold.equal * distance(contacts[second]);
  move_to(contacts, second, first + 1);
  size_t kept = 2;
  for (; kept < limit; ++kept) {
    size_t place;
    const auto gain = [&](const ContactPoint& c) {
      return area_gained(contacts, manifold, kept, c, place);
    };
    const size_t next = best_by(contacts, first + kept, little, gain);
    if (next == contacts.size()) break;
    gain(contacts[next]);
    move_to(contacts, next, place);
  }
  if (kept == limit && kept > 2) exchange(contacts, manifold, kept, little);
  return kept;
}

// The deepest of the contacts whose normal none of the kept ones has; contacts.size() if none.
size_t deepest_new_normal(const Contacts& contacts, size_t first, size_t kept) {
  size_t best = contacts.size();
  for (size_t k = first + kept; k < contacts.size(); ++k) {
    const auto same = [&](const ContactPoint& c) {
      return (c.n - contacts[k].n).norm() < kOtherNormal;
    };
    const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(kept), same)) continue;
    if (best == contacts.size() || contacts[k].gap < contacts[best].gap) best = k;
  }
  return best;
}

bool have_one_normal(const Contacts& contacts, size_t first) {
  return std::all_of(
      contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
      [&](const ContactPoint& c) { return (c.n - contacts[first].n).norm() < kOtherNormal; });
}

// Takes out of the contacts those that a few that span the area overlook.
int take_overlooked(Contacts& contacts, const Manifold& manifold, size_t limit,
                    std::array<ContactPoint, kMaxManifold>& taken) {
  const size_t first = manifold.first;
  limit = std::min<size_t>(limit, kMaxManifold);
  if (!have_one_normal(contacts, first)) return 0;
  const size_t spanning = span_area(contacts, manifold, limit / 2);
  size_t kept = spanning;
  for (; kept < limit; ++kept) {
    const size_t next = nearest_overlooked(contacts, first, kept, manifold.equal);
    if (next == contacts.size()) break;
    move_to(contacts, next, first + kept);
  }
  const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first + spanning);
  const auto end = contacts.begin() + static_cast<std::ptrdiff_t>(first + kept);
  std::copy(begin, end, taken.begin());
  contacts.erase(begin, end);
  return static_cast<int>(kept - spanning);
}

}  // namespace

void keep_spanning(Contacts& contacts, size_t first, double margin, int most) {
  if (contacts.size() <= first + 1) return;
  Manifold manifold = describe(contacts, first, margin);
  const size_t limit = static_cast<size_t>(most);
  std::swap(contacts[first], contacts[deepest(contacts, manifold)]);
  manifold.center = contacts[first].p;
  std::array<ContactPoint, kMaxManifold> taken;
  const int count = take_overlooked(contacts, manifold, limit, taken);
  size_t kept = span_area(contacts, manifold, limit - static_cast<size_t>(count));
  for (int k = 0; k < count; ++k) {
    contacts.push_back(taken[k]);
    move_to(contacts, contacts.size() - 1, first + kept++);
  }
  while (kept < limit) {
    const size_t next = deepest_new_normal(contacts, first, kept);
    if (next == contacts.size()) break;
    move_to(contacts, next, first + kept++);
  }
  contacts.resize(first + kept);
}

void keep_widest(Contacts& contacts, size_t first, double margin, int most) {
  if (contacts.size() <= first + static_cast<size_t>(most)) return;
  keep_spanning(contacts, first, margin, most);
}

}  // namespace stiction
