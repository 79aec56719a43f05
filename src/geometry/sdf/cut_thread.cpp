#include "geometry/sdf/cut_thread.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/sdf/primitives.h"

namespace stiction {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

Vector3d TurnedCut::gradient(const Vector3d& p) const {
  const double rho = std::sqrt(p.x() * p.x() + p.y() * p.y());
  if (rho == 0) return {normal[0], 0, normal[1]};
  return {normal[0] * p.x() / rho, normal[0] * p.y() / rho, normal[1]};
}

namespace {

// Of a surface at a point: its distance, roughly, and the gradient of that, a unit vector.
struct Piece {
  double value;
  Vector3d gradient;
};
constexpr int kPieces = 4;
using Pieces = std::array<Piece, kPieces>;

// One ridge of the thread; `zeta` is that of its middle, for azimuths within half a turn of p's.
class Ridge {
 public:
  Ridge(const CutThread& thread, const Vector3d& p, double zeta)
      : thread_(thread), p_(p), zeta_(zeta) {}

  Pieces at(const Vector3d& y) const {
    const double rho = std::sqrt(y.x() * y.x() + y.y() * y.y());
    const double azimuth =
        std::atan2(p_.x() * y.y() - p_.y() * y.x(), y.head<2>().dot(p_.head<2>()));
    const double lead = thread_.profile.pitch / (2 * pi);
    const ThreadSlope flank =
        ridge_flank(thread_.profile, thread_.hole, rho, y.z() - lead * azimuth - zeta_);
    const Vector3d radial(y.x() / rho, y.y() / rho, 0);
    const Vector3d rising(lead / rho * radial.y(), -lead / rho * radial.x(), 1);  // of zeta
    Pieces pieces;
    const Vector3d slope = flank.d_rho * radial + flank.d_zeta * rising;
    pieces[0] = {flank.value / slope.norm(), slope.normalized()};
    pieces[1] = thread_.hole ? Piece{thread_.profile.root_radius - rho, -radial}
                             : Piece{rho - thread_.profile.crest_radius, radial};
    const auto cut = [&](const TurnedCut& by) {
      const Vector3d gradient = by.normal[0] * radial + by.normal[1] * Vector3d::UnitZ();
      return Piece{by.at(rho, y.z()), gradient};
    };
    pieces[2] = cut(thread_.cone);
    pieces[3] = cut(thread_.plane);
    return pieces;
  }

 private:
  const CutThread& thread_;
  const Vector3d p_;
  double zeta_;
};

// From p to the nearest point of what the tangent planes leave of space. `beyond` is how far p is
// beyond them; `active` are the planes that the point is on, of which the last ones are tried
// first.
class Projection {
 public:
  Projection(const Pieces& pieces, const std::array<double, kPieces>& beyond, double little)
      : pieces_(pieces), beyond_(beyond), little_(little) {
    for (int i = 0; i < kPieces; ++i) {
      for (int j = 0; j <= i; ++j) {
        gram_(i, j) = gram_(j, i) = pieces[i].gradient.dot(pieces[j].gradient);
      }
    }
  }

  bool find(unsigned& active) {
    if (active > 0 && is_on(active)) return true;
    // Faces first, then edges, then corners.
    for (const unsigned tried : {1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14}) {
      if (!is_on(tried)) continue;
      active = tried;
      return true;
    }
    return false;
  }

  Vector3d step() const {
    Vector3d step = Vector3d::Zero();
    for (int i = 0; i < kPieces; ++i) step -= weights_[i] * pieces_[i].gradient;
    return step;
  }

 private:
  // Solves for p - sum of weights times gradients on the planes; false if it is not the nearest.
  bool is_on(unsigned active) {
    std::array<int, 3> ids{};
    int count = 0;
    for (int i = 0; i < kPieces; ++i) {
      if (active >> i & 1) ids[count++] = i;
    }
    Eigen::Matrix3d gram = Eigen::Matrix3d::Identity();
    Vector3d rest = Vector3d::Zero();
    for (int i = 0; i < count; ++i) {
      rest[i] = beyond_[ids[i]];
      for (int j = 0; j < count; ++j) gram(i, j) = gram_(ids[i], ids[j]);
    }
    if (count > 1) {
      if (std::abs(gram.determinant()) < 1e-10) return false;
      rest = gram.inverse() * rest;
    }
    weights_.setZero();
    for (int i = 0; i < count; ++i) {
      if (rest[i] < 0) return false;
      weights_[ids[i]] = rest[i];
    }
    for (int i = 0; i < kPieces; ++i) {
      if (!(active >> i & 1) && beyond_[i] - gram_.col(i).dot(weights_) > little_) return false;
    }
    return true;
  }

  const Pieces& pieces_;
  const std::array<double, kPieces>& beyond_;
  double little_;
  Eigen::Matrix4d gram_;
  Eigen::Vector4d weights_;
};

// The nearest point y of the ridge, from a first guess; false if it is not found.
bool nearest_point(const Ridge& ridge, const Vector3d& p, double pitch, Vector3d& y) {
  constexpr int kIterations = 40;
  unsigned active = 0;
  Vector3d last = Vector3d::Zero();
  for (int k = 0; k < kIterations; ++k) {
    const Pieces pieces = ridge.at(y);
    std::array<double, kPieces> beyond;
    for (int i = 0; i < kPieces; ++i) {
      beyond[i] = pieces[i].value + pieces[i].gradient.dot(p - y);
    }
    Projection projection(pieces, beyond, 1e-10 * pitch);
    if (!projection.find(active)) return false;
    const Vector3d move = p + projection.step() - y;
    const double moved = move.norm();
    // Moves that shrink by the same share, or go to and fro, are summed up (Aitken).
    const bool series = k % 3 == 2 && last.squaredNorm() > 0;
    const double share = series ? move.dot(last) / last.squaredNorm() : 0;
    y += move / (1 - std::clamp(share, -2.0, 0.95));
    last = move;
    if (moved < 1e-9 * pitch) return true;
  }
  return false;
}

// The nearest point of the ridges around p, searched from `guess`; nothing if one is not found. If
// some of the thread is `cut_off`, it need not be on the nearest ridge.
void find_foot(const CutThread& thread, bool cut_off, const Vector3d& p, const Vector3d& guess,
               double& d, Vector3d& gradient) {
  const ThreadProfile& t = thread.profile;
  const double rise = t.pitch / (2 * pi) * std::atan2(p.y(), p.x());
  const double zeta = guess.z() - t.pitch / (2 * pi) * std::atan2(guess.y(), guess.x());
  const double middle = thread.hole ? t.pitch / 2 : 0;
  const double nearest = middle + t.pitch * std::nearbyint((zeta - middle) / t.pitch);
  double best = std::numeric_limits<double>::infinity();
  Vector3d foot;
  for (const double ridge : {nearest, nearest - t.pitch, nearest + t.pitch}) {
    const Ridge one(thread, p, ridge + rise);
    Vector3d y = guess;  // but on a flank of the ridge
    y.z() += std::clamp(zeta - ridge, -t.pitch / 4, t.pitch / 4) - (zeta - ridge);
    if (!nearest_point(one, p, t.pitch, y)) return;
    const double far = (p - y).norm();
    if (far >= best) continue;
    best = far;
    foot = y;
    if (!cut_off) break;  // the others are as far as they look
  }
  d = best;
  gradient = (p - foot) / best;
}

}  // namespace

void cut_thread(const CutThread& thread, bool exact, const Vector3d& p, double& d,
                Vector3d& gradient) {
  const double pitch = thread.profile.pitch, little = 1e-9 * pitch;
  const double rho = std::sqrt(p.x() * p.x() + p.y() * p.y());
  const double cone = thread.cone.at(rho, p.z()), plane = thread.plane.at(rho, p.z());
  const double cuts = std::max(cone, plane);
  const bool near = d > little && d < 2 * pitch;
  if (cuts <= -std::abs(d)) {  // what is nearest is not cut off
    if (exact && near) find_foot(thread, false, p, p - d * gradient, d, gradient);
    return;
  }
  const double of_thread = d;
  const Vector3d thread_gradient = gradient;
  if (cuts > d) {
    d = cuts;
    gradient = (cone > plane ? thread.cone : thread.plane).gradient(p);
  }
  if (d <= little) return;
  // If the nearest point of the furthest surface is there, that is it.
  const Vector3d foot = p - d * gradient;
  const double foot_rho = std::sqrt(foot.x() * foot.x() + foot.y() * foot.y());
  bool cut_off = (exact && near) || thread.cone.at(foot_rho, foot.z()) > little ||
                 thread.plane.at(foot_rho, foot.z()) > little;
  if (!cut_off && cuts > of_thread) {
    Vector3d ignored;
    const double at_foot = thread_distance(thread.profile, foot, ignored);
    cut_off = (thread.hole ? -at_foot : at_foot) > little;
  }
  if (!cut_off) return;
  // What tangent planes say, which is too little beside acute edges, unless the edge is found.
  d = intersect(of_thread, thread_gradient, cone, thread.cone.gradient(p), gradient);
  const Vector3d before = gradient;
  d = intersect(d, before, plane, thread.plane.gradient(p), gradient);
  if (d < 2 * pitch) find_foot(thread, true, p, foot, d, gradient);
}

}  // namespace stiction
