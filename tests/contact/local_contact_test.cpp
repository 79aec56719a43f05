// The exact solution of one contact, and the rows that Gauss-Seidel keeps, against dense
// algebra.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdlib>

#include "contact/delassus.h"
#include "contact/one_contact.h"
#include "contact/random_problem.h"
#include "contact/root_rows.h"

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

TEST(RootRows, AgreeWithTheDenseDelassusMatrix) {
  const Problem problem = random_problem(11);
  const DynamicsFactor factor(problem);
  const RootRows rows(problem, factor);
  const Eigen::MatrixXd W = scaled_delassus(problem, factor, VectorXd::Ones(problem.n_c()));
  const VectorXd lambda = VectorXd::Random(problem.n_c());
  VectorXd v = problem.b;
  Matrix6Xd V(6, problem.bodies.size());
  add_J_transposed(problem, lambda, V, v);
  factor.solve_in_place(v);
  VectorXd Jv(problem.n_c());
  multiply_J(problem, v, V, Jv);

  VectorXd w, Zw(problem.n_c());
  rows.move_to(lambda, w);
  rows.multiply(w, Zw);
  EXPECT_LT((Zw - Jv).norm(), 1e-9 * Jv.norm());
  for (int i = 0; i < rows.count(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    const int begin = constraint.row_begin;
    const int count = constraint.rows;
    EXPECT_TRUE(
        rows.W(i).topLeftCorner(count, count).isApprox(W.block(begin, begin, count, count), 1e-9));
    EXPECT_TRUE(
        rows.velocity(i, w).head(count).isApprox((Jv + problem.e).segment(begin, count), 1e-8));
    const Vector3d change(0.3, -0.4, 0.5);
    VectorXd moved = w;
    rows.add(i, change, moved);
    VectorXd Z_moved(problem.n_c());
    rows.multiply(moved, Z_moved);
    const VectorXd expected = W.middleCols(begin, count) * change.head(count);
    EXPECT_LT((Z_moved - Zw - expected).norm(), 1e-9 * Zw.norm());
    const RootRows::Quads quads = rows.quads_of(i);
    Vector3d by_quads = Vector3d::Zero();
    for (int k = 0; k < quads.count; ++k) {
      for (int r = 0; r < count; ++r) {
        for (int c = 0; c < kQuad; ++c) {
          by_quads[r] += quads.Z[count * k + r].x[c] * w[quads.place[k] + c];
        }
      }
    }
    EXPECT_LT((by_quads - (rows.velocity(i, w) - rows.e(i))).norm(), 1e-12 * (1 + Zw.norm()));
  }
}

// The parts of W by subsystem, each as often as constraints touch it.
TEST(RootRows, ShareMassesOutAmongConstraints) {
  const Problem problem = random_problem(11);
  const DynamicsFactor factor(problem);
  const RootRows rows(problem, factor);
  Eigen::MatrixXd J(problem.n_c(), problem.n());
  Matrix6Xd V(6, problem.bodies.size());
  for (int d = 0; d < problem.n(); ++d) {
    VectorXd column(problem.n_c());
    multiply_J(problem, VectorXd::Unit(problem.n(), d), V, column);
    J.col(d) = column;
  }
  std::vector<int> touched(problem.subsystems.size(), 0);
  const auto part = [&](const Constraint& constraint, size_t j) {
    const Subsystem& subsystem = problem.subsystems[j];
    return Eigen::MatrixXd(
        J.block(constraint.row_begin, subsystem.dof_begin, constraint.rows, subsystem.dof_count));
  };
  for (const Constraint& constraint : problem.constraints) {
    for (size_t j = 0; j < touched.size(); ++j) touched[j] += !part(constraint, j).isZero(0);
  }
  for (int i = 0; i < rows.count(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(constraint.rows, constraint.rows);
    for (size_t j = 0; j < touched.size(); ++j) {
      const Subsystem& subsystem = problem.subsystems[j];
      for (int r = 0; r < constraint.rows; ++r) {
        VectorXd x = VectorXd::Zero(problem.n());
        x.segment(subsystem.dof_begin, subsystem.dof_count) =
            part(constraint, j).row(r).transpose();
        factor.solve_in_place(x);
        expected.col(r) += touched[j] * J.middleRows(constraint.row_begin, constraint.rows) * x;
      }
    }
    EXPECT_TRUE(
        rows.shared_W(i).topLeftCorner(constraint.rows, constraint.rows).isApprox(expected, 1e-9))
        << i;
  }
}

}  // namespace
}  // namespace stiction
