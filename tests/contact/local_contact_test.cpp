// The exact solution of one contact, and the columns that Gauss-Seidel keeps, against dense
// algebra.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdlib>

#include "contact/columns.h"
#include "contact/delassus.h"
#include "contact/one_contact.h"
#include "contact/random_problem.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

TEST(OneContactAlone, SatisfiesSignoriniAndCoulomb) {
  std::srand(2);
  int open = 0, stick = 0, slip = 0;
  for (int k = 0; k < 3000; ++k) {
    const Matrix3d X = Matrix3d::Random();
    const Matrix3d W = X * X.transpose() + 0.05 * Matrix3d::Identity();
    const Vector3d u_free = Vector3d::Random();
    const double mu = std::abs(Vector3d::Random()[0]) * 0.8;
    double gamma = k % 3 == 0 ? 0 : 5;
    const Vector3d lambda = OneContact(W, mu).solve(u_free, gamma);
    const Vector3d u = W * lambda + u_free;
    const double lambda_t = lambda.head<2>().norm();
    EXPECT_GE(lambda[2], 0);
    EXPECT_GE(u[2], -1e-10);
    EXPECT_NEAR(lambda[2] * u[2], 0, 1e-10);
    EXPECT_LE(lambda_t, mu * lambda[2] + 1e-10);
    if (lambda[2] == 0) {
      ++open;
    } else if (u.head<2>().norm() < 1e-9) {
      ++stick;
    } else {  // on the cone, against the sliding
      ++slip;
      EXPECT_NEAR(lambda_t, mu * lambda[2], 1e-9);
      EXPECT_NEAR(lambda.head<2>().dot(u.head<2>()), -lambda_t * u.head<2>().norm(), 1e-8);
    }
  }
  EXPECT_GT(open, 100);
  EXPECT_GT(stick, 50);
  EXPECT_GT(slip, 100);
}

TEST(Columns, AgreeWithTheDenseDelassusMatrix) {
  const Problem problem = random_problem(11);
  const DynamicsFactor factor(problem);
  const ConstraintColumns columns(problem, factor);
  const Eigen::MatrixXd W = scaled_delassus(problem, factor, VectorXd::Ones(problem.n_c()));
  VectorXd v = VectorXd::Zero(ConstraintColumns::padded(problem.n()));
  v.head(problem.n()).setRandom();
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd Jv(problem.n_c());
  multiply_J(problem, v.head(problem.n()), V, Jv);
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    const Constraint& constraint = problem.constraints[i];
    const int rows = constraint.rows;
    EXPECT_TRUE(
        columns.alone(i)
            .W()
            .topLeftCorner(rows, rows)
            .isApprox(W.block(constraint.row_begin, constraint.row_begin, rows, rows), 1e-9));
    EXPECT_TRUE(columns.velocity(i, v).head(rows).isApprox(
        (Jv + problem.e).segment(constraint.row_begin, rows), 1e-9));
    VectorXd lambda = VectorXd::Zero(problem.n_c());
    const Vector3d change(0.3, -0.4, 0.5);
    set_rows(constraint, change, lambda);
    VectorXd expected = VectorXd::Zero(problem.n());
    add_J_transposed(problem, lambda, V, expected);
    factor.solve_in_place(expected);
    VectorXd moved = v;
    columns.add(i, rows == 3 ? change : Vector3d(change[0], 0, 0), moved);
    EXPECT_TRUE((moved - v).head(problem.n()).isApprox(expected, 1e-9));
    EXPECT_TRUE(moved.tail(moved.size() - problem.n()).isZero(0));
    if (columns.only_dof(i) < 0) continue;
    EXPECT_NEAR(columns.row_velocity(i, v), columns.velocity(i, v)[0], 1e-12);
    VectorXd moved_by_row = v;
    columns.add_row(i, change[0], moved_by_row);
    EXPECT_EQ(moved_by_row, moved);
  }
}

}  // namespace
}  // namespace stiction
