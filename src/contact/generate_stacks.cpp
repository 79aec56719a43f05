// Things on top of each other: bowls, dishes, discs and towers of boxes.
#include <cmath>
#include <numbers>

#include "contact/generate.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// `count` contacts on a circle about the vertical through `centre`. The normals lean outward-in by
// `tilt`, as on the inside of a bowl: upward and towards the axis.
struct Ring {
  Vector3d centre = Vector3d::Zero();
  double radius = 0;
  double tilt = 0;  ///< rad from the vertical
  double phase = 0;
  int count = 0;
};

// gap(k) is the gap of contact k.
template <class Gap>
void add_ring(GeneratedScene& scene, int upper, int lower, const Ring& ring, double mu,
              const Gap& gap) {
  for (int k = 0; k < ring.count; ++k) {
    const double angle = ring.phase + 2 * std::numbers::pi * k / ring.count;
    const Vector3d out(std::cos(angle), std::sin(angle), 0);
    const Vector3d n = std::cos(ring.tilt) * Vector3d::UnitZ() - std::sin(ring.tilt) * out;
    scene.add_contact(upper, lower, ring.centre + ring.radius * out, n, mu, gap(k));
  }
}

double no_gap(int) { return 0; }

Motion mild_motion(Random& random, double mass) {
  Motion motion;
  motion.velocity = random.in_ball(0.05);
  motion.spin = random.in_ball(0.5);
  motion.force = random.in_ball(0.5 * mass * kGravity);
  motion.torque = random.in_ball(0.02 * mass * kGravity);
  return motion;
}

Eigen::Matrix3d bowl_inertia(double mass, double radius) {
  return 0.5 * mass * radius * radius * Eigen::DiagonalMatrix<double, 3>(1, 1, 1.5).toDenseMatrix();
}

}  // namespace

// The light bowl stands on its foot, the heavy one sits inside it. Lifting both, the upper one
// faster, opens every contact within the dual cone as long as tan(tilt) < 1 / mu.
Problem generate_stack(GenerateContext& context) {
  Random& random = context.random;
  const int contacts = context.size(20, 60);
  const double mu = context.mu({0.1, 0.3, 0.5, 1, 1.5, 2});
  const double light = 0.1;
  const double heavy = light * context.mass_ratio(50);
  const double radius = random.uniform(0.06, 0.1);
  const double tilt = random.uniform(0.1, 0.9) * std::min(1.0, std::atan(1 / std::max(mu, 0.1)));
  GeneratedScene scene;
  const int lower =
      scene.add_body(light, bowl_inertia(light, radius), {0, 0, 0.04}, mild_motion(random, light));
  const int upper =
      scene.add_body(heavy, bowl_inertia(heavy, radius), {0, 0, 0.08}, mild_motion(random, heavy));
  const auto gap = [&](int) { return random.uniform(0, 1) < 0.6 ? 0 : random.uniform(0, 2e-4); };
  const int floor = contacts / 2;
  Ring foot{{0, 0, 0}, 0.5 * radius, 0, random.uniform(0, 1), floor / 2};
  Ring foot_edge{{0, 0, 0}, 0.6 * radius, 0, random.uniform(0, 1), floor - floor / 2};
  Ring wall{{0, 0, 0.05}, 0.8 * radius, 0.8 * tilt, random.uniform(0, 1), (contacts - floor) / 2};
  Ring rim{{0, 0, 0.07}, radius, tilt, random.uniform(0, 1), 0};
  rim.count = contacts - floor - wall.count;
  add_ring(scene, lower, -1, foot, mu, gap);
  add_ring(scene, lower, -1, foot_edge, mu, gap);
  add_ring(scene, upper, lower, wall, mu, gap);
  add_ring(scene, upper, lower, rim, mu, gap);
  return scene.problem;
}

// Seed 0 rests under gravity alone; other seeds push sideways, below what friction can hold.
Problem generate_tower(GenerateContext& context) {
  Random& random = context.random;
  const int boxes = context.options.size > 0 ? context.options.size : 10;
  const double mu = context.options.mu >= 0 ? context.options.mu : 0.5;
  const double ratio = context.mass_ratio(50);
  const Vector3d half(0.05, 0.05, 0.05);
  GeneratedScene scene;
  for (int k = 0; k < boxes; ++k) {
    const double mass = k + 1 == boxes ? ratio : 1;
    Motion motion;
    if (context.seed != 0) {
      motion.force = random.in_ball(0.05 * mass * kGravity);
      motion.torque = random.in_ball(0.002 * mass * kGravity);
    }
    const int box =
        scene.add_body(mass, box_inertia(mass, half), {0, 0, (2 * k + 1) * half[2]}, motion);
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3d p(corner & 1 ? half[0] : -half[0], corner & 2 ? half[1] : -half[1],
                       2 * k * half[2]);
      scene.add_contact(box, box - 1, p, Vector3d::UnitZ(), mu, 0);
    }
  }
  return scene.problem;
}

// Four dishes of 0.3 kg nested in each other, at rest.
Problem generate_dish(GenerateContext& context) {
  Random& random = context.random;
  const int contacts = context.options.size > 0 ? context.options.size : 100;
  const double mu = context.options.mu >= 0 ? context.options.mu : 0.5;
  const double mass = 0.3;
  const double radius = 0.08;
  const int dishes = 4;
  GeneratedScene scene;
  int left = contacts;
  for (int k = 0; k < dishes; ++k) {
    const int dish = scene.add_body(mass, bowl_inertia(mass, radius), {0, 0, 0.02 + 0.01 * k}, {});
    Ring ring{{0, 0, 0.01 * k},
              k == 0 ? 0.5 * radius : 0.9 * radius,
              k == 0 ? 0 : 0.35,
              context.seed == 0 ? 0 : random.uniform(0, 1),
              left / (dishes - k)};
    add_ring(scene, dish, dish - 1, ring, mu, no_gap);
    left -= ring.count;
  }
  return scene.problem;
}

Problem generate_discs(GenerateContext& context) {
  Random& random = context.random;
  const int discs = context.options.size > 0 ? context.options.size : 5;
  const double mu = context.mu({0.3, 0.5, 0.8});
  GeneratedScene scene;
  for (int k = 0; k < discs; ++k) {
    const double mass = random.uniform(0.2, 1);
    const double radius = random.uniform(0.05, 0.08);
    const int disc = scene.add_body(mass, bowl_inertia(mass, radius), {0, 0, 0.02 * k + 0.01}, {});
    const Ring ring{{0, 0, 0.02 * k}, 0.8 * radius, 0, random.uniform(0, 1), 12};
    add_ring(scene, disc, disc - 1, ring, mu, no_gap);
  }
  return scene.problem;
}

}  // namespace stiction
