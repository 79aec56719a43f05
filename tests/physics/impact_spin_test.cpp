// Impacts with friction by closed forms: velocities and spins after them do not depend on how wide
// the gap was when the step began, in which the bodies meet.
#include <gtest/gtest.h>
#include <stiction/sdf.h>
#include <stiction/simulation.h>

#include <Eigen/Geometry>
#include <cmath>
#include <iterator>
#include <memory>
#include <numbers>
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

// A ball of triangles with a corner at either pole.
Shape mesh_ball(double R) {
  TriangleMesh mesh{"ball", {{0, 0, -R}, {0, 0, R}}, {}};
  constexpr int kSectors = 24, kRings = 11;
  for (int ring = 1; ring <= kRings; ++ring) {
    const double polar = std::numbers::pi * ring / (kRings + 1);
    for (int k = 0; k < kSectors; ++k) {
      const double turn = 2 * std::numbers::pi * k / kSectors;
      mesh.vertices.emplace_back(R * std::sin(polar) * std::cos(turn),
                                 R * std::sin(polar) * std::sin(turn), -R * std::cos(polar));
    }
  }
  for (int k = 0; k < kSectors; ++k) {
    const int next = (k + 1) % kSectors, top = 2 + (kRings - 1) * kSectors;
    mesh.triangles.emplace_back(0, 2 + next, 2 + k);
    mesh.triangles.emplace_back(1, top + k, top + next);
    for (int ring = 0; ring + 1 < kRings; ++ring) {
      const int a = 2 + ring * kSectors, b = a + kSectors;
      mesh.triangles.emplace_back(a + k, a + next, b + next);
      mesh.triangles.emplace_back(a + k, b + next, b + k);
    }
  }
  return ConvexMesh{std::make_shared<const TriangleMesh>(mesh)};
}

// Every other kind of floor and ball. Those of triangles have contacts all over their lower side,
// as their speed brings it near, of which the lowest is hit.
TEST(ImpactSpin, OfBallsAndFloorsOfAllKinds) {
  const auto triangles = std::make_shared<const TriangleMesh>(TriangleMesh{
      "floor", {{-1, -1, 0.1}, {1, -1, 0.1}, {1, 1, 0.1}, {-1, 1, 0.1}}, {{0, 1, 2}, {0, 2, 3}}});
  const auto grid = std::make_shared<const HeightGrid>(
      HeightGrid{"grid", 3, 3, std::vector<double>(9, 0.1), {1, 1}, 0.1});
  const Shape box = Box{{1, 1, 0.1}};
  const Shape floors[] = {box, MeshSurface{triangles}, HeightField{grid},
                          SdfSolid{make_primitive("box", box, 0.2)}};
  const double R = 0.1;
  const Shape balls[] = {Sphere{R}, SdfSolid{make_primitive("ball", Sphere{R}, 0.02)},
                         mesh_ball(R)};
  for (size_t k = 0; k < std::size(floors); ++k) {
    for (size_t j = 0; j < std::size(balls); ++j) {
      ModelBuilder builder("floor");
      builder.options().gravity.setZero();
      builder.options().timestep = 1e-3;
      add_static_part(builder, {.name = "floor", .shape = floors[k], .p = {0, 0, -0.1}, .mu = 0});
      const int body = add_free_part(builder, {.name = "ball",
                                               .shape = balls[j],
                                               .p = {0.2, 0.1, R + 0.017},
                                               .mu = 2,
                                               .restitution = 0.5});
      Simulation simulation(builder.build());
      State state = simulation.state();
      state.qvel << 12, 0, -30, 0, 0, 0;
      simulation.set_state(state);
      for (int step = 0; step < 3; ++step) simulation.step();
      const double I = simulation.model().bodies[body].inertia(1, 1);  // of its facets
      const double spin = 12 * R / (I + R * R);
      EXPECT_NEAR(simulation.state().qvel[0], spin * R, 1e-3) << k << ' ' << j;
      EXPECT_NEAR(simulation.state().qvel[2], 15, 1e-3) << k << ' ' << j;
      EXPECT_NEAR(simulation.state().qvel[4], spin, 1e-2) << k << ' ' << j;
    }
  }
}

// Where two balls touch that keep their velocities.
Vector3d normal_of_meeting(const Ball& a, const Ball& b, const Vector3d& from_a_to_b) {
  const Vector3d v = b.v - a.v;
  const double p = from_a_to_b.dot(v) / v.squaredNorm();
  const double q = (from_a_to_b.squaredNorm() - (a.R + b.R) * (a.R + b.R)) / v.squaredNorm();
  const double time = -p - std::sqrt(p * p - q);
  return (from_a_to_b + time * v).normalized();
}

// Billiards in space: off the middle, spinning, of different size and mass, at up to 4 cm a step.
// They leave in the directions of where they met. Linear momentum stays; angular momentum is off by
// the moment of an impulse at two points that are still apart, as the way of a step is all along
// the new velocity (assemble.h).
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
      const Vector3d apart = simulation.body_pose(2).p - simulation.body_pose(1).p;
      simulation.step();
      if (simulation.contacts().empty() || simulation.contacts()[0].force_W.isZero(0)) continue;
      ++hits;
      const ContactForce& contact = simulation.contacts()[0];
      collide_balls(e, mu, normal_of_meeting(balls[0], balls[1], apart), balls[0], balls[1]);
      for (int b = 0; b < 2; ++b) {
        const Vector6d V = simulation.body_velocity(1 + b);
        EXPECT_LT((V.head<3>() - balls[b].v).norm(), 0.01) << run;
        EXPECT_LT((V.tail<3>() - balls[b].w).norm(), 1) << run;
      }
      const Vector6d change = momentum(simulation.model(), simulation.tree()) - before;
      EXPECT_LT(change.head<3>().norm(), 1e-10) << run;
      const Vector3d across = contact.point_on(2) - contact.point_on(1);
      const Vector3d moment = across.cross(simulation.timestep() * contact.force_W);
      EXPECT_LT((change.tail<3>() - moment).norm(), 1e-10) << run;
      break;
    }
  }
  EXPECT_GT(hits, 50);
}

// Gaps that are small beside them are closed at one point: both momenta stay, while the two rub.
TEST(ImpactSpin, OfTwoSlowBodiesKeepsTheirAngularMomentum) {
  for (const double restitution : {0.0, 0.7}) {
    ModelBuilder builder("pair");
    builder.options().gravity.setZero();
    for (const char* name : {"a", "b"}) {
      add_free_part(
          builder,
          {.name = name, .shape = Sphere{0.06}, .mass = 1, .mu = 0.8, .restitution = restitution});
    }
    Simulation simulation(builder.build());
    State state = simulation.state();
    state.qpos.segment<3>(7) << 0.1203, 0.002, 0.001;
    state.qvel << 0.03, 0.02, 0, 0, 3, 2, -0.02, 0, 0.01, 0, 1, -3;
    simulation.set_state(state);
    const Vector6d before = momentum(simulation.model(), simulation.tree());
    double friction = 0;
    for (int k = 0; k < 480; ++k) {
      simulation.step();
      for (const ContactForce& contact : simulation.contacts()) {
        friction += simulation.timestep() * (contact.R_CW * contact.force_W).head<2>().norm();
      }
    }
    EXPECT_GT(friction, 1e-3);
    const Vector6d lost = momentum(simulation.model(), simulation.tree()) - before;
    EXPECT_LT(lost.norm(), 1e-12) << restitution;
  }
}

// A ball that rolls against a frictionless wall keeps its spin, which then is backspin: of its way
// back 5/7 stay, less 2/7 of the spin.
TEST(ImpactSpin, ABallThatRolledIntoAWallRollsBackWithThreeSevenths) {
  Simulation simulation(model_of(R"(
    <custom><numeric name="stiction:restitution:wall" data="1"/></custom>
    <default><geom friction="0.5"/></default>
    <worldbody><geom type="plane" size="9 9 1"/>
      <geom name="wall" type="box" size=".1 1 1" pos="0.6 0 0" priority="1" friction="0"/>
      <body pos="0 0 .05"><freejoint/><geom size=".05" mass="1"/></body>
    </worldbody>)"));
  State state = simulation.state();
  state.qvel << 3, 0, 0, 0, 60, 0;
  simulation.set_state(state);
  while (simulation.state().time < 1.2) simulation.step();
  // The floor slows the spin in the very step of the impact, which is no part of the closed form.
  const double slack = 1.01 * 5.0 / 7 * 0.5 * 9.81 * simulation.timestep();
  EXPECT_NEAR(simulation.state().qvel[0], -3.0 / 7 * 3, slack);
  EXPECT_NEAR(simulation.state().qvel[4], simulation.state().qvel[0] / 0.05, 1e-4);
  EXPECT_NEAR(simulation.state().qpos[2], 0.05, 1e-6);
}

// A superball: after its first bounce it rolls on the floor while it touches it, and keeps
// 5/7 of its way along, its spin and its height for ever.
TEST(ImpactSpin, ASuperballKeepsWhatItsFirstBounceLeaves) {
  Simulation simulation = ball_above_floor(1e-3, 0.9, 1);
  Model model = simulation.model();
  model.options.gravity = {0, 0, -9.81};
  Simulation bouncing(model);
  State state = bouncing.state();
  state.qpos[2] = 0.6;
  state.qvel[0] = 2;
  bouncing.set_state(state);
  double highest = 0;
  for (int k = 0; k < 10000; ++k) {
    bouncing.step();
    if (k > 9000) highest = std::max(highest, bouncing.state().qpos[2]);
  }
  EXPECT_NEAR(bouncing.state().qvel[0], 10.0 / 7, 1e-6);
  EXPECT_NEAR(bouncing.state().qvel[4], 10.0 / 7 / 0.1, 1e-5);
  EXPECT_NEAR(highest, 0.6, 0.005);  // a step's way
}

// In the plane, a rod hits the floor with its end: K maps impulses there to velocities. It sticks
// if the cone allows, else it slips, to the side that it slips to in the end. Rods that would gain
// energy by Newton's rule (Kane's paradox) keep what they have.
TEST(ImpactSpin, OfARodOnItsEnd) {
  const double m = 0.7, I = 0.7 / 12;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  int sticks = 0, slips = 0, limited = 0;
  for (const double e : {0.2, 0.8, 1.0}) {
    for (const double mu : {0.1, 0.4, 1.0}) {
      ModelBuilder builder("rod");
      builder.options().gravity.setZero();
      builder.options().timestep = 5e-4;
      add_floor(builder, 0);
      const int body = add_free_part(
          builder,
          {.name = "rod", .shape = Capsule{0.01, 0.5}, .mass = m, .mu = mu, .restitution = e});
      Model model = builder.build();
      model.bodies[body].inertia = Vector3d(I, I, 1e-4).asDiagonal();
      Simulation simulation(model);
      for (int run = 0; run < 20; ++run) {
        const double angle = 0.8 + 0.6 * unit(random);  // from the floor, lower end at -x
        const Eigen::Quaterniond q(
            Eigen::AngleAxisd(std::numbers::pi / 2 - angle, Vector3d::UnitY()));
        const double x = -0.5 * std::cos(angle), z = -0.5 * std::sin(angle) - 0.01;
        const Vector3d start(4 * unit(random), -5, 3 * unit(random));  // vx, vz, spin about y
        State state = simulation.state();
        state.qpos << 0, 0, -z + 0.0006 * (1 + unit(random)), q.w(), q.x(), q.y(), q.z();
        state.qvel << start[0], 0, start[1], 0, start[2], 0;
        simulation.set_state(state);
        Eigen::Matrix<double, 2, 3> J;  // velocity of the end
        J << 1, 0, z, 0, 1, -x;
        const Vector3d inverse(1 / m, 1 / m, 1 / I);
        const Eigen::Matrix2d K = J * inverse.asDiagonal() * J.transpose();
        const Eigen::Vector2d u = J * start;
        if (u[1] > -2) continue;
        Eigen::Vector2d impulse = K.inverse() * Eigen::Vector2d(-u[0], -(1 + e) * u[1]);
        const bool stick = std::abs(impulse[0]) <= mu * impulse[1];
        for (const double side : {-1.0, 1.0}) {
          if (stick) break;
          const double normal = -(1 + e) * u[1] / (K(1, 1) - side * mu * K(1, 0));
          const Eigen::Vector2d slip(-side * mu * normal, normal);
          if (side * (u + K * slip)[0] > 0) impulse = slip;
        }
        const Vector3d after = start + inverse.cwiseProduct(J.transpose() * impulse);
        const double gain = (u + K * impulse / 2).dot(impulse);
        const double before = simulation.energy().kinetic;
        simulation.step();
        const Eigen::VectorXd& v = simulation.state().qvel;
        EXPECT_LT(simulation.energy().kinetic, before * (1 + 1e-6));
        if (gain > 0) {
          ++limited;
          EXPECT_NEAR(simulation.energy().kinetic, before, 0.02 * before);
          continue;
        }
        ++(stick ? sticks : slips);
        EXPECT_LT((Vector3d(v[0], v[2], v[4]) - after).norm(), 1e-4)
            << e << ' ' << mu << ' ' << angle << ' ' << start.transpose();
      }
    }
  }
  EXPECT_GT(sticks, 20);
  EXPECT_GT(slips, 20);
  EXPECT_GT(limited, 2);
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
        // After the impact the centre of mass keeps its velocity, of 1 kg, and w the body's axes;
        // the arm is that of the start of the step.
        const Vector3d w = q * Vector3d(simulation.state().qvel.tail<3>());
        const Vector3d v_c = momentum(simulation.model(), simulation.tree()).head<3>();
        const Vector3d u = v_c + w.cross(r - q * simulation.model().bodies[1].com);
        EXPECT_LT(u.head<2>().norm(), 1e-5) << solid.geom << floor << gap;
        simulation.reset();
      }
    }
  }
  EXPECT_GT(hits, 25);
}

}  // namespace
}  // namespace stiction
