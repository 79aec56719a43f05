// K = A + sum_i J_i^T D_i J_i against products formed one vector at a time.
#include "contact/newton_matrix.h"

#include <gtest/gtest.h>

#include "contact/jacobian.h"
#include "contact/random_problem.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::VectorXd;

// K x by products with A, J, D and J^T in turn.
VectorXd multiply(const Problem& problem, const std::vector<Matrix3d>& D, const VectorXd& x) {
  Matrix6Xd V(6, problem.bodies.size());
  Matrix6Xd W(6, problem.bodies.size());
  VectorXd Jx = VectorXd::Zero(problem.n_c());
  VectorXd Kx(problem.n());
  multiply_A(problem, x, V, W, Kx);
  multiply_J(problem, x, V, Jx);
  for (size_t i = 0; i < D.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    set_rows(constraint, D[i] * rows_of(constraint, Jx), Jx);
  }
  add_J_transposed(problem, Jx, W, Kx);
  return Kx;
}

std::vector<Matrix3d> random_weights(const Problem& problem, bool symmetric) {
  std::vector<Matrix3d> D(problem.constraints.size(), Matrix3d::Zero());
  for (size_t i = 0; i < D.size(); ++i) {
    const int rows = problem.constraints[i].rows;
    if (i % 5 == 4) continue;  // a constraint that does not act
    const Matrix3d X = Matrix3d::Random();
    const Matrix3d full =
        symmetric ? Matrix3d(X * X.transpose()) : Matrix3d(0.3 * X + 2 * Matrix3d::Identity());
    D[i].topLeftCorner(rows, rows) = full.topLeftCorner(rows, rows);
  }
  return D;
}

class NewtonMatrixKinds : public testing::TestWithParam<Factorization> {};

TEST_P(NewtonMatrixKinds, InvertsTheProductsOfEverySubsystemAndPort) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Problem problem = random_problem(seed);
    validate(problem);
    NewtonMatrix K(problem);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto D = random_weights(problem, GetParam() == Factorization::kCholesky);
      const VectorXd exact = VectorXd::Random(problem.n());
      VectorXd x = multiply(problem, D, exact);
      K.assemble(D);
      ASSERT_TRUE(K.factorize(GetParam()));
      K.solve_in_place(x);
      EXPECT_LT((x - exact).norm(), 1e-9 * exact.norm());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, NewtonMatrixKinds,
                         testing::Values(Factorization::kCholesky, Factorization::kLu));

TEST(NewtonMatrix, WithoutConstraintsItIsTheInverseOfA) {
  Problem problem = random_problem(3);
  problem.constraints.clear();
  NewtonMatrix K(problem);
  const VectorXd exact = VectorXd::Random(problem.n());
  VectorXd x = multiply(problem, {}, exact);
  K.assemble({});
  ASSERT_TRUE(K.factorize(Factorization::kCholesky));
  K.solve_in_place(x);
  EXPECT_LT((x - exact).norm(), 1e-12);
}

}  // namespace
}  // namespace stiction
