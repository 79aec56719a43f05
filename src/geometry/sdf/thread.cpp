#include "geometry/sdf/thread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kSin30 = 0.5;
constexpr double kCos30 = std::numbers::sqrt3 / 2;
constexpr double kTan30 = kSin30 / kCos30;

// Radius of the flank's straight line at zeta.
double flank_radius(const ThreadProfile& t, double zeta) {
  return t.pitch_radius + (t.pitch / 4 - zeta) / kTan30;
}

// Within half a pitch.
double fold(double zeta, double pitch) { return zeta - pitch * std::nearbyint(zeta / pitch); }

double folded_radius(const ThreadProfile& t, double zeta) {
  if (zeta <= t.flank_top[1]) {
    if (t.crest_round == 0) return t.crest_radius;
    return t.crest_center[0] + std::sqrt(t.crest_round * t.crest_round - zeta * zeta);
  }
  if (zeta >= t.flank_bottom[1]) {
    if (t.root_round == 0) return t.root_radius;
    const double across = t.pitch / 2 - zeta;
    return t.root_center[0] - std::sqrt(t.root_round * t.root_round - across * across);
  }
  return flank_radius(t, zeta);
}

// Signed distance in the plane (rho, zeta), its gradient there, and the curvature of its level
// line.
struct PlaneDistance {
  double value, d_rho, d_zeta, curvature;
};

// Half a profile is the flank, what is beyond its two ends, and the flats of crest and root where
// they are not round. Without branches, so that a loop over points becomes vectors.
[[gnu::always_inline]] inline PlaneDistance profile_distance(const ThreadProfile& t, double rho,
                                                             double zeta) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double folded = zeta - t.pitch * std::nearbyint(zeta / t.pitch);
  const double across = std::abs(folded);
  // Along the flank from its top, and off it.
  const double from_rho = rho - t.flank_top[0], from_zeta = across - t.flank_top[1];
  const double length = (t.flank_top[0] - t.flank_bottom[0]) / kCos30;
  const double along = kSin30 * from_zeta - kCos30 * from_rho;
  const double off = kSin30 * from_rho + kCos30 * from_zeta;
  // The end that is nearer: the crest's bends outwards, the root's inwards.
  const bool up = along < 0.5 * length;
  const double bend = up ? 1 : -1;
  const double center_rho = up ? t.crest_center[0] : t.root_center[0];
  const double center_zeta = up ? t.crest_center[1] : t.root_center[1];
  const double round = up ? t.crest_round : t.root_round;
  const double end_rho = rho - center_rho, end_zeta = across - center_zeta;
  const double end = std::sqrt(end_rho * end_rho + end_zeta * end_zeta);
  const double inverse = bend / std::max(end, 1e-9 * t.pitch);
  const bool straight = std::max(-along, along - length) <= 1e-9 * t.pitch;
  PlaneDistance d;
  d.value = straight ? off : bend * (end - round);
  d.d_rho = straight ? kSin30 : inverse * end_rho;
  d.d_zeta = straight ? kCos30 : inverse * end_zeta;
  d.curvature = straight ? 0 : inverse;
  const double top = rho - t.crest_radius, bottom = rho - t.root_radius;
  const double flat_crest = t.crest_round == 0 ? t.flank_top[1] : -kInfinity;
  const double flat_root = t.root_round == 0 ? t.flank_bottom[1] : kInfinity;
  const double crest = across <= flat_crest ? std::abs(top) : kInfinity;
  const double root = across >= flat_root ? std::abs(bottom) : kInfinity;
  const bool flat = std::min(crest, root) <= std::abs(d.value);
  const double level = crest < root ? top : bottom;
  d.value = flat ? level : d.value;
  d.d_rho = flat ? 1 : d.d_rho;
  d.d_zeta = flat ? 0 : d.d_zeta;
  d.d_zeta = folded < 0 ? -d.d_zeta : d.d_zeta;
  d.curvature = flat ? 0 : d.curvature;
  return d;
}

// atan2(y, x), in loops that become vectors: the tangent is brought below tan(pi / 8), where the
// polynomial of Sun's fdlibm holds to rounding.
[[gnu::always_inline]] inline double azimuth(double x, double y) {
  const double ax = std::abs(x), ay = std::abs(y);
  const double large = std::max(ax, ay), small = std::min(ax, ay);
  const bool diagonal = small > 0.41421356237309503 * large;
  const double over = diagonal ? small - large : small;
  const double under = diagonal ? small + large : large;
  const double u = over / std::max(under, std::numeric_limits<double>::min());
  const double z = u * u, w = z * z;
  const double odd =
      z * (3.33333333333329318027e-01 +
           w * (1.42857142725034663711e-01 +
                w * (9.09088713343650656196e-02 +
                     w * (6.66107313738753120669e-02 +
                          w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double even =
      w * (-1.99999999998764832476e-01 +
           w * (-1.11111104054623557880e-01 +
                w * (-7.69187620504482999495e-02 +
                     w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  const double part = (diagonal ? pi / 4 : 0) + (u - u * (odd + even));
  const double half = ay > ax ? pi / 2 - part : part;
  const double angle = x < 0 ? pi - half : half;
  return y < 0 ? -angle : angle;
}

[[gnu::always_inline]] inline double helical_distance(const ThreadProfile& t, double x, double y,
                                                      double z, double& grad_x, double& grad_y,
                                                      double& grad_z) {
  const double rho = std::sqrt(x * x + y * y);
  const double lead = t.pitch / (2 * pi);
  const PlaneDistance f = profile_distance(t, rho, z - lead * azimuth(x, y));
  // Deep in the core, where nothing touches, the slope of the helix is held.
  const double reach = std::max(rho, t.root_radius / 2);
  const double tilt = lead / reach;
  const double steep = std::sqrt(1 + tilt * tilt * f.d_zeta * f.d_zeta);
  const double inverse = 1 / steep;
  // Hessian of f: curvature times the projector onto its level line.
  const double f_rho_zeta = -f.curvature * f.d_rho * f.d_zeta;
  const double f_zeta_zeta = f.curvature * f.d_rho * f.d_rho;
  const double tilt_rho = rho > t.root_radius / 2 ? -tilt / reach : 0;
  const double steep_rho = tilt * f.d_zeta * (tilt_rho * f.d_zeta + tilt * f_rho_zeta) * inverse;
  const double steep_zeta = tilt * tilt * f.d_zeta * f_zeta_zeta * inverse;
  const double value = f.value * inverse;
  const double d_rho = (f.d_rho - value * steep_rho) * inverse;
  const double d_zeta = (f.d_zeta - value * steep_zeta) * inverse;
  const double per_rho = 1 / std::max(rho, 1e-12);
  const double radial_x = rho > 0 ? x * per_rho : 1, radial_y = y * per_rho;
  // zeta falls with the azimuth: d zeta = dz - lead d azimuth.
  const double around = -d_zeta * lead * per_rho;
  grad_x = d_rho * radial_x - around * radial_y;
  grad_y = d_rho * radial_y + around * radial_x;
  grad_z = d_zeta;
  return value;
}

}  // namespace

// An arc of radius r between two flanks has its centre at r / sin 30 from their apex.
ThreadProfile completed(ThreadProfile t) {
  const Vector2d flank_normal(kSin30, kCos30);
  t.crest_center = {flank_radius(t, 0) - t.crest_round / kSin30, 0};
  t.root_center = {flank_radius(t, t.pitch / 2) + t.root_round / kSin30, t.pitch / 2};
  if (t.crest_round > 0) t.crest_radius = t.crest_center[0] + t.crest_round;
  if (t.root_round > 0) t.root_radius = t.root_center[0] - t.root_round;
  const auto on_flank = [&](double rho) {
    return Vector2d(rho, t.pitch / 4 - (rho - t.pitch_radius) * kTan30);
  };
  t.flank_top = t.crest_round > 0 ? Vector2d(t.crest_center + t.crest_round * flank_normal)
                                  : on_flank(t.crest_radius);
  t.flank_bottom = t.root_round > 0 ? Vector2d(t.root_center - t.root_round * flank_normal)
                                    : on_flank(t.root_radius);
  if (t.crest_round == 0) t.crest_center = t.flank_top;
  if (t.root_round == 0) t.root_center = t.flank_bottom;
  return t;
}

double profile_radius(const ThreadProfile& t, double zeta) {
  return folded_radius(t, std::abs(fold(zeta, t.pitch)));
}

void profile_points(const ThreadProfile& t, int arc_points, double flank_edge,
                    std::vector<Vector2d>& points) {
  const auto arc = [&](const Vector2d& center, double r, double from, double to) {
    for (int k = 0; k <= arc_points; ++k) {
      const double angle = from + (to - from) * k / arc_points;
      points.push_back(center + r * Vector2d(std::cos(angle), std::sin(angle)));
    }
  };
  points.clear();
  if (t.crest_round > 0) {
    arc(t.crest_center, t.crest_round, 0, pi / 3);
  } else {
    points.insert(points.end(), {{t.crest_radius, 0}, t.flank_top});
  }
  const Vector2d &top = t.flank_top, &bottom = t.flank_bottom;
  const int pieces = std::max(1, static_cast<int>(std::ceil((bottom - top).norm() / flank_edge)));
  for (int k = 1; k < pieces; ++k) points.push_back(top + (bottom - top) * k / pieces);
  if (t.root_round > 0) {
    arc(t.root_center, t.root_round, 4 * pi / 3, pi);
  } else {
    points.insert(points.end(), {bottom, {t.root_radius, t.pitch / 2}});
  }
}

ThreadSlope ridge_flank(const ThreadProfile& t, bool hole, double rho, double zeta) {
  const double sign = hole ? -1 : 1;  // of the solid's side, and of d across / d |zeta|
  const double across = hole ? t.pitch / 2 - std::abs(zeta) : std::abs(zeta);
  const double groove_radius = hole ? t.crest_radius : t.root_radius;
  if (sign * across > (hole ? 0 : t.pitch / 2)) return {sign * (rho - groove_radius), sign, 0};
  const double d_across = zeta < 0 ? -sign : sign;
  // Along the flank from its end at the groove, and off it.
  const Vector2d& end = hole ? t.flank_top : t.flank_bottom;
  const double along = kSin30 * (across - end[1]) - kCos30 * (rho - end[0]);
  if (sign * along <= 0) {
    const double off = kSin30 * (rho - end[0]) + kCos30 * (across - end[1]);
    return {sign * off, sign * kSin30, sign * kCos30 * d_across};
  }
  const Vector2d from = Vector2d(rho, across) - (hole ? t.crest_center : t.root_center);
  const double length = from.norm();
  return {(hole ? t.crest_round : t.root_round) - length, -from[0] / length,
          -from[1] / length * d_across};
}

double thread_distance(const ThreadProfile& t, const Vector3d& p, Vector3d& gradient) {
  return helical_distance(t, p.x(), p.y(), p.z(), gradient.x(), gradient.y(), gradient.z());
}

void thread_distances(const ThreadProfile& profile, DistanceBlock& block) {
  const ThreadProfile t = profile;  // which the results cannot overwrite
  const DistanceBlock::Row x = block.x, y = block.y, z = block.z;
  DistanceBlock::Row distance, grad_x, grad_y, grad_z;
  for (int k = 0; k < DistanceBlock::kSize; ++k) {
    distance[k] = helical_distance(t, x[k], y[k], z[k], grad_x[k], grad_y[k], grad_z[k]);
  }
  block.distance = distance;
  block.grad_x = grad_x;
  block.grad_y = grad_y;
  block.grad_z = grad_z;
}

}  // namespace stiction
