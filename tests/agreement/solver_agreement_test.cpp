// All solvers by name against closed forms, and against each other on velocities where these are
// unique. As solvers are added to the registry they are tested here without another line.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <map>
#include <string>

#include "contact/sample_problems.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// First-order solvers and the fixed-point iteration of CANAL stop early on hard problems; a solver
// without an entry must reach kTight.
constexpr double kTight = 1e-8;
double tolerance_of(const std::string& solver) {
  static const std::map<std::string, double> loose = {
      {"pj", 1e-5}, {"fadmm", 1e-5}, {"nobody", 1e-5}, {"subadmm", 1e-6}, {"pgs", 1e-7},
  };
  const auto found = loose.find(solver);
  return found == loose.end() ? kTight : found->second;
}

// All but the soft convex model, which solves another problem (contact/convex_test.cpp).
std::vector<std::string> exact_solvers() {
  std::vector<std::string> names = solver_names();
  std::erase(names, "convex");
  return names;
}

class EverySolver : public testing::TestWithParam<std::string> {
 protected:
  double tolerance() const { return tolerance_of(GetParam()); }
  Solution solved(const Problem& problem) const {
    Solution solution;
    solve(problem, GetParam(), {.tolerance = 0.1 * tolerance(), .max_iterations = 20000}, false,
          solution);
    EXPECT_EQ(solution.report.status, Status::kSolved);
    return solution;
  }
  // Velocity along x and impulse of the 2 kg point with one scalar constraint.
  void expect_scalar(const Constraint& constraint, double speed, double e, double v,
                     double lambda) {
    const Solution solution = solved(scalar_constraint(constraint, speed, e));
    EXPECT_NEAR(solution.v[0], v, tolerance());
    EXPECT_NEAR(solution.lambda[0], lambda, 2 * tolerance());
    EXPECT_NEAR(solution.v[1], 0.3, tolerance());
  }
};

TEST_P(EverySolver, UnilateralStopsOrLetsGo) {
  const Constraint unilateral{.type = ConstraintType::kUnilateral};
  expect_scalar(unilateral, -1.5, 0.5, -0.5, 2);
  expect_scalar(unilateral, 1, 0.5, 1, 0);
}

TEST_P(EverySolver, EqualityHolds) {
  expect_scalar({.type = ConstraintType::kEquality}, -1.5, 0.25, -0.25, 2.5);
}

// 2 (v - v0) = -k e - c v.
TEST_P(EverySolver, SoftConstraintIsASpringAndADamper) {
  const double k = 3;
  const double c = 0.5;
  const double e = 0.2;
  const double v = (2 * 1.5 - k * e) / (2 + c);
  expect_scalar({.type = ConstraintType::kSoft, .k = k, .c = c}, 1.5, e, v, -k * e - c * v);
}

TEST_P(EverySolver, JointFrictionHoldsOrSlips) {
  const Constraint friction{.type = ConstraintType::kJointFriction, .bound = 0.6};
  expect_scalar(friction, 0.2, 0, 0, -0.4);
  expect_scalar(friction, -1, 0, -0.7, 0.6);
}

TEST_P(EverySolver, JointLimitActsAtBothEnds) {
  const Constraint limit{.type = ConstraintType::kJointLimit, .lower = -0.4, .upper = 0.7};
  expect_scalar(limit, 1, 0, 0.7, -0.6);
  expect_scalar(limit, -1, 0, -0.4, 1.2);
  expect_scalar(limit, 0.3, 0, 0.3, 0);
}

TEST_P(EverySolver, ContactOpensSticksAndSlips) {
  const auto point = [](const Vector3d& velocity) {
    Problem problem;
    const int body = add_moving_body(problem, 2, velocity);
    problem.add_constraint({.mu = 0.5}, {frame_port(body, Vector3d::Zero(), 1)}, Vector3d::Zero());
    return problem;
  };
  const Solution open = solved(point({0.3, 0, 1}));
  EXPECT_TRUE(open.v.head<3>().isApprox(Vector3d(0.3, 0, 1), tolerance()));
  const Solution stick = solved(point({0.3, -0.2, -1}));
  EXPECT_TRUE(stick.v.head<3>().isZero(tolerance()));
  const Solution slip = solved(point({3, 4, -2}));
  EXPECT_TRUE(slip.v.head<3>().isApprox(Vector3d(2.4, 3.2, 0), tolerance()));
  EXPECT_NEAR(slip.lambda[2], 4, 4 * tolerance());
}

TEST_P(EverySolver, NoFrictionLeavesTheTangentAlone) {
  Problem problem;
  const int body = add_moving_body(problem, 2, {0.3, 0.1, -1});
  problem.add_constraint({.mu = 0}, {frame_port(body, Vector3d::Zero(), 1)}, Vector3d::Zero());
  const Solution solution = solved(problem);
  EXPECT_TRUE(solution.v.head<3>().isApprox(Vector3d(0.3, 0.1, 0), tolerance()));
}

TEST_P(EverySolver, BallsInAColumnStopTogether) {
  const Solution solution = solved(ball_column(3, {0, 0, -2}, 0.5));
  EXPECT_TRUE(solution.v.isZero(20 * tolerance()));
  EXPECT_NEAR(solution.lambda[2], 12, 100 * tolerance());
}

// A box slides on four corners: impulses are not unique, velocities are. Each corner slips in the
// same direction, so with P = sum lambda_n = m g h the speed falls by mu g h, whatever the split.
TEST_P(EverySolver, RedundantContactsOfASlidingBox) {
  Problem problem;
  const int body = add_moving_body(problem, 2, {1.5, 0, -0.04});
  for (double x : {-0.3, 0.3}) {
    for (double y : {-0.2, 0.2}) {
      problem.add_constraint({.mu = 0.5}, {frame_port(body, {x, y, 0}, 1)}, Vector3d::Zero());
    }
  }
  const Solution solution = solved(problem);
  EXPECT_NEAR(solution.v[0], 1.5 - 0.5 * 0.04, 10 * tolerance());
  EXPECT_NEAR(solution.v.tail<5>().norm(), 0, 10 * tolerance());
}

std::string name_of(const testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(All, EverySolver, testing::ValuesIn(exact_solvers()), name_of);

// Generated problems: whoever says `solved` must have the velocities of everyone else who does, and
// of each kind enough solvers must say so for the comparison to mean something.
class Agreement : public testing::TestWithParam<std::string> {};

TEST_P(Agreement, SolversAgreeOnConstraintVelocities) {
  GenerateOptions options;
  if (GetParam() == "tower") options.size = 4;
  if (GetParam() == "dish") options.size = 24;
  // How redundant contacts share the load turns a sliding box: unique without friction only.
  if (GetParam() == "slide") options.mu = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Problem problem = generate_problem(GetParam(), seed, options);
    std::map<std::string, Eigen::VectorXd> velocities;
    for (const std::string& solver : exact_solvers()) {
      Solution solution;
      solve(problem, solver, {.tolerance = 1e-10, .max_seconds = 2}, false, solution);
      if (solution.report.status == Status::kSolved) velocities[solver] = solution.v;
    }
    EXPECT_GE(velocities.size(), 2u) << "seed " << seed;
    for (const auto& [solver, v] : velocities) {
      const auto& [reference, expected] = *velocities.begin();
      EXPECT_LT((v - expected).norm(), 1e-6 * (1 + expected.norm()))
          << solver << " and " << reference << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Agreement,
                         testing::Values("one", "slide", "tower", "dish", "robot"), name_of);

}  // namespace
}  // namespace stiction
