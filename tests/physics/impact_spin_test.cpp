// Impacts with friction by closed forms: velocities and spins after them do not depend on how wide
// the gap was when the step began, in which the bodies meet.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "io/mjcf_file.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

struct Ball {
  double m = 1;
  double R = 0.1;
  Vector3d v = Vector3d::Zero();
  Vector3d w = Vector3d::Zero();  // world axes
};

// Balls hit along n, from a to b. Tangential speeds see masses of 2/7, as 1/m + R^2/I = 7/2 1/m:
// friction stops the slip of the two points, or does what it can.
void collide_balls(double e, double mu, const Vector3d& n, Ball& a, Ball& b) {
  const double m = 1 / (1 / a.m + 1 / b.m);
  const Vector3d u = b.v - b.w.cross(b.R * n) - a.v - a.w.cross(a.R * n);
  const double normal = -(1 + e) * m * n.dot(u);
  const Vector3d stick = -2.0 / 7 * m * (u - n.dot(u) * n);
  const Vector3d friction =
      stick.norm() <= mu * normal ? stick : Vector3d(mu * normal * stick.normalized());
  const Vector3d impulse = normal * n + friction;
  a.v -= impulse / a.m;
  b.v += impulse / b.m;
  a.w -= (a.R * n).cross(impulse) / (0.4 * a.m * a.R * a.R);
  b.w += (-b.R * n).cross(impulse) / (0.4 * b.m * b.R * b.R);
}

// Floors and walls: a ball that nothing moves.
constexpr double kHeavy = 1e30;

Simulation ball_above_floor(double h, double mu, double restitution) {
  ModelBuilder builder("ball");
  builder.options().gravity.setZero();
  builder.options().timestep = h;
  add_floor(builder, 0);
  add_free_part(builder,
                {.name = "ball", .shape = Sphere{0.1}, .mu = mu, .restitution = restitution});
  return Simulation(builder.build());
}

// 30 m/s down, 3 cm in a step, from where it meets the floor early or late in one; without spin, in
// mid roll, and with backspin.
TEST(ImpactSpin, OfABallOnTheFloor) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double mu : {0.0, 0.05, 2.0}) {
      Simulation simulation = ball_above_floor(1e-3, mu, e);
      for (const double spin : {0.0, 120.0, -300.0}) {
        for (const double gap : {0.0, 0.004, 0.011, 0.017, 0.029}) {
          State state = simulation.state();
          state.qpos << 0, 0, 0.1 + gap, 1, 0, 0, 0;
          state.qvel << 12, 0, -30, 0, spin, 0;
          simulation.set_state(state);
          for (int k = 0; k < 3; ++k) simulation.step();
          Ball floor{.m = kHeavy};
          Ball ball{.v = {12, 0, -30}, .w = {0, spin, 0}};
          collide_balls(e, mu, Vector3d::UnitZ(), floor, ball);
          EXPECT_LT((simulation.state().qvel.head<3>() - ball.v).norm(), 1e-6)
              << e << ' ' << mu << ' ' << spin << ' ' << gap;
          EXPECT_LT((simulation.state().qvel.tail<3>() - ball.w).norm(), 1e-5)
              << e << ' ' << mu << ' ' << spin << ' ' << gap;
        }
      }
    }
  }
}

// Billiards in space: off the middle, spinning, of different size and mass. The normal is that of
// the start of the step, and so is the closed form's. Linear momentum stays. Where friction acts
// across the gap that the step closes, angular momentum is off by its moment, as the way of a step
// is all along the new velocity (assemble.h).
TEST(ImpactSpin, OfTwoFreeBalls) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto any = [&]() { return Vector3d(unit(random), unit(random), unit(random)); };
  int hits = 0;
  for (int run = 0; run < 60; ++run) {
    const double e = 0.5 + 0.5 * unit(random);
    const double mu = run % 2 == 0 ? 0.1 : 1.0;
    Ball balls[] = {{.m = 0.17, .R = 0.028}, {.m = 0.17 + 0.1 * unit(random), .R = 0.035}};
    ModelBuilder builder("billiards");
    builder.options().gravity.setZero();
    for (int k = 0; k < 2; ++k) {
      add_free_part(builder, {.name = "ball" + std::to_string(k),
                              .shape = Sphere{balls[k].R},
                              .mass = balls[k].m,
                              .mu = mu,
                              .restitution = e});
    }
    Simulation simulation(builder.build());
    State state = simulation.state();
    state.qpos.segment<3>(7) << 0.2, 0.02 * unit(random), 0.02 * unit(random);
    state.qvel << 10, 0, 0, 100 * any(), any(), 100 * any();
    simulation.set_state(state);
    const Vector6d before = momentum(simulation.model(), simulation.tree());
    for (int k = 0; k < 12; ++k) {
      for (int b = 0; b < 2; ++b) {
        balls[b].v = simulation.state().qvel.segment<3>(6 * b);
        balls[b].w =
            simulation.body_pose(1 + b).q * Vector3d(simulation.state().qvel.segment<3>(6 * b + 3));
      }
      simulation.step();
      if (simulation.contacts().empty() || simulation.contacts()[0].force_W.isZero(0)) continue;
      ++hits;
      const ContactForce& contact = simulation.contacts()[0];
      collide_balls(e, mu, contact.R_CW.row(2), balls[0], balls[1]);
      for (int b = 0; b < 2; ++b) {
        const Vector6d V = simulation.body_velocity(1 + b);
        EXPECT_LT((V.head<3>() - balls[b].v).norm(), 1e-6) << run;
        EXPECT_LT((V.tail<3>() - balls[b].w).norm(), 1e-4) << run;
      }
      const Vector6d change = momentum(simulation.model(), simulation.tree()) - before;
      EXPECT_LT(change.head<3>().norm(), 1e-10) << run;
      const Vector3d across = contact.gap * contact.R_CW.row(2);
      const Vector3d moment = across.cross(simulation.timestep() * contact.force_W);
      EXPECT_LT((change.tail<3>() - moment).norm(), 1e-10) << run;
      break;
    }
  }
  EXPECT_GT(hits, 50);
}

// What hits with one point and sticks: the velocity of that very point, not of one in the air
// beside it, is without a tangential part. The point is found from the pose alone.
TEST(ImpactSpin, TheSurfaceSticksNotTheAirBesideIt) {
  struct Solid {
    const char* geom;
    Vector3d (*lowest)(const Vector3d& down);  // of the body, in its frame
  };
  const Solid solids[] = {
      {R"(type="box" size=".05 .08 .12")",
       [](const Vector3d& d) -> Vector3d {
         return Vector3d(.05, .08, .12).cwiseProduct(d.cwiseSign());
       }},
      {R"(type="mesh" mesh="tetrahedron")",
       [](const Vector3d& d) -> Vector3d {
         const Vector3d at = Vector3d::Zero();
         Vector3d best = at;
         for (int k = 0; k < 3; ++k) {
           const Vector3d corner = at + 0.1 * Vector3d::Unit(k);
           if (corner.dot(d) > best.dot(d)) best = corner;
         }
         return best;
       }},
      {R"(type="cylinder" size=".05 .1")",
       [](const Vector3d& d) -> Vector3d {
         const Vector3d across = Vector3d(d[0], d[1], 0).normalized();
         return 0.05 * across + std::copysign(0.1, d[2]) * Vector3d::UnitZ();
       }},
      {R"(type="capsule" size=".05 .1")",
       [](const Vector3d& d) -> Vector3d {
         return 0.05 * d + std::copysign(0.1, d[2]) * Vector3d::UnitZ();
       }},
      {R"(type="ellipsoid" size=".05 .08 .12")", [](const Vector3d& d) -> Vector3d {
         const Vector3d size(.05, .08, .12);
         return size.cwiseProduct(size.cwiseProduct(d)) / size.cwiseProduct(d).norm();
       }}};
  const char* const floors[] = {R"(<geom type="plane" size="9 9 1"/>)",
                                R"(<geom type="box" size="9 9 .5" pos="0 0 -.5"/>)"};
  int hits = 0;
  for (const Solid& solid : solids) {
    for (const char* floor : floors) {
      Simulation simulation(
          model_of(std::string(R"(<option gravity="0 0 0" timestep="0.001"/>
        <asset><mesh name="tetrahedron" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset>
        <custom><numeric name="stiction:restitution" data="0.3"/></custom>
        <worldbody>)") +
                   floor + R"(<body euler="25 35 15"><freejoint/><geom friction="20" mass="1" )" +
                   solid.geom + "/></body></worldbody>"));
      for (const double gap : {0.0005, 0.003, 0.0055}) {
        State state = simulation.state();
        const Eigen::Quaterniond q = simulation.body_pose(1).q;
        const Vector3d r = q * solid.lowest(q.conjugate() * -Vector3d::UnitZ());
        state.qpos.head<3>() << 0, 0, gap - r[2];
        state.qpos.segment<4>(3) << q.w(), q.vec();
        state.qvel << 1.2, -0.9, -6, 0, 0, 0;
        simulation.set_state(state);
        simulation.step();
        int touching = 0;
        for (const ContactForce& contact : simulation.contacts()) {
          touching += contact.force_W.norm() > 0;
        }
        if (touching != 1) continue;
        ++hits;
        // The twist is that of the end of the step, in world axes; the arm is of its start.
        const Vector3d w = q * Vector3d(simulation.state().qvel.tail<3>());
        const Vector3d u = simulation.state().qvel.head<3>() + w.cross(r);
        EXPECT_LT(u.head<2>().norm(), 1e-5) << solid.geom << floor << gap;
        simulation.reset();
      }
    }
  }
  EXPECT_GT(hits, 25);
}

}  // namespace
}  // namespace stiction
