#include "geometry/sdf/thread.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kSin30 = 0.5;
const double kCos30 = std::sqrt(0.75);
const double kTan30 = kSin30 / kCos30;

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

// The nearest of the pieces of half a profile, with the gradient and the curvature that go with it.
struct Nearest {
  Vector2d q;
  double distance = std::numeric_limits<double>::infinity();
  Vector2d away = Vector2d::Zero();    // from the nearest point to q
  Vector2d normal = Vector2d::Zero();  // outward; zero at corners, where `away` has it
  double curvature = 0;

  void line(const Vector2d& a, const Vector2d& b, const Vector2d& outward) {
    const Vector2d along = b - a;
    const double t = std::clamp((q - a).dot(along) / along.squaredNorm(), 0.0, 1.0);
    offer(q - a - t * along, t > 0 && t < 1 ? outward : Vector2d::Zero(), 0);
  }
  // The part of a circle within 60 degrees of `axis`; beyond it the flank's end is as near. `solid`
  // is 1 if the material is within the circle, -1 if it is around it.
  void arc(const Vector2d& center, double r, const Vector2d& axis, double solid) {
    const Vector2d d = q - center;
    const double length = d.norm();
    if (!(length > 0) || d.dot(axis) < (0.5 - 1e-12) * length) return;
    offer(d * (1 - r / length), solid * d / length, solid / length);
  }
  void offer(const Vector2d& d, const Vector2d& outward, double bend) {
    const double length = d.norm();
    if (length > distance || (length == distance && normal != Vector2d::Zero())) return;
    distance = length;
    away = d;
    normal = outward;
    curvature = bend;
  }
};

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
  return t;
}

double profile_radius(const ThreadProfile& t, double zeta) {
  return folded_radius(t, std::abs(fold(zeta, t.pitch)));
}

PlaneDistance profile_distance(const ThreadProfile& t, double rho, double zeta) {
  zeta = fold(zeta, t.pitch);
  const double side = zeta < 0 ? -1 : 1;
  const Vector2d q(rho, std::abs(zeta));
  const Vector2d &top = t.flank_top, &bottom = t.flank_bottom;
  const Vector2d flank_normal(kSin30, kCos30);
  // Nearer to the flank than to the radii of its ends, beyond which everything else is.
  const double flank = flank_normal.dot(q - top);
  if (std::abs(flank) < std::min(top[0] - rho, rho - bottom[0])) {
    return {flank, {kSin30, side * kCos30}, 0};
  }
  Nearest nearest{.q = q};
  nearest.line(top, bottom, flank_normal);
  if (t.crest_round > 0) {
    nearest.arc(t.crest_center, t.crest_round, Vector2d::UnitX(), 1);
  } else {
    nearest.line({t.crest_radius, -top[1]}, top, Vector2d::UnitX());
  }
  if (t.root_round > 0) {
    nearest.arc(t.root_center, t.root_round, -Vector2d::UnitX(), -1);
  } else {
    nearest.line(bottom, {t.root_radius, t.pitch - bottom[1]}, Vector2d::UnitX());
  }
  const double sign = rho < folded_radius(t, q[1]) ? -1 : 1;
  PlaneDistance result{sign * nearest.distance, nearest.normal, nearest.curvature};
  if (nearest.normal == Vector2d::Zero()) {
    const bool off = nearest.distance > 1e-9 * t.pitch;
    result.gradient = off ? Vector2d(sign * nearest.away / nearest.distance) : flank_normal;
    result.curvature = off ? sign / nearest.distance : 0;
  }
  result.gradient[1] *= side;
  return result;
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

double thread_distance(const ThreadProfile& t, const Vector3d& p, Vector3d& gradient) {
  const double rho = std::sqrt(p.x() * p.x() + p.y() * p.y());
  const double lead = t.pitch / (2 * pi);
  const PlaneDistance f = profile_distance(t, rho, p.z() - lead * std::atan2(p.y(), p.x()));
  // Deep in the core, where nothing touches, the slope of the helix is held.
  const double reach = std::max(rho, t.root_radius / 2);
  const double tilt = lead / reach;
  const double f_rho = f.gradient[0], f_zeta = f.gradient[1];
  const double steep = std::sqrt(1 + tilt * tilt * f_zeta * f_zeta);
  // Hessian of f: curvature times the projector onto its level line.
  const double f_rho_zeta = -f.curvature * f_rho * f_zeta;
  const double f_zeta_zeta = f.curvature * f_rho * f_rho;
  const double tilt_rho = rho > t.root_radius / 2 ? -tilt / reach : 0;
  const double steep_rho = tilt * f_zeta * (tilt_rho * f_zeta + tilt * f_rho_zeta) / steep;
  const double steep_zeta = tilt * tilt * f_zeta * f_zeta_zeta / steep;
  const double value = f.value / steep;
  const double d_rho = (f_rho - value * steep_rho) / steep;
  const double d_zeta = (f_zeta - value * steep_zeta) / steep;
  const Vector3d radial = rho > 0 ? Vector3d(p.x() / rho, p.y() / rho, 0) : Vector3d::UnitX();
  const Vector3d around(-radial.y(), radial.x(), 0);
  // zeta falls with the azimuth: d zeta = dz - lead d azimuth.
  gradient = d_rho * radial + d_zeta * (Vector3d::UnitZ() - lead / std::max(rho, 1e-12) * around);
  return value;
}

}  // namespace stiction
