// What an iteration of SubADMM costs: nanoseconds per contact-iteration on piles of free bodies
// (whole iteration: velocities, impulses, beta, residuals), how it grows with contacts and bodies
// over a decade and a half, and that the growth is linear.
#include <stiction/solve.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "contact/islands.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kStep = 1.0 / 240;
constexpr double kRadius = 0.05;
constexpr int kRounds = 5;

Matrix3d skew(const Vector3d& p) {
  Matrix3d m;
  m << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0;
  return m;
}

// A point at r from the body's centre, in a frame whose third axis is n.
Port point_port(int body, const Vector3d& r, const Vector3d& n, double sign) {
  Matrix3d R_CW;
  R_CW.row(2) = n.transpose();
  R_CW.row(0) = n.unitOrthogonal().transpose();
  R_CW.row(1) = n.cross(Vector3d(R_CW.row(0))).transpose();
  Port port;
  port.body = body;
  port.block << sign * R_CW, -sign * R_CW * skew(r);
  return port;
}

// Spheres on a shaken lattice: every sphere touches its neighbours below and to the sides.
Problem lattice(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Problem problem;
  std::vector<Vector3d> centre;
  const auto at = [&](int x, int y, int z) { return (z * width + y) * width + x; };
  for (int z = 0; z < height; ++z) {
    for (int y = 0; y < width; ++y) {
      for (int x = 0; x < width; ++x) {
        const double mass = 0.5 * std::exp(0.5 * uniform(random));
        Eigen::Matrix<double, 6, 6> H = Eigen::Matrix<double, 6, 6>::Zero();
        H.diagonal() << mass, mass, mass, Vector3d::Constant(0.4 * mass * kRadius * kRadius);
        Eigen::Matrix<double, 6, 1> v0;
        for (int k = 0; k < 6; ++k) v0[k] = 0.2 * uniform(random);
        v0[2] -= 9.81 * kStep;
        problem.add_rigid_body(H, H * v0);
        centre.push_back(2 * kRadius * Vector3d(x, y, z) +
                         0.1 * kRadius * Vector3d(uniform(random), uniform(random), 0));
      }
    }
  }
  const auto touch = [&](int a, int b) {
    const Vector3d n = (centre[a] - centre[b]).normalized();
    problem.add_constraint({.mu = 0.5},
                           {point_port(a, -kRadius * n, n, 1), point_port(b, kRadius * n, n, -1)},
                           Vector3d::Zero());
  };
  for (int z = 0; z < height; ++z) {
    for (int y = 0; y < width; ++y) {
      for (int x = 0; x < width; ++x) {
        if (z == 0) {
          problem.add_constraint({.mu = 0.5},
                                 {point_port(at(x, y, 0), {0, 0, -kRadius}, Vector3d::UnitZ(), 1)},
                                 Vector3d::Zero());
        } else {
          touch(at(x, y, z), at(x, y, z - 1));
        }
        if (x > 0) touch(at(x, y, z), at(x - 1, y, z));
        if (y > 0) touch(at(x, y, z), at(x, y - 1, z));
      }
    }
  }
  return problem;
}

// Processor time of this thread: other programs on the machine do not count.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double solve_seconds(const Problem& problem, const SubAdmmOptions& options, int iterations) {
  const DynamicsFactor factor(problem);
  ResidualEvaluator residual(problem, factor);
  Start start;
  start.lambda = Eigen::VectorXd::Zero(problem.n_c());
  start.v = problem.b;
  factor.solve_in_place(start.v);
  Budget budget{.tolerance = 0, .max_iterations = iterations};
  Deadline deadline(budget.max_seconds);
  Monitor monitor(residual, budget, deadline, iterations, false);
  const double begin = cpu_seconds();
  solve_subadmm(problem, factor, options, start, monitor);
  return cpu_seconds() - begin;
}

// The time of an iteration: best of several long solves less short ones, setup excluded.
double iteration_seconds(const Problem& problem, const SubAdmmOptions& options) {
  constexpr int kShort = 20;
  constexpr int kLong = 220;
  double best_short = 1e30, best_long = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    best_short = std::min(best_short, solve_seconds(problem, options, kShort));
    best_long = std::min(best_long, solve_seconds(problem, options, kLong));
  }
  return (best_long - best_short) / (kLong - kShort);
}

// Of the straight line through the points.
double r_squared(const std::vector<double>& x, const std::vector<double>& y) {
  const Eigen::Map<const Eigen::ArrayXd> X(x.data(), static_cast<int>(x.size()));
  const Eigen::Map<const Eigen::ArrayXd> Y(y.data(), static_cast<int>(y.size()));
  const Eigen::ArrayXd dx = X - X.mean(), dy = Y - Y.mean();
  return std::pow((dx * dy).sum(), 2) / (dx.square().sum() * dy.square().sum());
}

void measure(const char* title, const std::vector<std::pair<int, int>>& sizes) {
  std::printf("%s\n%10s %10s %14s %22s\n", title, "bodies", "contacts", "us/iteration",
              "ns/contact-iteration");
  std::vector<Problem> problems;
  std::vector<double> contacts, seconds(sizes.size(), 1e30);
  for (const auto& [width, height] : sizes) {
    problems.push_back(lattice(width, height, 1));
    contacts.push_back(static_cast<double>(problems.back().constraints.size()));
  }
  for (int round = 0; round < kRounds; ++round) {  // all sizes see the same noise of the machine
    for (size_t k = 0; k < problems.size(); ++k) {
      seconds[k] = std::min(seconds[k], iteration_seconds(problems[k], {}));
    }
  }
  for (size_t k = 0; k < problems.size(); ++k) {
    std::printf("%10zu %10.0f %14.2f %22.2f\n", problems[k].bodies.size(), contacts[k],
                1e6 * seconds[k], 1e9 * seconds[k] / contacts[k]);
  }
  std::printf("R^2 of time over contacts: %.5f\n\n", r_squared(contacts, seconds));
}

int run() {
  measure("SubADMM, piles of spheres, one thread; up to 1 MB",
          {{3, 3}, {4, 4}, {5, 4}, {6, 5}, {7, 6}, {7, 8}, {8, 8}, {9, 9}});
  measure("beyond the second-level cache of many machines",
          {{9, 9}, {11, 10}, {12, 12}, {14, 14}, {15, 15}});
  return 0;
}

}  // namespace
}  // namespace stiction

int main() { return stiction::run(); }
