// Contacts that a guess says to be open are left out of the solve, and come back if they close.
#include "contact/decided.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "contact/problem_solver.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

Port along_x(int body, double sign) {
  Port port;
  port.body = body;
  port.block(0, 1) = port.block(1, 2) = port.block(2, 0) = sign;
  return port;
}

// Three bodies of 1 kg on a line, at rest. The first is thrown at 1 m/s (a contact that wants that
// much), the others follow at distances that it closes, and that the second closes then.
Problem row_of_three() {
  Problem problem;
  for (int k = 0; k < 3; ++k) {
    problem.add_rigid_body(Matrix6d::Identity(), Vector6d::Zero());
  }
  problem.add_constraint({.mu = 0.5}, {along_x(0, 1)}, {0, 0, -1});
  problem.add_constraint({.mu = 0.5}, {along_x(1, 1), along_x(0, -1)}, {0, 0, 0.2});
  problem.add_constraint({.mu = 0.5}, {along_x(2, 1), along_x(1, -1)}, {0, 0, 0.1});
  return problem;
}

Solution guess_at_rest(const Problem& problem) {
  Solution guess;
  guess.v = VectorXd::Zero(problem.n());
  guess.lambda = VectorXd::Zero(problem.n_c());
  guess.warm = true;
  return guess;
}

Decided decided_by(const Problem& problem, const Solution& guess) {
  Decided decided(problem);
  decided.find(DynamicsFactor(problem), {.tolerance = 1e-11}, guess.v, guess.lambda);
  return decided;
}

TEST(Decided, IsWhatTheGuessLeavesOpen) {
  const Problem problem = row_of_three();
  Decided decided = decided_by(problem, guess_at_rest(problem));
  EXPECT_EQ(decided.left_out(), (std::vector<char>{0, 1, 1}));

  VectorXd Jv = VectorXd::Zero(9);
  EXPECT_TRUE(decided.give_back(Jv).empty());
  Jv[5] = -0.2 * (1 + 1e-12);
  EXPECT_EQ(decided.give_back(Jv), (std::vector<char>{0, 1, 0}));
  EXPECT_EQ(decided.left_out(), (std::vector<char>{0, 0, 1}));
  EXPECT_TRUE(decided.give_back(Jv).empty());
}

// A force that closes a tenth of the gap leaves the contact in doubt.
TEST(Decided, IsNothingThatTheStepChangesMuch) {
  Problem problem = row_of_three();
  const auto left_out = [&](double push) {
    problem.b[6] = -push;
    return decided_by(problem, guess_at_rest(problem)).left_out()[1];
  };
  EXPECT_TRUE(left_out(0.018));
  EXPECT_FALSE(left_out(0.02));
  EXPECT_TRUE(left_out(-0.019));
  EXPECT_FALSE(left_out(-0.021));
}

// One contact throws a body into the next, which was left out, and that into a third.
TEST(Decided, ContactsThatCloseComeBack) {
  const Problem problem = row_of_three();
  for (const std::string& solver : solver_names()) {
    if (solver == "convex") continue;  // another problem
    Solution solution = guess_at_rest(problem);
    const Budget budget{.tolerance = 1e-10, .max_iterations = 100000};
    ProblemSolver(problem, true).solve(solver_options(solver), budget, false, solution);
    EXPECT_LE(solution.report.residual.scaled, 1e-10) << solver;
    EXPECT_NEAR(solution.v[0], 1, 1e-8) << solver;
    EXPECT_NEAR(solution.v[6], 0.8, 1e-8) << solver;
    EXPECT_NEAR(solution.v[12], 0.7, 1e-8) << solver;
    EXPECT_NEAR(solution.lambda[2], 2.5, 1e-7) << solver;
  }
}

// One body of 1 kg with one constraint, whose velocity comes out as s.
Problem one_body(Constraint constraint, const Vector3d& lambda, const Vector3d& s) {
  Problem problem;
  problem.add_rigid_body(Matrix6d::Identity(), Vector6d::Zero());
  Port port;
  port.body = 0;
  port.block.leftCols<3>().setIdentity();
  if (constraint.rows == 1) port.block.bottomRows<2>().setZero();
  problem.add_constraint(constraint, {port}, Vector3d::Zero());
  problem.b.head(constraint.rows) = (s - lambda).head(constraint.rows);
  return problem;
}

bool is_settled(const Constraint& constraint, const Vector3d& lambda, const Vector3d& s) {
  const Problem problem = one_body(constraint, lambda, s);
  Solution guess = guess_at_rest(problem);
  guess.lambda = lambda.head(constraint.rows);
  return decided_by(problem, guess).is_settled(0);
}

// Tolerance 1e-11, of which a hundredth may be left.
TEST(Decided, SettledIsWhatMeetsItsLaw) {
  const auto is = [](Constraint c, double lambda, double s) {
    c.rows = 1;
    return is_settled(c, {lambda, 0, 0}, {s, 0, 0});
  };
  const Constraint friction{.type = ConstraintType::kJointFriction, .bound = 2};
  EXPECT_TRUE(is(friction, 1, 5e-14));
  EXPECT_FALSE(is(friction, 1, 2e-13));
  EXPECT_TRUE(is(friction, 2, -3));
  EXPECT_FALSE(is(friction, 2, 3));
  EXPECT_TRUE(is(friction, -2, 3));
  EXPECT_FALSE(is(friction, 2.5, -3));
  const Constraint limit{.type = ConstraintType::kJointLimit, .lower = -1, .upper = 2};
  EXPECT_TRUE(is(limit, 0, 1.5));
  EXPECT_FALSE(is(limit, 0, 2.5));
  EXPECT_TRUE(is(limit, 1, -1));
  EXPECT_FALSE(is(limit, 1, 2));
  EXPECT_TRUE(is(limit, -1, 2));
  const Constraint unilateral{.type = ConstraintType::kUnilateral};
  EXPECT_TRUE(is(unilateral, 0, 1));
  EXPECT_FALSE(is(unilateral, 0, -1));
  EXPECT_TRUE(is(unilateral, 3, 0));
  EXPECT_FALSE(is(unilateral, 3, 1));
  EXPECT_FALSE(is(unilateral, -3, 0));
  EXPECT_TRUE(is({.type = ConstraintType::kEquality}, 7, -5e-14));
  EXPECT_FALSE(is({.type = ConstraintType::kEquality}, 7, -2e-13));

  const Constraint contact{.mu = 0.5};
  EXPECT_TRUE(is_settled(contact, {0, 0, 0}, {3, 0, 1}));
  EXPECT_FALSE(is_settled(contact, {0, 0, 0}, {3, 0, -1}));
  EXPECT_TRUE(is_settled(contact, {0.3, 0.3, 1}, {0, 5e-14, 0}));
  EXPECT_FALSE(is_settled(contact, {0.3, 0.3, 1}, {0, 2e-13, 0}));
  EXPECT_FALSE(is_settled(contact, {0.4, 0.4, 1}, {0, 0, 0}));
  EXPECT_FALSE(is_settled(contact, {0, 0, -1}, {0, 0, 0}));
}

// Joints held by dry friction are settled, until a body that is thrown at them hits: then they are
// solved with it.
TEST(Decided, SettledIslandsAreHitByOthers) {
  Problem problem = row_of_three();
  const auto hold = [&](int body, double bound) {
    problem.add_constraint({.type = ConstraintType::kJointFriction, .rows = 1, .bound = bound},
                           {problem.dof_port(6 * body)}, Vector3d::Zero());
  };
  hold(1, 0.01);
  hold(2, 0.02);
  const Solution guess = guess_at_rest(problem);
  const Decided decided = decided_by(problem, guess);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(decided.is_settled(i), i > 0) << i;
  EXPECT_EQ(decided.settled(label_islands(problem, decided.left_out())),
            (std::vector<char>{0, 1, 1}));
  Solution together = guess;
  together.warm = false;
  Solution apart = guess;
  const Budget budget{.tolerance = 1e-12};
  solve(problem, "grip", budget, false, together);
  ProblemSolver(problem, true).solve(GripOptions{}, budget, false, apart);
  EXPECT_LE(apart.report.residual.scaled, 1e-12);
  EXPECT_LT((apart.v - together.v).norm(), 1e-10);
  EXPECT_NEAR(apart.lambda[9], -0.01, 1e-12);  // at its bound
  EXPECT_NEAR(apart.lambda[10], -0.02, 1e-12);
}

// From a guess that is off, the same solution as from none; what is open at the end has no impulse.
TEST(Decided, SolutionsAreThoseOfTheWholeProblem) {
  int open = 0;
  for (const char* kind : {"pile", "robot", "stack"}) {
    for (unsigned seed = 1; seed < 4; ++seed) {
      Problem problem = generate_problem(kind, seed);
      const Budget budget{.tolerance = 1e-11};
      Solution whole;
      solve(problem, "grip", budget, false, whole);
      Solution guessed = whole;
      guessed.warm = true;
      problem.b *= 1.01;
      Solution cold;
      solve(problem, "grip", budget, false, cold);
      ProblemSolver(problem, true).solve(GripOptions{}, budget, false, guessed);
      EXPECT_LE(guessed.report.residual.scaled, 1e-11) << kind << seed;
      EXPECT_LT((guessed.v - cold.v).norm(), 1e-6 * (1 + cold.v.norm())) << kind << seed;
      const Decided decided = decided_by(problem, guessed);
      for (const char left_out : decided.left_out()) open += left_out;
    }
  }
  EXPECT_GT(open, 100);
}

}  // namespace
}  // namespace stiction
