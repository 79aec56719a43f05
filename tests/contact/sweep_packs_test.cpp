// Sweeps over packs of constraints against sweeps over one after the other.
#include "contact/sweep_packs.h"

#include <gtest/gtest.h>
#include <stiction/problem.h>
#include <stiction/solve.h>

#include <cstdlib>

#include "contact/jacobian.h"
#include "contact/one_contact.h"
#include "contact/residual.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

TEST(LaneLaws, EveryLaneIsAsOneContact) {
  std::srand(5);
  int slips = 0;
  for (int round = 0; round < 500; ++round) {
    Matrix3d W[kLanes];
    double mu[kLanes], gamma[kLanes] = {};
    Lanes W_lanes[6], mu_lanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Matrix3d X = Matrix3d::Random();
      W[lane] = X * X.transpose() + 0.05 * Matrix3d::Identity();
      mu[lane] = lane == 1 ? 0 : std::abs(Vector3d::Random()[0]);
      mu_lanes[lane] = mu[lane];
      for (int r = 0, k = 0; r < 3; ++r) {
        for (int c = 0; c <= r; ++c, ++k) W_lanes[k][lane] = W[lane](r, c);
      }
    }
    ContactLanes contacts(W_lanes, mu_lanes);
    for (int again = 0; again < 3; ++again) {  // the second time with a memory of the first
      Vector3d u[kLanes], before[kLanes];
      Lanes u_lanes[3], lambda[3];
      for (int lane = 0; lane < kLanes; ++lane) {
        u[lane].setRandom();
        before[lane] = 0.3 * Vector3d::Random();
        for (int r = 0; r < 3; ++r) {
          u_lanes[r][lane] = u[lane][r];
          lambda[r][lane] = before[lane][r];
        }
      }
      contacts.solve(u_lanes, lambda);
      for (int lane = 0; lane < kLanes; ++lane) {
        const Vector3d expected =
            OneContact(W[lane], mu[lane]).solve(u[lane] - W[lane] * before[lane], gamma[lane]);
        const Vector3d found(lambda[0][lane], lambda[1][lane], lambda[2][lane]);
        EXPECT_LT((found - expected).norm(), 1e-11 * (1 + expected.norm()));
        slips += gamma[lane] > 0;
      }
    }
  }
  EXPECT_GT(slips, 1000);
}

// A pile has packs; the constraints of robots go one by one.
class SweepsOf : public testing::TestWithParam<const char*> {};

TEST_P(SweepsOf, KeepVelocitiesAndKnowTheirResidual) {
  const Problem problem = generate_problem(GetParam(), 3);
  const DynamicsFactor factor(problem);
  const ResidualEvaluator evaluator(problem, factor);
  const RootRows& rows = evaluator.rows();
  SweepPacks packs(problem, rows);
  VectorXd lambda = VectorXd::Zero(problem.n_c());
  VectorXd packed = packs.pack(lambda);
  VectorXd w, expected_w, Jv(problem.n_c());
  rows.move_to(lambda, w);
  for (int sweep = 0; sweep < 200; ++sweep) {
    packs.sweep(packed, w);
    packs.unpack(packed, lambda);
    EXPECT_EQ(packs.pack(lambda), packed);
    rows.move_to(lambda, expected_w);
    ASSERT_LT((w - expected_w).norm(), 1e-12 * (1 + w.norm()) * (sweep + 1));  // w = w(lambda)
    rows.multiply(w, Jv);
    const double scaled = evaluator.scaled_at(lambda, Jv);
    ASSERT_NEAR(packs.residual(packed, w), scaled, 1e-12 * (1 + scaled));
  }
}

TEST_P(SweepsOf, LeaveASolutionAsItIs) {
  const Problem problem = generate_problem(GetParam(), 3);
  Solution solution;
  Budget budget;
  budget.tolerance = 1e-11;
  solve(problem, "grip", budget, false, solution);
  ASSERT_EQ(solution.report.status, Status::kSolved);
  const DynamicsFactor factor(problem);
  const RootRows rows(problem, factor);
  SweepPacks packs(problem, rows);
  const VectorXd before = packs.pack(solution.lambda);
  VectorXd after = before;
  VectorXd w;
  rows.move_to(solution.lambda, w);
  packs.sweep(after, w);
  const VectorXd change = packs.packed_weights().cwiseProduct(after - before);  // m/s
  EXPECT_LT(change.cwiseAbs().maxCoeff(), 1e-8);

  // From elsewhere it comes nearer.
  VectorXd packed = 0 * before;
  rows.move_to(0 * solution.lambda, w);
  const double first = packs.residual(packed, w);
  for (int sweep = 0; sweep < 100; ++sweep) packs.sweep(packed, w);
  EXPECT_LT(packs.residual(packed, w), 0.1 * first);
}

TEST_P(SweepsOf, WeightsAreOneOverTheMasses) {
  const Problem problem = generate_problem(GetParam(), 3);
  const DynamicsFactor factor(problem);
  const RootRows rows(problem, factor);
  const SweepPacks packs(problem, rows);
  VectorXd weights(problem.n_c());
  packs.unpack(packs.packed_weights(), weights);
  for (int i = 0; i < rows.count(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    for (int r = 0; r < constraint.rows; ++r) {
      EXPECT_EQ(weights[constraint.row_begin + r], 1 / rows.masses()[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SweepsOf, testing::Values("pile", "robot", "stack", "arm"));

}  // namespace
}  // namespace stiction
