// Operators against their definitions, derivatives and energies against finite differences.
#include "contact/operators.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "contact/generate.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Case {
  ConstraintType type;
  ContactLaw law;
  int rows;
};

const std::vector<Case> kCases = {
    {ConstraintType::kContact, ContactLaw::kStrict, 3},
    {ConstraintType::kContact, ContactLaw::kProximal, 3},
    {ConstraintType::kUnilateral, ContactLaw::kStrict, 1},
    {ConstraintType::kEquality, ContactLaw::kStrict, 1},
    {ConstraintType::kEquality, ContactLaw::kStrict, 3},
    {ConstraintType::kSoft, ContactLaw::kStrict, 1},
    {ConstraintType::kSoft, ContactLaw::kStrict, 3},
    {ConstraintType::kJointFriction, ContactLaw::kStrict, 1},
    {ConstraintType::kJointLimit, ContactLaw::kStrict, 1},
};

struct Sample {
  Constraint constraint;
  double beta = 1;
  Vector3d e = Vector3d::Zero();
  Vector3d s = Vector3d::Zero();

  Vector3d apply(ContactLaw law, const Vector3d& at) const {
    return apply_operator(constraint, law, beta, e, at);
  }
};

Sample random_sample(Random& random, const Case& which) {
  Sample sample;
  Constraint& c = sample.constraint;
  c.type = which.type;
  c.rows = which.rows;
  c.mu = random.integer(0, 9) == 0 ? 0 : random.uniform(0, 2);
  c.bound = random.uniform(0.1, 1);
  c.lower = -random.uniform(0, 1);
  c.upper = random.uniform(0, 1);
  c.k = random.uniform(0, 2);
  c.c = random.uniform(0.1, 2);
  sample.beta = random.log_uniform(0.1, 10);
  const int rows = which.rows;
  sample.e.head(rows) = random.in_ball(1).head(rows);
  sample.s.head(rows) = random.in_ball(3).head(rows);
  return sample;
}

// Distance of s from where the operator's branch changes; steps must be smaller.
double kink_distance(const Sample& sample) {
  const Constraint& c = sample.constraint;
  const Vector3d& s = sample.s;
  const double s_t = std::hypot(s[0], s[1]);
  switch (c.type) {
    case ConstraintType::kContact:
      return std::min(
          {std::abs(s_t - c.mu * s[2]), std::abs(c.mu * s_t + s[2]), std::abs(s[2]), s_t});
    case ConstraintType::kUnilateral:
      return std::abs(s[0]);
    case ConstraintType::kJointFriction:
      return std::abs(std::abs(s[0]) - c.bound);
    case ConstraintType::kJointLimit:
      return std::min(std::abs(s[0] + sample.beta * c.upper),
                      std::abs(s[0] + sample.beta * c.lower));
    default:
      return 1;
  }
}

template <class Check>
void for_samples(const Check& check) {
  Random random(1);
  for (const Case& which : kCases) {
    for (int k = 0; k < 400; ++k) {
      const Sample sample = random_sample(random, which);
      if (kink_distance(sample) < 1e-3) continue;
      SCOPED_TRACE("type " + std::to_string(static_cast<int>(which.type)) + ", law " +
                   std::to_string(static_cast<int>(which.law)));
      check(which, sample);
    }
  }
}

TEST(Operators, DerivativesMatchFiniteDifferences) {
  const double h = 1e-6;
  for_samples([&](const Case& which, const Sample& sample) {
    Matrix3d dT;
    const Vector3d lambda =
        apply_operator(sample.constraint, which.law, sample.beta, sample.e, sample.s, dT);
    EXPECT_LT((lambda - sample.apply(which.law, sample.s)).norm(), 1e-14);
    for (int c = 0; c < which.rows; ++c) {
      const Vector3d step = h * Vector3d::Unit(c);
      const Vector3d slope =
          (sample.apply(which.law, sample.s + step) - sample.apply(which.law, sample.s - step)) /
          (2 * h);
      EXPECT_LT((dT.col(c) - slope).norm(), 1e-5);
    }
    EXPECT_TRUE(dT.rightCols(3 - which.rows).isZero(0));
    EXPECT_TRUE(dT.bottomRows(3 - which.rows).isZero(0));
  });
}

TEST(Operators, AlongADirectionAreTheDerivativesOfTheWhole) {
  for_samples([&](const Case& which, const Sample& sample) {
    Matrix3d dT;
    const Vector3d lambda =
        apply_operator(sample.constraint, which.law, sample.beta, sample.e, sample.s, dT);
    Vector3d d = Vector3d::Zero();
    d.head(which.rows) = Vector3d(0.3, -0.7, 0.5).head(which.rows);
    const AlongDirection along =
        operator_along(sample.constraint, which.law, sample.beta, sample.e, sample.s, d);
    EXPECT_NEAR(along.value, d.dot(lambda), 1e-14);
    EXPECT_NEAR(along.derivative, d.dot(dT * d), 1e-14);
  });
}

TEST(Operators, EnergiesHaveTheOperatorAsGradient) {
  const double h = 1e-6;
  for_samples([&](const Case& which, const Sample& sample) {
    const Vector3d lambda = sample.apply(ContactLaw::kProximal, sample.s);
    const auto energy = [&](const Vector3d& s) {
      return operator_energy(sample.constraint, sample.beta, sample.e, s);
    };
    for (int c = 0; c < which.rows; ++c) {
      const Vector3d step = h * Vector3d::Unit(c);
      EXPECT_NEAR((energy(sample.s + step) - energy(sample.s - step)) / (2 * h), lambda[c], 1e-6);
    }
  });
}

// All but the strict contact: derivatives of convex functions are symmetric with eigenvalues in
// [0, 1], so T is monotone and does not expand.
TEST(Operators, DerivativesAreSymmetricBetweenZeroAndOne) {
  for_samples([&](const Case& which, const Sample& sample) {
    if (which.type == ConstraintType::kContact && which.law == ContactLaw::kStrict) return;
    Matrix3d dT;
    apply_operator(sample.constraint, which.law, sample.beta, sample.e, sample.s, dT);
    EXPECT_LT((dT - dT.transpose()).norm(), 1e-14);
    const Vector3d eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix3d>(dT).eigenvalues();
    EXPECT_GE(eigenvalues.minCoeff(), -1e-14);
    EXPECT_LE(eigenvalues.maxCoeff(), 1 + 1e-14);
  });
}

TEST(Operators, ProjectionsLandOnTheirSetsAndStay) {
  Random random(2);
  for (int k = 0; k < 1000; ++k) {
    const double mu = random.uniform(0, 2);
    const Vector3d s = random.in_ball(3);
    for (const Vector3d& lambda : {project_strict(mu, s), project_cone(mu, s)}) {
      EXPECT_GE(lambda[2], 0);
      EXPECT_LE(lambda.head<2>().norm(), mu * lambda[2] + 1e-14);
      EXPECT_LT((project_strict(mu, lambda) - lambda).norm(), 1e-14);
      EXPECT_LT((project_cone(mu, lambda) - lambda).norm(), 1e-14);
    }
    // The nearest point: what is left over is polar to the cone and square to the point.
    const Vector3d p = project_cone(mu, s);
    const Vector3d rest = s - p;
    EXPECT_LE(mu * rest.head<2>().norm(), -rest[2] + 1e-13);
    EXPECT_NEAR(rest.dot(p), 0, 1e-13);
  }
}

// [TRO25] Prop. 2: lambda = T(lambda - beta u), strict, is the Signorini-Coulomb law for (u,
// lambda).
TEST(Operators, FixedPointsOfTheStrictOperatorObeyCoulomb) {
  Random random(3);
  int seen[3] = {0, 0, 0};
  for (int k = 0; k < 1000; ++k) {
    const double mu = random.uniform(0.1, 2);
    const double beta = random.log_uniform(0.1, 10);
    const Vector3d s = random.in_ball(3);
    const Vector3d lambda = project_strict(mu, s);
    const Vector3d u = (lambda - s) / beta;
    EXPECT_GE(lambda[2], 0);
    EXPECT_GE(u[2], 0);
    EXPECT_NEAR(lambda[2] * u[2], 0, 1e-13);
    const double u_t = u.head<2>().norm();
    EXPECT_LE(lambda.head<2>().norm(), mu * lambda[2] + 1e-13);
    EXPECT_NEAR(lambda.head<2>().dot(u.head<2>()), -mu * lambda[2] * u_t, 1e-12);
    ++seen[lambda[2] == 0 ? 0 : u_t == 0 ? 1 : 2];
  }
  for (int count : seen) EXPECT_GT(count, 50);  // open, stick and slip all occurred
}

// And the other way round: pairs built to obey the law are fixed points, for any beta.
TEST(Operators, CoulombPairsAreFixedPoints) {
  Random random(4);
  for (int k = 0; k < 300; ++k) {
    const double mu = random.uniform(0.1, 2);
    const double n = random.uniform(0.1, 1);
    const double angle = random.uniform(0, 6.28);
    const Vector3d t(std::cos(angle), std::sin(angle), 0);
    const double speed = random.uniform(0.1, 1);
    const std::vector<std::pair<Vector3d, Vector3d>> pairs = {
        {Vector3d::Zero(), random.uniform(-1, 1) * t + Vector3d(0, 0, speed)},  // open
        {0.9 * mu * n * t + Vector3d(0, 0, n), Vector3d::Zero()},               // stick
        {-mu * n * t + Vector3d(0, 0, n), speed * t},                           // slip
    };
    for (const auto& [lambda, u] : pairs) {
      const double beta = random.log_uniform(0.01, 100);
      EXPECT_LT((project_strict(mu, lambda - beta * u) - lambda).norm(), 1e-13);
    }
  }
}

// T(lambda - beta (Jv + e)) = lambda has the law's own lambda as its solution, for every beta.
TEST(Operators, SoftAndJointLawsHoldAtFixedPoints) {
  Random random(5);
  for (int k = 0; k < 300; ++k) {
    const double beta = random.log_uniform(0.1, 10);
    const double e = random.uniform(-1, 1);
    const double Jv = random.uniform(-1, 1);
    const auto image = [&](const Constraint& c, double lambda, double offset) {
      return apply_operator(c, ContactLaw::kStrict, beta, {offset, 0, 0},
                            {lambda - beta * (Jv + offset), 0, 0})[0];
    };
    Constraint soft{.type = ConstraintType::kSoft, .rows = 1};
    soft.k = random.uniform(0, 2);
    soft.c = random.uniform(0.1, 2);
    const double force = -soft.k * e - soft.c * Jv;
    EXPECT_NEAR(image(soft, force, e), force, 1e-12);

    Constraint friction{.type = ConstraintType::kJointFriction, .rows = 1};
    friction.bound = random.uniform(0.1, 1);
    const double drag = Jv > 0 ? -friction.bound : friction.bound;
    EXPECT_NEAR(image(friction, drag, 0), drag, 1e-12);

    Constraint limit{.type = ConstraintType::kJointLimit, .rows = 1};
    limit.lower = Jv;  // at its lower limit, pushed back by any positive impulse
    limit.upper = Jv + 1;
    EXPECT_NEAR(image(limit, 0.7, 0), 0.7, 1e-12);
    limit.upper = Jv;
    limit.lower = Jv - 1;
    EXPECT_NEAR(image(limit, -0.7, 0), -0.7, 1e-12);
    limit.lower = Jv - 1;
    limit.upper = Jv + 1;
    EXPECT_EQ(image(limit, 0, 0), 0);
  }
}

}  // namespace
}  // namespace stiction
