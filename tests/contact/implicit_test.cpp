// [TOD11]: hybrid variables, the geometry of their edges, and the paper's claims.
#include "contact/implicit.h"

#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <random>

#include "contact/implicit_edges.h"
#include "contact/sample_problems.h"
#include "contact/solvers.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

class HybridTest : public testing::Test {
 protected:
  Vector3d random_point() {
    std::normal_distribution<double> normal;
    return {normal(random_), normal(random_), normal(random_)};
  }
  static HybridLaw contact_law(const Constraint& contact, double root_mass) {
    return {&contact, root_mass, Vector3d::Zero()};
  }

  std::mt19937 random_{7};
};

// The first claim of [TOD11]: (6), (7) hold for any x. Checked against the laws themselves.
TEST_F(HybridTest, EveryPointObeysSignoriniAndCoulomb) {
  const Constraint contact{.mu = 0.7};
  const HybridLaw law = contact_law(contact, 1.3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d x = random_point();
    const Vector3d f = hybrid_impulse(law, x);
    const Vector3d v = f + x;
    EXPECT_GE(f[2], 0);
    EXPECT_GE(v[2], -1e-14);
    EXPECT_NEAR(f[2] * v[2], 0, 1e-14);
    const double slack = contact.mu * f[2] - f.head<2>().norm();
    EXPECT_GE(slack, -1e-14);
    EXPECT_NEAR(slack * v.head<2>().norm(), 0, 1e-13);  // slip only on the cone
    EXPECT_NEAR(f.head<2>().dot(v.head<2>()), -f.head<2>().norm() * v.head<2>().norm(), 1e-13);
  }
}

TEST_F(HybridTest, ScalarLawsHoldForEveryPoint) {
  const double root_mass = 1.7;
  const Constraint soft{.type = ConstraintType::kSoft, .rows = 1, .k = 3, .c = 0.4};
  const Constraint friction{.type = ConstraintType::kJointFriction, .rows = 1, .bound = 0.3};
  const Constraint limit{
      .type = ConstraintType::kJointLimit, .rows = 1, .lower = -0.2, .upper = 0.5};
  const double e = 0.11;
  for (double x = -3; x < 3; x += 0.0137) {
    const auto at = [&](const Constraint& constraint, double error, double& s) {
      const HybridLaw law{&constraint, root_mass, {error, 0, 0}};
      const double f = hybrid_impulse(law, {x, 0, 0})[0];
      s = (f + x) / root_mass;  // J v + e in m/s
      return f * root_mass;     // N s
    };
    double s = 0;
    const double lambda_soft = at(soft, e, s);
    EXPECT_NEAR(lambda_soft, -soft.k * e - soft.c * (s - e), 1e-13);
    const double lambda_friction = at(friction, 0, s);
    EXPECT_LE(std::abs(lambda_friction), friction.bound + 1e-15);
    if (std::abs(s) > 1e-14) {
      EXPECT_NEAR(lambda_friction, -std::copysign(friction.bound, s), 1e-13);
    }
    const double lambda_limit = at(limit, 0, s);
    EXPECT_GE(s, limit.lower - 1e-14);
    EXPECT_LE(s, limit.upper + 1e-14);
    if (lambda_limit > 1e-14) {
      EXPECT_NEAR(s, limit.lower, 1e-14);
    } else if (lambda_limit < -1e-14) {
      EXPECT_NEAR(s, limit.upper, 1e-14);
    }
  }
}

TEST_F(HybridTest, DerivativeMatchesFiniteDifferences) {
  const Constraint contact{.mu = 0.7};
  const HybridLaw law = contact_law(contact, 0.6);
  const double h = 1e-6;
  int checked = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vector3d x = random_point();
    if (std::abs(x[2]) < 1e-3) continue;
    if (std::abs(x.head<2>().norm() + contact.mu * x[2]) < 1e-3) continue;
    Matrix3d D;
    hybrid_impulse(law, x, D);
    for (int c = 0; c < 3; ++c) {
      const Vector3d dx = h * Vector3d::Unit(c);
      const Vector3d slope = (hybrid_impulse(law, x + dx) - hybrid_impulse(law, x - dx)) / (2 * h);
      EXPECT_TRUE((slope + D.col(c)).isZero(1e-7)) << x.transpose();
    }
    ++checked;
  }
  EXPECT_GT(checked, 250);
}

// D1 and D2 of an edge are the limits of -df/dx from its two sides.
TEST_F(HybridTest, EdgesKnowTheirTwoSides) {
  const Constraint contact{.mu = 0.7};
  const HybridLaw law = contact_law(contact, 1);
  for (int trial = 0; trial < 100; ++trial) {
    Vector3d on_plane = random_point();
    on_plane[2] = 0;
    Vector3d on_cone = random_point();
    on_cone[2] = -on_cone.head<2>().norm() / contact.mu;
    for (const Vector3d& x : {on_plane, on_cone}) {
      const Edge edge = edge_at(law, x);
      ASSERT_EQ(edge.kind, x == on_plane ? EdgeKind::kPlane : EdgeKind::kCone);
      EXPECT_NEAR(edge.d.norm(), 1, 1e-14);
      Matrix3d D;
      hybrid_impulse(law, x + 1e-8 * edge.d, D);
      EXPECT_TRUE((D - edge.D1).isZero(1e-5));
      hybrid_impulse(law, x - 1e-8 * edge.d, D);
      EXPECT_TRUE((D - edge.D2).isZero(1e-5));
      Matrix3d B;
      ASSERT_EQ(edge_tangents(law, edge, x, B), 2);
      EXPECT_TRUE((B.leftCols<2>().transpose() * B.leftCols<2>()).isIdentity(1e-14));
      EXPECT_TRUE((B.leftCols<2>().transpose() * edge.d).isZero(1e-14));
    }
  }
}

TEST_F(HybridTest, ProjectionFindsTheNearestPointOfTheCone) {
  const Constraint contact{.mu = 0.7};
  const HybridLaw law = contact_law(contact, 1);
  Edge cone;
  cone.kind = EdgeKind::kCone;
  for (int trial = 0; trial < 50; ++trial) {
    const Vector3d x = random_point();
    const Vector3d nearest = project_on_edge(law, cone, x);
    EXPECT_NEAR(nearest.head<2>().norm() + contact.mu * nearest[2], 0, 1e-13);
    EXPECT_LE(nearest[2], 0);
    double best = x.norm();
    for (int k = 0; k < 720; ++k) {  // all generators, each by its own line projection
      const double angle = M_PI * k / 360;
      const Vector3d line =
          Vector3d(contact.mu * std::cos(angle), contact.mu * std::sin(angle), -1).normalized();
      best = std::min(best, (x - std::max(0.0, line.dot(x)) * line).norm());
    }
    EXPECT_LE((x - nearest).norm(), best + 1e-12);
    EXPECT_GE((x - nearest).norm(), best - 1e-3);
  }
}

// Crossings against a scan for sign changes refined by bisection.
TEST_F(HybridTest, CrossingsMatchRootFinding) {
  const Constraint contact{.mu = 0.7};
  const Constraint limit{.type = ConstraintType::kJointLimit, .rows = 1, .lower = -1, .upper = 0.5};
  const Constraint friction{.type = ConstraintType::kJointFriction, .rows = 1, .bound = 0.4};
  const double root_mass = 1.2;
  const auto gap = [&](const Constraint& constraint, int edge, const Vector3d& x) {
    if (constraint.type == ConstraintType::kJointLimit) {
      return x[0] - root_mass * (edge == 0 ? limit.lower : limit.upper);
    }
    if (constraint.type == ConstraintType::kJointFriction) {
      return x[0] - (edge == 0 ? -1 : 1) * friction.bound / root_mass;
    }
    // The lower nappe alone: above the apex the cone's function only touches 0 in the axis.
    return edge == 0 ? x[2] : x.head<2>().norm() + contact.mu * x[2];
  };
  int total = 0;
  for (const Constraint& constraint : {contact, limit, friction}) {
    const HybridLaw law{&constraint, root_mass, Vector3d::Zero()};
    for (int trial = 0; trial < 300; ++trial) {
      const Vector3d x = random_point();
      const Vector3d u = 2 * random_point();
      std::vector<double> expected;
      for (int edge = 0; edge < 2; ++edge) {
        for (int k = 0; k < 2000; ++k) {
          double low = k / 2000.0;
          double high = (k + 1) / 2000.0;
          if (gap(constraint, edge, x + low * u) * gap(constraint, edge, x + high * u) > 0)
            continue;
          for (int step = 0; step < 50; ++step) {
            const double middle = 0.5 * (low + high);
            const bool left =
                gap(constraint, edge, x + low * u) * gap(constraint, edge, x + middle * u) <= 0;
            (left ? high : low) = middle;
          }
          expected.push_back(low);
        }
      }
      Crossing found[3];
      const int count = edge_crossings(law, x, u, found);
      std::vector<double> actual;
      for (int k = 0; k < count; ++k) actual.push_back(found[k].alpha);
      std::sort(expected.begin(), expected.end());
      std::sort(actual.begin(), actual.end());
      ASSERT_EQ(actual.size(), expected.size()) << x.transpose() << " + a " << u.transpose();
      for (size_t k = 0; k < actual.size(); ++k) EXPECT_NEAR(actual[k], expected[k], 1e-9);
      total += count;
    }
  }
  EXPECT_GT(total, 400);
}

// [TOD11] Fig. 6: the shock passes through all balls within one step, found in one iteration.
TEST(Implicit, FiveBallsStopTogetherInOneIteration) {
  const Problem problem = ball_column(5, {0, 0, -2}, 0.5);
  Solution solution;
  solve(problem, "implicit", {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
  EXPECT_LE(solution.report.iterations, 1);
  EXPECT_TRUE(solution.v.isZero(1e-9));
  double mass_above = 15;
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(solution.lambda[3 * k + 2], 2 * mass_above, 1e-8);
    mass_above -= k + 1;
  }
}

TEST(Implicit, CountsWhatTableOneReports) {
  const Problem problem = ball_column(5, {3, 0, -2}, 0.2);
  ImplicitStatistics statistics;
  ImplicitOptions options;
  options.statistics = &statistics;
  Solution solution;
  solve_with(problem, options, {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
  EXPECT_EQ(statistics.iterations, solution.report.iterations);
  EXPECT_EQ(statistics.newton_accepted, solution.report.newton_accepted);
  EXPECT_EQ(statistics.iterations, statistics.newton_accepted + statistics.landed_on_edge +
                                       statistics.landed_in_piece + statistics.local_minima);
}

TEST(Implicit, WarmStartAtTheSolutionNeedsNoIteration) {
  const Problem problem = ball_column(4, {3, 1, -2}, 0.2);
  Solution solution;
  solve(problem, "implicit", {.tolerance = 1e-11}, false, solution);
  ASSERT_EQ(solution.report.status, Status::kSolved);
  solution.warm = true;
  solve(problem, "implicit", {.tolerance = 1e-10}, false, solution);
  EXPECT_EQ(solution.report.iterations, 0);
}

}  // namespace
}  // namespace stiction
