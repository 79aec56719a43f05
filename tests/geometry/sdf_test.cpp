#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/sdf.h>

#include <numbers>

#include "geometry/collide.h"
#include "geometry/mesh.h"
#include "geometry/sdf/bolt.h"
#include "geometry/sdf/primitives.h"
#include "geometry/sdf_samples.h"
#include "geometry/surface_tree.h"
#include "message_of.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kUnionEdge = 0.004;  // of its triangles, m

std::vector<SdfPointer> solids() {
  const SdfPointer box = make_primitive("box", Box{{0.03, 0.02, 0.01}});
  const SdfPointer ball = make_primitive("ball", Sphere{0.02});
  return {box,
          ball,
          make_primitive("capsule", Capsule{0.01, 0.03}),
          make_primitive("cylinder", Cylinder{0.02, 0.03}),
          make_dish("bowl", bowl_shape()),
          make_dish("plate", plate_shape()),
          make_dish("pot", pot_shape()),
          make_dish("bottle", bottle_shape()),
          make_bolt("bolt", {}),
          make_nut("nut", {}),
          make_union("union", box, make_moved("moved", ball, {.p = {0.03, 0, 0}}), kUnionEdge),
          make_offset("offset", box, 0.002),
          make_offset("grown plate", make_dish("plate", plate_shape()), 0.001),
          make_moved("moved plate", make_dish("plate", plate_shape()), {.p = {0.03, 0, 0}}),
          make_moved("turned", box,
                     {{0.1, 0, 0.2}, Eigen::Quaterniond(Eigen::AngleAxisd(1, Vector3d::UnitX()))})};
}

TEST(Sdf, GradientsAreDerivatives) {
  for (const SdfPointer& sdf : solids()) {
    const GradientCheck check = check_gradient(*sdf, 0.1 * sdf->detail, 1e-7, 500);
    EXPECT_LT(check.error, 1e-6) << sdf->name;
    EXPECT_GT(check.used, 400) << sdf->name;
  }
}

TEST(Sdf, ManyDistancesAtOnceAreThoseOneByOne) {
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  int tried = 0;
  for (const SdfPointer& sdf : solids()) {
    if (!sdf->distances) continue;
    ++tried;
    for (const double spread : {0.0, 0.1 * sdf->detail, 0.05}) {
      for (int round = 0; round < 200; ++round) {
        DistanceBlock block;
        for (int k = 0; k < DistanceBlock::kSize; ++k) {
          const Vector3d& vertex = sdf->surface.vertices[rng() % sdf->surface.vertices.size()];
          block.x[k] = round == 0 ? 0 : vertex.x() + spread * normal(rng);  // also on the axis
          block.y[k] = round == 0 ? 0 : vertex.y() + spread * normal(rng);
          block.z[k] = vertex.z() + spread * normal(rng);
        }
        sdf->distances(block);
        for (int k = 0; k < DistanceBlock::kSize; ++k) {
          Vector3d gradient;
          const double d = sdf->distance({block.x[k], block.y[k], block.z[k]}, gradient);
          ASSERT_NEAR(block.distance[k], d, 1e-14) << sdf->name;
          // On the surface's own edges rounding may choose either side.
          if (spread == 0) continue;
          ASSERT_NEAR(block.grad_x[k], gradient.x(), 1e-9) << sdf->name;
          ASSERT_NEAR(block.grad_y[k], gradient.y(), 1e-9) << sdf->name;
          ASSERT_NEAR(block.grad_z[k], gradient.z(), 1e-9) << sdf->name;
        }
      }
    }
  }
  EXPECT_GE(tried, 5);
}

TEST(Sdf, SurfacesAreClosedAndLieOnTheZero) {
  for (const SdfPointer& sdf : solids()) {
    EXPECT_TRUE(is_closed(sdf->surface)) << sdf->name;
    double worst = 0;
    for (const Vector3d& p : sdf->surface.vertices) {
      worst = std::max(worst, std::abs(distance_at(*sdf, p)));
    }
    EXPECT_LT(worst, 1e-9) << sdf->name;
  }
}

// The triangles are where the surface is to within their sag, and between them the field must be
// the distance to them.
TEST(Sdf, DistancesAgreeWithTheSurface) {
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  for (const SdfPointer& sdf : solids()) {
    const std::vector<double> sags = make_surface_tree(*sdf).sag;
    const double sag = *std::max_element(sags.begin(), sags.end());
    for (int k = 0; k < 40; ++k) {
      const Vector3d p = sdf->surface.vertices[rng() % sdf->surface.vertices.size()] +
                         0.3 * sdf->detail * Vector3d(normal(rng), normal(rng), normal(rng));
      const double d = distance_at(*sdf, p);
      // Inside of a corner between two parts the field is a lower bound. A union's triangles cut
      // the corners of its parts.
      EXPECT_LT(std::abs(d), distance_to_mesh(sdf->surface, p) + sag + 1e-9) << sdf->name;
      if (d > 0) {
        const double cut = sdf->name == "union" ? kUnionEdge : 0;
        EXPECT_NEAR(d, distance_to_mesh(sdf->surface, p), sag + cut + 1e-9) << sdf->name;
      }
    }
  }
}

TEST(Sdf, EllipsoidIsNearestAtItsFoot) {
  const Ellipsoid ellipsoid{{0.3, 0.2, 0.1}};
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    // A point at a known height above a surface point is that far away, up to the curvature.
    const Vector3d unit = Vector3d(normal(rng), normal(rng), normal(rng)).normalized();
    const Vector3d x = ellipsoid.radii.cwiseProduct(unit);
    const Vector3d n = x.cwiseQuotient(ellipsoid.radii.cwiseAbs2()).normalized();
    const double height = k % 2 ? 0.05 : -0.01;
    Vector3d gradient;
    EXPECT_NEAR(ellipsoid_distance(ellipsoid, x + height * n, gradient), height, 1e-12);
    EXPECT_LT((gradient - n).norm(), 1e-9);
  }
}

// Pappus: the volume of a revolved outline is 2 pi times the radius of its centroid times its area.
TEST(Dish, VolumeOfAPot) {
  Dish dish = pot_shape(0.05, 0.1, 0.006);
  dish.sectors = 256;
  const double d = 0.003, r = 0.05 - d, h = 0.1 - 2 * d;
  // Base: a disc to radius r; wall: an annulus above the base's top, half a round cap on top, and
  // the quarter of a torus where they meet.
  const double base = pi * r * r * 2 * d;
  const double wall = 2 * pi * r * 2 * d * (h - d);
  const double cap = 2 * pi * r * (pi * d * d / 2);
  const double corner = pi * d * d / 4 * 2 * pi * (r + 4 * d / (3 * pi));
  const double outer_strip = 2 * pi * (r + d / 2) * d * d;  // beside the base's upper half
  const VolumeProperties volume = volume_properties(SdfSolid{make_dish("pot", dish)});
  EXPECT_NEAR(volume.volume, base + wall + cap + corner + outer_strip, 3e-3 * volume.volume);
  EXPECT_LT(volume.center.head<2>().norm(), 1e-12);
}

TEST(Dish, RefusesWhatIsNoDish) {
  const auto message = [](const Dish& dish) { return message_of([&] { make_dish("odd", dish); }); };
  Dish dish = bowl_shape();
  dish.half_thickness = -1;
  EXPECT_NE(message(dish).find("dish 'odd': half thickness is -1"), std::string::npos);
  EXPECT_NE(message({}).find("two points"), std::string::npos);
  dish = bowl_shape();
  dish.outline[2][0] = std::nan("");
  EXPECT_NE(message(dish).find("not finite"), std::string::npos);
}

// ISO 68-1 and 724: the basic diameters of M48 x 5; ISO 965-1: the limits in
// shared/models/FACTS.md.
TEST(Thread, DiametersOfM48) {
  const ThreadDiameters tight = thread_diameters({.fit = 0});
  const ThreadDiameters loose = thread_diameters({.fit = 1});
  const double rounding = 2e-6;  // the standard rounds the allowance 70 um to 71
  EXPECT_NEAR(tight.bolt_major, 47.929e-3, rounding);
  EXPECT_NEAR(tight.bolt_pitch, 44.681e-3, rounding);
  EXPECT_NEAR(tight.bolt_minor, 41.866e-3 - 0.071e-3, rounding);
  EXPECT_NEAR(tight.nut_pitch, 44.752e-3, 1e-6);
  EXPECT_NEAR(tight.nut_minor, 42.587e-3, 1e-6);
  EXPECT_GT(tight.nut_major, 48e-3);
  // Tolerances are rounded to preferred numbers, up to 4 %.
  EXPECT_NEAR(tight.bolt_major - loose.bolt_major, 0.53e-3, 0.04 * 0.53e-3);
  EXPECT_NEAR(tight.bolt_pitch - loose.bolt_pitch, 0.25e-3, 0.04 * 0.25e-3);
  EXPECT_NEAR(loose.nut_pitch - tight.nut_pitch, 0.335e-3, 0.04 * 0.335e-3);
  EXPECT_NEAR(loose.nut_minor - tight.nut_minor, 0.71e-3, 0.04 * 0.71e-3);
}

// The exact distance to the helical surface, by search over its parameters: the height along the
// profile and the azimuth.
double thread_by_search(const ThreadProfile& profile, const Vector3d& p) {
  const double lead = profile.pitch / (2 * pi);
  const double azimuth = std::atan2(p.y(), p.x());
  const auto point = [&](double zeta, double turn) {
    const double angle = azimuth + turn;
    const double rho = profile_radius(profile, zeta);
    return Vector3d(rho * std::cos(angle), rho * std::sin(angle), zeta + lead * angle);
  };
  double best = std::numeric_limits<double>::infinity();
  double zeta = p.z() - lead * azimuth, turn = 0;
  double span_zeta = 0.6 * profile.pitch, span_turn = 0.02;
  for (int round = 0; round < 12; ++round) {
    const double center_zeta = zeta, center_turn = turn;
    for (int i = -30; i <= 30; ++i) {
      for (int j = -30; j <= 30; ++j) {
        const double z = center_zeta + span_zeta * i / 30, t = center_turn + span_turn * j / 30;
        const double d = (point(z, t) - p).norm();
        if (d >= best) continue;
        best = d;
        zeta = z;
        turn = t;
      }
    }
    span_zeta /= 4;
    span_turn /= 4;
  }
  return best;
}

TEST(Thread, DistanceWithinAMicrometre) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const ThreadProfile& profile : {bolt_profile({}), nut_hole_profile({})}) {
    double worst = 0;
    for (int k = 0; k < 60; ++k) {
      const double zeta = profile.pitch * uniform(rng);
      const double angle = pi * uniform(rng);
      const double rho = profile_radius(profile, zeta) + 0.5e-3 * uniform(rng);
      const Vector3d p(rho * std::cos(angle), rho * std::sin(angle),
                       zeta + profile.pitch * angle / (2 * pi));
      Vector3d gradient;
      const double d = thread_distance(profile, p, gradient);
      worst = std::max(worst, std::abs(std::abs(d) - thread_by_search(profile, p)));
    }
    EXPECT_LT(worst, 1e-6);
  }
}

TEST(Thread, MassOfANut) {
  // FACTS.md: hexagonal prism with a bore of the pitch diameter, 0.984 kg; countersinks take a bit.
  const VolumeProperties volume = volume_properties(SdfSolid{make_nut("nut", {})});
  EXPECT_NEAR(7850 * volume.volume, 0.984, 0.02);
}

TEST(Thread, SizesByName) {
  Bolt bolt;
  Nut nut;
  metric_size("M8", bolt, nut);
  EXPECT_DOUBLE_EQ(bolt.thread.pitch, 1.25e-3);
  EXPECT_NO_THROW(make_bolt("m8", bolt));
  EXPECT_NO_THROW(make_nut("m8", nut));
  EXPECT_THROW(metric_size("M9", bolt, nut), InputError);
}

}  // namespace
}  // namespace stiction
