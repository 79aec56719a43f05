// The residual is zero exactly when every law holds, and means the same at every scale.
#include "contact/residual.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contact/certificate.h"
#include "contact/dense_problem.h"
#include "contact/generate.h"
#include "contact/jacobian.h"
#include "contact/random_problem.h"
#include "contact/root_rows.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Residual residual_of(const Problem& problem, const VectorXd& lambda) {
  const DynamicsFactor factor(problem);
  ResidualEvaluator evaluator(problem, factor);
  const double scaled = evaluator.scaled(lambda);
  EXPECT_EQ(evaluator.scaled_at(lambda, evaluator.Jv()), scaled);
  const VectorXd v = evaluator.velocity();
  Certificate certificate(problem, factor);
  certificate.update(lambda);
  const Residual full = certificate.measure(lambda, evaluator.masses(), v);
  EXPECT_NEAR(full.scaled, scaled, 1e-13 * (1 + scaled));  // by other arithmetic
  return full;
}

// Makes lambda the exact answer of the problem by choosing e and limits: J v + e as the law wants.
void make_solved(Problem& problem, VectorXd& lambda, Random& random) {
  lambda.setZero(problem.n_c());
  for (const Constraint& c : problem.constraints) {
    const double n = random.uniform(0.1, 1);
    const double part = random.integer(0, 1) == 0 ? 0.5 : 1;  // stick or slip
    if (c.type == ConstraintType::kContact) {
      set_rows(c, Vector3d(part * c.mu * n, 0, n), lambda);
    } else {
      set_rows(c, Vector3d(c.type == ConstraintType::kJointFriction ? n * c.bound : n, 0, 0),
               lambda);
    }
  }
  const MatrixXd J = dense_J(problem);
  const VectorXd v = dense_A(problem).llt().solve(problem.b + J.transpose() * lambda);
  const VectorXd Jv = J * v;
  for (Constraint& c : problem.constraints) {
    const Vector3d l = rows_of(c, lambda);
    const Vector3d w = rows_of(c, Jv);
    Vector3d u = Vector3d::Zero();
    if (c.type == ConstraintType::kContact && l[0] == c.mu * l[2]) u[0] = -random.uniform(0, 1);
    if (c.type == ConstraintType::kSoft) {
      set_rows(c, -(l + c.c * w) / c.k, problem.e);
    } else {
      set_rows(c, u - w, problem.e);
    }
    if (c.type == ConstraintType::kJointLimit) {
      c.lower = 0;
      c.upper = 1;
    }
  }
}

TEST(Residual, IsZeroAtASolution) {
  Random random(7);
  for (unsigned seed = 1; seed < 9; ++seed) {
    Problem problem = random_problem(seed);
    VectorXd lambda;
    make_solved(problem, lambda, random);
    const Residual r = residual_of(problem, lambda);
    EXPECT_LT(r.scaled, 1e-10);
    EXPECT_LT(r.paper, 1e-10);
    EXPECT_LT(r.err_v, 1e-9);
    EXPECT_LT(r.cone_violation, 1e-10);
    EXPECT_LT(r.penetration_rate, 1e-9);
    EXPECT_LT(r.complementarity, 1e-9);
    EXPECT_LT(r.dynamics, 1e-10);
  }
}

// Any one law broken shows, in the part of its type, and the constraint is named.
TEST(Residual, SeesEveryBrokenLaw) {
  Random random(8);
  Problem problem = random_problem(2);
  VectorXd lambda;
  make_solved(problem, lambda, random);
  const DynamicsFactor factor(problem);
  const VectorXd m = RootRows(problem, factor).masses();
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    const Constraint& c = problem.constraints[i];
    Problem broken = problem;
    // Into the constraint by 1 m/s; a limit is moved beyond the velocity instead.
    if (c.type == ConstraintType::kJointLimit) {
      broken.constraints[i].lower += 1;
    } else {
      broken.e[c.row_begin + (c.type == ConstraintType::kContact ? 2 : 0)] -= 1;
    }
    const Residual r = residual_of(broken, lambda);
    EXPECT_EQ(r.worst_constraint, i);
    const double count = static_cast<double>(problem.constraints.size());
    const double parts[] = {r.contact, r.unilateral,     r.equality,
                            r.soft,    r.joint_friction, r.joint_limit};
    EXPECT_NEAR(parts[static_cast<int>(c.type)], r.scaled, 1e-9);
    double expected = 1;
    if (c.type == ConstraintType::kSoft) expected = c.k / m[i];
    if (c.type == ConstraintType::kJointFriction) {  // no more than it can still push
      expected = std::min(1.0, (c.bound - lambda[c.row_begin]) / m[i]);
    }
    if (c.type != ConstraintType::kContact) {
      EXPECT_NEAR(r.scaled * count, expected, 1e-8) << i;
    } else {
      EXPECT_GE(r.scaled * count, 1 - 1e-8) << i;
    }
  }
}

// [TRO25] VII as printed: z = J v - lambda + T(lambda - J v - e), |J v - z| / count.
TEST(Residual, OfThePaperIsItsFormula) {
  const Problem problem = generate_problem("stack", 5);
  VectorXd lambda(problem.n_c());
  Random random(9);
  for (double& x : lambda) x = random.uniform(-0.1, 0.3);
  const VectorXd v =
      dense_A(problem).llt().solve(problem.b + dense_J(problem).transpose() * lambda);
  const VectorXd Jv = dense_J(problem) * v;
  double sum = 0;
  for (const Constraint& c : problem.constraints) {
    const Vector3d s = rows_of(c, lambda) - rows_of(c, Jv) - rows_of(c, problem.e);
    Vector3d T = Vector3d::Zero();
    if (s[2] > 0) {
      const double radius = c.mu * s[2];
      const double clip = std::min(1.0, radius / s.head<2>().norm());
      T = Vector3d(clip * s[0], clip * s[1], s[2]);
    }
    sum += (rows_of(c, lambda) - T).squaredNorm();
  }
  const double count = static_cast<double>(problem.constraints.size());
  EXPECT_NEAR(residual_of(problem, lambda).paper / (std::sqrt(sum) / count), 1, 1e-9);
}

TEST(Residual, ScaledDoesNotDependOnTheScaleOfMasses) {
  Random random(10);
  for (const char* kind : {"stack", "slide", "robot"}) {
    const Problem problem = generate_problem(kind, 6);
    VectorXd lambda(problem.n_c());
    for (double& x : lambda) x = random.uniform(-0.01, 0.03);
    const Residual expected = residual_of(problem, lambda);
    for (double mass : {1e-4, 1e4}) {
      const Residual r = residual_of(scaled_problem(problem, mass, 1), mass * lambda);
      EXPECT_NEAR(r.scaled / expected.scaled, 1, 1e-9) << kind;
      EXPECT_NEAR(r.err_v / expected.err_v, 1, 1e-9) << kind;
      EXPECT_EQ(r.worst_constraint, expected.worst_constraint);
    }
  }
}

TEST(Residual, NanIsNeverSmall) {
  const Problem problem = generate_problem("tower", 0);
  VectorXd lambda = VectorXd::Zero(problem.n_c());
  lambda[4] = std::nan("");
  const DynamicsFactor factor(problem);
  ResidualEvaluator evaluator(problem, factor);
  EXPECT_FALSE(evaluator.scaled(lambda) < 1e300);
  Certificate certificate(problem, factor);
  certificate.update(lambda);
  EXPECT_FALSE(certificate.measure(lambda, evaluator.masses()).scaled < 1e300);
}

}  // namespace
}  // namespace stiction
