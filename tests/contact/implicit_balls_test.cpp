// [TOD11] IV: balls of different radii in a cube under gravity, h = 5 ms, b = 0, no warm start. The
// paper reports the median number of iterations per step and how often the Newton point was taken:
// for 10 balls and mu = 0.5, 5.3 iterations and 85 %.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>
#include <vector>

#include "contact/implicit.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;

constexpr double kStep = 0.005;  // s
constexpr double kSide = 1;      // m
const Vector3d kGravity(0, 0, -9.81);

struct Ball {
  double radius;
  double mass;
  Vector3d p;
  Vector6 v = Vector6::Zero();
};

std::vector<Ball> random_balls(int count, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Ball> balls;
  while (static_cast<int>(balls.size()) < count) {
    const double radius = 0.08 + 0.1 * unit(random);
    const Vector3d p = Vector3d::NullaryExpr(
        [&](Eigen::Index) { return radius + (kSide - 2 * radius) * unit(random); });
    const bool overlaps = std::any_of(balls.begin(), balls.end(), [&](const Ball& other) {
      return (p - other.p).norm() < radius + other.radius;
    });
    if (overlaps) continue;
    balls.push_back({radius, 1000 * 4 / 3.0 * M_PI * std::pow(radius, 3), p});
    balls.back().v.head<3>() =
        Vector3d::NullaryExpr([&](Eigen::Index) { return 2 * unit(random) - 1; });
  }
  return balls;
}

Port contact_port(int body, const Vector3d& p, const Vector3d& n, double sign) {
  Port port;
  port.body = body;
  const Vector3d t1 = n.unitOrthogonal();
  const Vector3d axes[3] = {t1, n.cross(t1), n};
  for (int r = 0; r < 3; ++r) {
    port.block.row(r) << sign * axes[r].transpose(), sign * p.cross(axes[r]).transpose();
  }
  return port;
}

Problem step_problem(const std::vector<Ball>& balls, double mu) {
  Problem problem;
  for (const Ball& ball : balls) {
    Eigen::Matrix<double, 6, 6> H = ball.mass * Eigen::Matrix<double, 6, 6>::Identity();
    H.bottomRightCorner<3, 3>() *= 0.4 * ball.radius * ball.radius;
    Vector6 momentum = H * ball.v;
    momentum.head<3>() += kStep * ball.mass * kGravity;
    problem.add_rigid_body(H, momentum);
  }
  const int count = static_cast<int>(balls.size());
  for (int i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      for (double wall : {0.0, kSide}) {
        if (std::abs(balls[i].p[axis] - wall) > balls[i].radius) continue;
        const Vector3d n = (wall == 0 ? 1 : -1) * Vector3d::Unit(axis);
        problem.add_constraint({.mu = mu}, {contact_port(i, -balls[i].radius * n, n, 1)},
                               Vector3d::Zero());
      }
    }
    for (int j = 0; j < i; ++j) {
      const Vector3d d = balls[i].p - balls[j].p;
      if (d.norm() > balls[i].radius + balls[j].radius) continue;
      const Vector3d n = d.normalized();
      problem.add_constraint({.mu = mu},
                             {contact_port(i, -balls[i].radius * n, n, 1),
                              contact_port(j, balls[j].radius * n, n, -1)},
                             Vector3d::Zero());
    }
  }
  return problem;
}

TEST(ImplicitBalls, FewIterationsMostlyNewton) {
  std::mt19937 random(1);
  ImplicitStatistics statistics;
  ImplicitOptions options;
  options.statistics = &statistics;
  std::vector<int> iterations;
  int unsolved = 0;
  double contacts = 0;
  for (int run = 0; run < 4; ++run) {
    std::vector<Ball> balls = random_balls(10, random);
    for (int step = 0; step < 200; ++step) {
      const Problem problem = step_problem(balls, 0.5);
      contacts += static_cast<double>(problem.constraints.size()) / 800;
      Solution solution;
      solve_with(problem, options, {.tolerance = 1e-6}, false, solution);
      iterations.push_back(solution.report.iterations);
      if (solution.report.status != Status::kSolved) ++unsolved;
      for (size_t k = 0; k < balls.size(); ++k) {
        balls[k].v = solution.v.segment<6>(6 * static_cast<int>(k));
        balls[k].p += kStep * balls[k].v.head<3>();
      }
    }
  }
  std::nth_element(iterations.begin(), iterations.begin() + 400, iterations.end());
  const double share = static_cast<double>(statistics.newton_accepted) / statistics.iterations;
  EXPECT_GT(contacts, 8);
  EXPECT_LE(iterations[400], 6);
  EXPECT_GE(share, 0.75);
  EXPECT_LE(unsolved, 16);  // of 800; the paper does not say how many of its own
}

}  // namespace
}  // namespace stiction
