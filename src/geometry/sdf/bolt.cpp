// Bolts and nuts: the helical thread, cut by planes and cones, and a hexagon.
#include "geometry/sdf/bolt.h"

#include <stiction/error.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "geometry/sdf/bolt_mesh.h"
#include "geometry/sdf/cut_thread.h"
#include "geometry/sdf/primitives.h"
#include "geometry/sdf/triangulate.h"

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

// ISO 68-1: height of the sharp triangle, and the basic diameters.
double sharp_height(const MetricThread& t) { return t.pitch * std::sqrt(3.0) / 2; }

// ISO 965-1, lengths in mm, results in um: the formulas behind its tables.
struct Tolerances {
  double allowance_g, major_6g, pitch_6g, pitch_6H, minor_6H;
};

// The pitch diameter's tolerance counts with the geometric mean of its range of diameters.
double range_mean(double d) {
  double low = 2.8;
  for (const double high : {5.6, 11.2, 22.4, 45.0, 90.0, 180.0, 300.0}) {
    if (d <= high) return std::sqrt(low * high);
    low = high;
  }
  return d;
}

Tolerances tolerances(const MetricThread& t) {
  const double P = 1e3 * t.pitch;
  Tolerances result;
  result.allowance_g = 15 + 11 * P;
  result.major_6g = 180 * std::cbrt(P * P) - 3.15 / std::sqrt(P);
  result.pitch_6g = 90 * std::pow(P, 0.4) * std::pow(range_mean(1e3 * t.diameter), 0.1);
  result.pitch_6H = 1.32 * result.pitch_6g;
  result.minor_6H = P >= 1 ? 230 * std::pow(P, 0.7) : 433 * P - 190 * std::pow(P, 1.22);
  return result;
}

void check(const std::string& name, const MetricThread& t, double across_flats, double height,
           int sectors) {
  const auto refuse = [&](const std::string& what) {
    throw InputError("thread '" + name + "': " + what);
  };
  if (!(t.pitch > 0) || !(t.diameter > 4 * t.pitch) || !(t.diameter < 10)) {
    refuse("diameter " + std::to_string(t.diameter) + " m and pitch " + std::to_string(t.pitch) +
           " m, expected a diameter of more than four pitches");
  }
  if (!(t.fit >= 0 && t.fit <= 1)) refuse("fit is " + std::to_string(t.fit) + ", expected 0 to 1");
  if (!(across_flats > 1.15 * t.diameter) || !std::isfinite(across_flats)) {
    refuse("hexagon of " + std::to_string(across_flats) + " m is too small for the thread");
  }
  if (!(height > 2 * t.pitch) || !(height < 1000 * t.pitch)) {
    refuse("threaded length " + std::to_string(height) + " m, expected 2 to 1000 pitches");
  }
  if (sectors < 12 || sectors > 1200 || sectors % 12 != 0) {
    refuse(std::to_string(sectors) + " sectors, expected a multiple of 12 from 12 to 1200");
  }
  // A turn has a dozen rows of two triangles.
  check_faces("thread '" + name + "': " + std::to_string(sectors) + " sectors on " +
                  std::to_string(static_cast<int>(height / t.pitch)) + " turns",
              24 * sectors * (height / t.pitch + 4));
}

// Regular hexagon about z, flats across x; exact outside of its corners, too.
double hexagon_distance(double apothem, const Vector3d& p, Vector3d& gradient) {
  const double turn = std::round(std::atan2(p.y(), p.x()) / (pi / 3)) * (pi / 3);
  const Vector2d normal(std::cos(turn), std::sin(turn));
  const Vector2d along(-normal.y(), normal.x());
  const double out = normal.dot(p.head<2>()) - apothem;
  const double half_side = apothem * std::tan(pi / 6);
  const double across = along.dot(p.head<2>());
  const double past = std::abs(across) - half_side;
  if (out > 0 && past > 0) {
    const double d = std::hypot(out, past);
    gradient << (out * normal + std::copysign(past, across) * along) / d, 0;
    return d;
  }
  gradient << normal, 0;
  return out;
}

double hexagon_prism(double apothem, double low, double high, const Vector3d& p,
                     Vector3d& gradient) {
  Vector3d side;
  const double out = hexagon_distance(apothem, p, side);
  const double middle = (low + high) / 2;
  const double past = std::abs(p.z() - middle) - (high - low) / 2;
  return intersect(out, side, past, Vector3d(0, 0, p.z() < middle ? -1 : 1), gradient);
}

// The chamfer starts at the root of the thread.
CutThread cut_bolt(const ThreadProfile& profile, double end) {
  const double diagonal = 1 / std::numbers::sqrt2;
  return {profile,
          false,
          {{diagonal, diagonal}, diagonal * (profile.root_radius + end)},
          {{0, 1}, end}};
}

// Above or below, which `side` tells by its sign.
CutThread cut_nut(const ThreadProfile& profile, const Nut& nut, double side) {
  const double scale = 1 / std::hypot(1, kCountersinkSlope), half = nut.height / 2;
  const double slope = kCountersinkSlope;
  return {profile,
          true,
          {{-scale, side * scale * slope}, scale * (slope * half - countersink_radius(nut))},
          {{0, side}, half}};
}

}  // namespace

ThreadDiameters thread_diameters(const MetricThread& t) {
  const double H = sharp_height(t);
  const Tolerances um = tolerances(t);
  ThreadDiameters d;
  d.bolt_major = t.diameter - 1e-6 * (um.allowance_g + t.fit * um.major_6g);
  d.bolt_pitch = t.diameter - 0.75 * H - 1e-6 * (um.allowance_g + t.fit * um.pitch_6g);
  d.bolt_minor = d.bolt_pitch - 2 * (17.0 / 24 - 3.0 / 8) * H;
  d.nut_pitch = t.diameter - 0.75 * H + 1e-6 * t.fit * um.pitch_6H;
  d.nut_minor = t.diameter - 1.25 * H + 1e-6 * t.fit * um.minor_6H;
  d.nut_major = d.nut_pitch + 2 * (3.0 / 8 + 1.0 / 24) * H;
  return d;
}

ThreadProfile bolt_profile(const MetricThread& t) {
  const ThreadDiameters d = thread_diameters(t);
  return completed({.pitch = t.pitch,
                    .pitch_radius = d.bolt_pitch / 2,
                    .crest_radius = d.bolt_major / 2,
                    .root_round = sharp_height(t) / 6});
}

ThreadProfile nut_hole_profile(const MetricThread& t) {
  const ThreadDiameters d = thread_diameters(t);
  return completed({.pitch = t.pitch,
                    .pitch_radius = d.nut_pitch / 2,
                    .root_radius = d.nut_minor / 2,
                    .crest_round = sharp_height(t) / 12});
}

SdfPointer make_bolt(const std::string& name, const Bolt& bolt) {
  check(name, bolt.thread, bolt.across_flats, bolt.length, bolt.sectors);
  if (!(bolt.head_height > 0) || !std::isfinite(bolt.head_height)) {
    throw InputError("thread '" + name + "': head height must be positive");
  }
  const ThreadProfile profile = bolt_profile(bolt.thread);
  Sdf sdf;
  sdf.name = name;
  sdf.detail = sdf.pitch = bolt.thread.pitch;
  // The endless thread cut to length; its other end is in the head.
  const auto cut_ends = [bolt, thread = cut_bolt(profile, bolt.length)](
                            bool exact, const Vector3d& p, double d, Vector3d& gradient) {
    cut_thread(thread, exact, p, d, gradient);
    if (const double below = -bolt.head_height / 2 - p.z(); below > d) {
      gradient = -Vector3d::UnitZ();
      return below;
    }
    return d;
  };
  const auto head = [bolt](const Vector3d& p, Vector3d& gradient) {
    return hexagon_prism(bolt.across_flats / 2, -bolt.head_height, 0, p, gradient);
  };
  const auto add_head = [head](const Vector3d& p, double d, Vector3d& gradient) {
    if (d <= p.z()) return d;  // the head is below
    Vector3d other;
    const double d_head = head(p, other);
    if (d <= d_head) return d;
    gradient = other;
    return d_head;
  };
  const auto shank = [profile, cut_ends](bool exact, const Vector3d& p, Vector3d& gradient) {
    const double d = thread_distance(profile, p, gradient);
    return cut_ends(exact, p, d, gradient);
  };
  const auto whole = [shank, add_head](bool exact, const Vector3d& p, Vector3d& gradient) {
    const double d = shank(exact, p, gradient);
    return add_head(p, d, gradient);
  };
  sdf.parts = {std::bind_front(shank, false), head};
  sdf.distance = std::bind_front(whole, false);
  sdf.outside = std::bind_front(whole, true);
  sdf.distances = [profile, cut_ends, add_head](DistanceBlock& block) {
    thread_distances(profile, block);
    for (int k = 0; k < DistanceBlock::kSize; ++k) {
      const Vector3d p(block.x[k], block.y[k], block.z[k]);
      Vector3d gradient(block.grad_x[k], block.grad_y[k], block.grad_z[k]);
      const double d = cut_ends(false, p, block.distance[k], gradient);
      block.distance[k] = add_head(p, d, gradient);
      block.grad_x[k] = gradient.x();
      block.grad_y[k] = gradient.y();
      block.grad_z[k] = gradient.z();
    }
  };
  sdf.surface = bolt_mesh(bolt, profile);
  sdf.surface.name = name;
  return std::make_shared<const Sdf>(std::move(sdf));
}

SdfPointer make_nut(const std::string& name, const Nut& nut) {
  check(name, nut.thread, nut.across_flats, nut.height, nut.sectors);
  const ThreadProfile profile = nut_hole_profile(nut.thread);
  Sdf sdf;
  sdf.name = name;
  sdf.detail = sdf.pitch = nut.thread.pitch;
  const auto whole = [upper = cut_nut(profile, nut, 1), lower = cut_nut(profile, nut, -1), nut](
                         bool exact, const Vector3d& p, Vector3d& gradient) {
    // What is left of the hole's sides.
    double sides = -thread_distance(upper.profile, p, gradient);
    gradient = -gradient;
    cut_thread(p.z() < 0 ? lower : upper, exact, p, sides, gradient);
    // Well within the hexagon the hole is nearer for sure.
    const double within = std::sqrt(p.x() * p.x() + p.y() * p.y()) - nut.across_flats / 2;
    const double beyond = std::abs(p.z()) - nut.height / 2;
    if (std::max(within, beyond) <= std::min(sides, 0.0)) return sides;
    Vector3d out;
    const double hexagon =
        hexagon_prism(nut.across_flats / 2, -nut.height / 2, nut.height / 2, p, out);
    if (hexagon <= sides) return sides;
    gradient = out;
    return hexagon;
  };
  sdf.distance = std::bind_front(whole, false);
  sdf.outside = std::bind_front(whole, true);
  sdf.surface = nut_mesh(nut, profile);
  sdf.surface.name = name;
  return std::make_shared<const Sdf>(std::move(sdf));
}

void metric_size(const std::string& size, Bolt& bolt, Nut& nut) {
  struct Row {
    const char* name;
    double d, pitch, across_flats, head, nut;  // mm
  };
  static constexpr Row kRows[] = {{"M4", 4, 0.7, 7, 2.8, 3.2},    {"M5", 5, 0.8, 8, 3.5, 4.7},
                                  {"M6", 6, 1, 10, 4, 5.2},       {"M8", 8, 1.25, 13, 5.3, 6.8},
                                  {"M10", 10, 1.5, 16, 6.4, 8.4}, {"M12", 12, 1.75, 18, 7.5, 10.8},
                                  {"M16", 16, 2, 24, 10, 14.8},   {"M20", 20, 2.5, 30, 12.5, 18},
                                  {"M24", 24, 3, 36, 15, 21.5},   {"M30", 30, 3.5, 46, 18.7, 25.6},
                                  {"M36", 36, 4, 55, 22.5, 31},   {"M42", 42, 4.5, 65, 26, 34},
                                  {"M48", 48, 5, 75, 30, 38},     {"M56", 56, 5.5, 85, 35, 45},
                                  {"M64", 64, 6, 95, 40, 51}};
  for (const Row& row : kRows) {
    if (size != row.name) continue;
    bolt.thread.diameter = nut.thread.diameter = 1e-3 * row.d;
    bolt.thread.pitch = nut.thread.pitch = 1e-3 * row.pitch;
    bolt.across_flats = nut.across_flats = 1e-3 * row.across_flats;
    bolt.head_height = 1e-3 * row.head;
    nut.height = 1e-3 * row.nut;
    bolt.length = 2 * nut.height;
    return;
  }
  throw InputError("thread size '" + size +
                   "' is unknown, expected M4, M5, M6, M8, M10, M12, M16, " +
                   "M20, M24, M30, M36, M42, M48, M56 or M64");
}

}  // namespace stiction
