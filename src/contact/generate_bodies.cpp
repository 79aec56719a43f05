// A nut on its thread, boxes pushed over the floor, a body in a groove, a point, and nothing.
#include <cmath>
#include <numbers>

#include "contact/generate.h"

namespace stiction {

using Eigen::Vector3d;

// Points on a helix, by turns on the upper and on the lower flank of the thread, each with a
// clearance: v = 0 is inside every dual cone.
Problem generate_nut(GenerateContext& context) {
  Random& random = context.random;
  const int contacts = context.size(60, 120);
  const double mu = context.mu({0.1, 0.2, 0.3, 0.5, 0.8});
  const double mass = 0.2;
  const double radius = random.uniform(0.01, 0.03);
  const double pitch = 0.1 * radius;
  const double flank = std::numbers::pi / 6;
  const double turns = random.uniform(3, 5);
  Motion motion;
  motion.velocity = random.in_ball(0.05);
  motion.spin = random.in_ball(2);
  motion.force = random.in_ball(5 * mass * kGravity);
  motion.torque = random.in_ball(5 * mass * kGravity * radius);
  GeneratedScene scene;
  const Vector3d size(2 * radius, 2 * radius, radius);
  const int nut = scene.add_body(mass, box_inertia(mass, size), {0, 0, 0}, motion);
  for (int k = 0; k < contacts; ++k) {
    const double angle = 2 * std::numbers::pi * turns * (k + random.uniform(0, 0.5)) / contacts;
    const Vector3d out(std::cos(angle), std::sin(angle), 0);
    const Vector3d along =
        Vector3d(-std::sin(angle), std::cos(angle), pitch / (2 * std::numbers::pi * radius))
            .normalized();
    const Vector3d across = out.cross(along);  // axial, square to the thread
    const double side = k % 2 == 0 ? 1 : -1;
    const Vector3d n = std::sin(flank) * out + side * std::cos(flank) * across;
    const double z = pitch * (angle / (2 * std::numbers::pi) - 0.5 * turns);
    scene.add_contact(nut, -1, radius * out + Vector3d(0, 0, z), n, mu,
                      random.log_uniform(1e-6, 1e-4));
  }
  return scene.problem;
}

// Boxes in a row, four contacts each with the floor and four with the next one. Lifting all while
// spreading them slowly along the row is inside every dual cone.
Problem generate_slide(GenerateContext& context) {
  Random& random = context.random;
  const int boxes = context.size(2, 8);
  const Vector3d half(0.1, 0.1, 0.05);
  Vector3d push(random.uniform(-2, 2), random.uniform(-1, 1), 0);
  GeneratedScene scene;
  for (int k = 0; k < boxes; ++k) {
    const double mass = random.log_uniform(0.2, 5);
    const Vector3d centre(2 * half[0] * k, 0, half[2]);
    Motion motion;
    motion.velocity = push + random.in_ball(0.3);
    motion.spin = random.in_ball(0.5);
    motion.force = random.in_ball(0.5 * mass * kGravity);
    const int box = scene.add_body(mass, box_inertia(mass, half), centre, motion);
    for (int corner = 0; corner < 4; ++corner) {
      const double s = corner & 1 ? 1 : -1;
      const double t = corner & 2 ? 1 : -1;
      scene.add_contact(box, -1, centre + Vector3d(s * half[0], t * half[1], -half[2]),
                        Vector3d::UnitZ(), context.mu({0.1, 0.3, 0.5, 1, 1.5, 2}), 0);
    }
    for (int corner = 0; k > 0 && corner < 4; ++corner) {
      const double s = corner & 1 ? 1 : -1;
      const double t = corner & 2 ? 1 : -1;
      scene.add_contact(box, box - 1, centre + Vector3d(-half[0], s * half[1], t * half[2]),
                        Vector3d::UnitX(), context.mu({0.1, 0.3, 0.5, 1, 1.5, 2}), 0);
    }
  }
  return scene.problem;
}

// A box pressed into a groove whose walls stand at the angle phi from the vertical, already
// too deep by up to 0.1 mm on both sides. To rise, it would have to slide against friction that
// pulls down more than the walls push up, tan(phi) < mu: no solution.
Problem generate_wedge(GenerateContext& context) {
  Random& random = context.random;
  const int contacts = context.options.size > 0 ? context.options.size : 8;
  const double mu = context.mu({0.8, 1, 1.5, 2});
  const double phi = random.uniform(0.3, 0.8) * std::atan(std::max(mu, 0.05));
  const double mass = random.uniform(0.5, 2);
  Motion motion;
  motion.force = Vector3d(0, 0, -5 * mass * kGravity) + random.in_ball(0.5 * mass * kGravity);
  GeneratedScene scene;
  const int box = scene.add_body(mass, box_inertia(mass, {0.05, 0.05, 0.05}), {0, 0, 0}, motion);
  for (int k = 0; k < contacts; ++k) {
    const double side = k % 2 == 0 ? 1 : -1;
    const double along = k & 2 ? 0.05 : -0.05;
    const double up = k & 4 ? 0.05 : -0.05;
    const Vector3d n(-side * std::cos(phi), 0, std::sin(phi));
    const Vector3d p(side * (0.05 + up * std::tan(phi)), along, up);
    scene.add_contact(box, -1, p, n, mu, -random.uniform(2e-5, 1e-4));
  }
  return scene.problem;
}

Problem generate_empty(GenerateContext& context) {
  Random& random = context.random;
  const int bodies = context.options.size > 0 ? context.options.size : 3;
  GeneratedScene scene;
  for (int k = 0; k < bodies; ++k) {
    const double mass = random.log_uniform(0.1, 10);
    Motion motion;
    motion.velocity = random.in_ball(1);
    motion.spin = random.in_ball(1);
    scene.add_body(mass, sphere_inertia(mass, 0.1), random.in_ball(1), motion);
  }
  return scene.problem;
}

// A sphere that touches the floor below its centre, moving at v with
//   open   v_n > 0;   stick   2/7 |v_t| < mu |v_n|;   slip   2/7 |v_t| > mu |v_n|
// (2/7 m is the mass that a solid sphere shows to a tangential impulse).
Problem generate_one(GenerateContext& context) {
  Random& random = context.random;
  const double mass = random.log_uniform(0.1, 10);
  const double radius = random.uniform(0.05, 0.2);
  const double mu = context.options.mu >= 0 ? context.options.mu : random.uniform(0.2, 1);
  const int mode = static_cast<int>(context.seed % 3);
  const double v_n = mode == 0 ? random.uniform(0.1, 1) : -random.uniform(0.1, 1);
  const double limit = 3.5 * mu * std::abs(v_n);
  const double v_t = limit * (mode == 1 ? random.uniform(0.1, 0.8) : random.uniform(1.2, 3));
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  Motion motion;
  motion.velocity = Vector3d(v_t * std::cos(angle), v_t * std::sin(angle), v_n);
  motion.force = Vector3d(0, 0, mass * kGravity);  // weightless: v is the velocity that comes in
  GeneratedScene scene;
  const int body = scene.add_body(mass, sphere_inertia(mass, radius), {0, 0, radius}, motion);
  scene.add_contact(body, -1, {0, 0, 0}, Vector3d::UnitZ(), mu, 0);
  return scene.problem;
}

}  // namespace stiction
