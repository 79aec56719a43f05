// Products and solves through bodies against dense matrices.
#include "contact/dynamics.h"

#include <gtest/gtest.h>

#include "contact/dense_problem.h"
#include "contact/random_problem.h"
#include "contact/root_rows.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Trees, bodies, a sparse block, and a constraint that spans them all.
Problem spanned_problem(int seed) {
  Problem problem = random_problem(static_cast<unsigned>(seed));
  problem.add_constraint({.mu = 0.4}, {spanning_port(problem)}, {0, 0, 0.1});
  return problem;
}

class DynamicsOfRandomProblems : public testing::TestWithParam<int> {
 protected:
  const Problem problem_ = spanned_problem(GetParam());
  const MatrixXd A_ = dense_A(problem_);
  const MatrixXd J_ = dense_J(problem_);
  Matrix6Xd V_{6, problem_.bodies.size()};
  Matrix6Xd W_{6, problem_.bodies.size()};
};

TEST_P(DynamicsOfRandomProblems, AreWellFormed) { EXPECT_NO_THROW(validate(problem_)); }

TEST_P(DynamicsOfRandomProblems, ProductsMatch) {
  const VectorXd v = VectorXd::Random(problem_.n());
  const VectorXd lambda = VectorXd::Random(problem_.n_c());
  VectorXd Jv(problem_.n_c());
  multiply_J(problem_, v, V_, Jv);
  EXPECT_LT((Jv - J_ * v).norm(), 1e-12 * J_.norm());
  VectorXd out = v;  // adds to what is there
  add_J_transposed(problem_, lambda, W_, out);
  EXPECT_LT((out - v - J_.transpose() * lambda).norm(), 1e-12 * J_.norm());
  VectorXd Av(problem_.n());
  multiply_A(problem_, v, V_, W_, Av);
  EXPECT_LT((Av - A_ * v).norm(), 1e-12 * A_.norm());
}

TEST_P(DynamicsOfRandomProblems, SolvesMatch) {
  const DynamicsFactor factor(problem_);
  ASSERT_TRUE(factor.ok());
  VectorXd x = problem_.b;
  factor.solve_in_place(x);
  EXPECT_LT((x - A_.llt().solve(problem_.b)).norm(), 1e-9 * x.norm());
}

// A = F^T F: F^-T x has the norm of x in A^-1, and F^-1 F^-T is A^-1.
TEST_P(DynamicsOfRandomProblems, RootsMatch) {
  const DynamicsFactor factor(problem_);
  VectorXd w, v;
  factor.to_root(problem_.b, w);
  factor.from_root(w, v);
  const VectorXd expected = A_.llt().solve(problem_.b);
  EXPECT_NEAR(w.squaredNorm(), problem_.b.dot(expected), 1e-9 * w.squaredNorm());
  EXPECT_LT((v - expected).norm(), 1e-9 * v.norm());
}

TEST_P(DynamicsOfRandomProblems, EffectiveMassesMatch) {
  const DynamicsFactor factor(problem_);
  const VectorXd m = RootRows(problem_, factor).masses();
  const MatrixXd W = J_ * A_.llt().solve(J_.transpose());
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& c = problem_.constraints[i];
    const double trace = W.block(c.row_begin, c.row_begin, c.rows, c.rows).trace();
    EXPECT_NEAR(m[i] * trace, c.rows, 1e-8) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DynamicsOfRandomProblems, testing::Range(1, 9));

TEST(Dynamics, ZeroJacobianHasAFiniteMass) {
  Problem problem = generate_problem("one", 1);
  problem.ports[0].block.setZero();
  const DynamicsFactor factor(problem);
  EXPECT_EQ(RootRows(problem, factor).masses()[0], 1);
}

TEST(Dynamics, NamesTheSubsystemThatIsNotPositiveDefinite) {
  for (int j = 0; j < 4; ++j) {
    Problem problem = random_problem(3);
    problem.D[problem.subsystems[j].dof_begin] = -1e4;
    const DynamicsFactor factor(problem);
    EXPECT_FALSE(factor.ok());
    EXPECT_EQ(factor.failed_subsystem(), j);
  }
}

}  // namespace
}  // namespace stiction
