// Islands: what no constraint joins is solved apart, and together the parts are the whole.
#include "contact/islands.h"

#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <algorithm>

#include "contact/dense_problem.h"
#include "contact/random_problem.h"
#include "contact/root_rows.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Four spheres: 0 and 2 touch each other, 1 and 3 the floor.
Problem spheres() {
  Problem problem = generate_problem("empty", 2, {.size = 4});
  const auto port = [](int body, double sign) {
    Port p;
    p.body = body;
    p.block.leftCols<3>() = sign * Eigen::Matrix3d::Identity();
    return p;
  };
  problem.add_constraint({.mu = 0.1}, {port(3, 1)}, {0, 0, 0});
  problem.add_constraint({.mu = 0.2}, {port(2, 1), port(0, -1)}, {0, 0, 0});
  problem.add_constraint({.mu = 0.3}, {port(1, 1)}, {0, 0, 0});
  return problem;
}

std::vector<Island> islands_of(const Problem& problem, const std::vector<char>& left_out = {},
                               const std::vector<char>& settled = {}) {
  std::vector<Island> islands;
  const Problem before = spheres();  // what was there before
  split_islands(before, label_islands(before), {}, islands);
  split_islands(problem, label_islands(problem, left_out), settled, islands);
  return islands;
}

// Each island's matrices are the whole's at its rows and dofs, and no constraint is left over.
void expect_union(const Problem& problem) {
  const std::vector<Island> islands = islands_of(problem);
  const MatrixXd A = dense_A(problem);
  const MatrixXd J = dense_J(problem);
  MatrixXd A_sum = MatrixXd::Zero(A.rows(), A.cols());
  MatrixXd J_sum = MatrixXd::Zero(J.rows(), J.cols());
  std::vector<int> dofs;
  std::vector<int> rows;
  for (const Island& island : islands) {
    EXPECT_NO_THROW(validate(island.problem()));
    A_sum(island.dofs, island.dofs) += dense_A(island.problem());
    J_sum(island.rows, island.dofs) += dense_J(island.problem());
    EXPECT_EQ(VectorXd(problem.b(island.dofs)), island.problem().b);
    EXPECT_EQ(VectorXd(problem.e(island.rows)), island.problem().e);
    for (size_t i = 0; i < island.constraints.size(); ++i) {
      EXPECT_EQ(problem.constraints[island.constraints[i]].mu, island.problem().constraints[i].mu);
    }
    dofs.insert(dofs.end(), island.dofs.begin(), island.dofs.end());
    rows.insert(rows.end(), island.rows.begin(), island.rows.end());
  }
  EXPECT_LT((A_sum - A)(dofs, dofs).norm(), 1e-12 * A.norm());
  EXPECT_EQ(J_sum, J);
  std::sort(dofs.begin(), dofs.end());
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::adjacent_find(dofs.begin(), dofs.end()), dofs.end());
  EXPECT_EQ(static_cast<int>(rows.size()), problem.n_c());
  for (int r = 0; r < problem.n_c(); ++r) EXPECT_EQ(rows[r], r);
}

TEST(Islands, FindsWhatIsConnected) {
  const Problem problem = spheres();
  const std::vector<Island> islands = islands_of(problem);
  ASSERT_EQ(islands.size(), 3u);
  EXPECT_EQ(islands[0].constraints, std::vector<int>{1});
  EXPECT_EQ(islands[1].constraints, std::vector<int>{2});
  EXPECT_EQ(islands[2].constraints, std::vector<int>{0});
  EXPECT_EQ(islands[0].problem().bodies.size(), 2u);
  expect_union(problem);
}

TEST(Islands, UnionIsTheWhole) {
  for (unsigned seed = 1; seed < 6; ++seed) expect_union(random_problem(seed));
  for (const char* kind : {"pile", "robot", "arm", "empty"}) {
    expect_union(generate_problem(kind, 3, {.size = 3}));
  }
}

TEST(Islands, AreApartWithoutTheContactBetweenThem) {
  const Problem problem = spheres();
  const std::vector<Island> islands = islands_of(problem, {0, 1, 0});
  ASSERT_EQ(islands.size(), 2u);  // the two that touch nothing else are in none
  EXPECT_EQ(islands[0].constraints, std::vector<int>{2});
  EXPECT_EQ(islands[1].constraints, std::vector<int>{0});
  EXPECT_EQ(islands[1].rows, (std::vector<int>{0, 1, 2}));
}

TEST(Islands, AreNotMadeOfWhatIsSettled) {
  const Problem problem = spheres();
  const std::vector<Island> islands = islands_of(problem, {}, {0, 1, 1});
  ASSERT_EQ(islands.size(), 1u);
  EXPECT_EQ(islands[0].constraints, std::vector<int>{1});
  EXPECT_TRUE(islands_of(problem, {}, {1, 1, 1}).empty());
}

// An island's factor is a part of the whole's.
TEST(Islands, FactorsAreParts) {
  Problem problem = generate_problem("robot", 4);
  for (const bool apart : {false, true}) {
    std::vector<char> left_out(problem.constraints.size(), 0);
    for (size_t i = 0; apart && i < left_out.size(); ++i) left_out[i] = i % 3 != 0;
    const DynamicsFactor whole(problem);
    for (const Island& island : islands_of(problem, left_out)) {
      const DynamicsFactor part(island.problem(), whole, island.subsystems);
      const DynamicsFactor own(island.problem());
      ASSERT_EQ(part.width(), own.width());
      VectorXd x = VectorXd::LinSpaced(island.problem().n(), -1, 2);
      VectorXd y = x;
      part.solve_in_place(x);
      own.solve_in_place(y);
      EXPECT_LT((x - y).norm(), 1e-14 * y.norm());
      const RootRows rows(island.problem(), part);
      const RootRows own_rows(island.problem(), own);
      EXPECT_LT((rows.masses() - own_rows.masses()).norm(), 1e-12 * rows.masses().norm());
    }
  }
}

TEST(Islands, APortOnDofsMaySpanAll) {
  Problem problem = spheres();
  problem.add_constraint({.mu = 0.5}, {spanning_port(problem)}, {0, 0, 0});
  const std::vector<Island> islands = islands_of(problem);
  ASSERT_EQ(islands.size(), 1u);
  EXPECT_EQ(&islands[0].problem(), &problem);  // without a copy
  expect_union(problem);
}

TEST(Islands, SolvingThemIsSolvingTheWhole) {
  const Problem apart = spheres();
  Problem joined = apart;
  // An equality with a negligible effect that makes one island of all.
  joined.add_constraint(
      {.type = ConstraintType::kSoft, .rows = 1, .k = 0, .c = 1e-30},
      {joined.dof_port({0, 6, 12, 18}, std::vector<Eigen::Vector3d>(4, Eigen::Vector3d::UnitX()))},
      {0, 0, 0});
  ASSERT_EQ(islands_of(joined).size(), 1u);
  Solution a;
  Solution b;
  const Budget budget{.tolerance = 1e-13, .max_iterations = 5000};
  solve(apart, "pgs", budget, true, a);
  solve(joined, "pgs", budget, true, b);
  EXPECT_EQ(a.report.status, Status::kSolved);
  EXPECT_LT((a.v - b.v).norm(), 1e-10);
  EXPECT_LT((a.lambda - b.lambda.head(9)).norm(), 1e-10);
  // The history of the parts starts and ends where that of the whole does.
  ASSERT_FALSE(a.report.history.empty());
  const double rows_ratio = 4.0 / 3;  // the residual is per constraint
  EXPECT_NEAR(a.report.history.front().residual / b.report.history.front().residual, rows_ratio,
              1e-9);
  EXPECT_LE(a.report.history.back().residual, 1e-13);
}

TEST(Islands, OfNothingAreNone) {
  EXPECT_TRUE(islands_of(Problem{}).empty());
  Solution solution;
  solve(Problem{}, "pgs", {}, true, solution);
  EXPECT_EQ(solution.report.status, Status::kSolved);
}

}  // namespace
}  // namespace stiction
