// SubADMM against Algorithm 2 written out with dense matrices, its options against each other, and
// what its cost depends on.
#include <gtest/gtest.h>
#include <stiction/solve.h>

#include <Eigen/Cholesky>

#include "contact/operators.h"
#include "contact/random_problem.h"
#include "contact/root_rows.h"
#include "contact/solvers.h"
#include "contact/subadmm_pack.h"
#include "contact/subadmm_state.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Solution iterate(const Problem& problem, const SubAdmmOptions& options, int iterations,
                 int threads = 1) {
  Solution solution;
  solve_with(problem, options, {.tolerance = 0, .max_iterations = iterations, .threads = threads},
             false, solution);
  return solution;
}

// J_ij on all dofs, by unit velocities.
MatrixXd dense_end(const Problem& problem, const SplitProblem& split, const SlotEnd& end) {
  MatrixXd J(3, problem.n());
  std::vector<Row6> x(split.slots.size());
  for (int d = 0; d < problem.n(); ++d) {
    set_slots(problem, split, VectorXd::Unit(problem.n(), d), x);
    J.col(d) = end.block * Eigen::Map<const Vector6d>(x[end.slot].x);
  }
  return J;
}

// lambda after `iterations` of Algorithm 2, line by line: v by (35), y and z by (36), u by (40).
VectorXd algorithm_2(const Problem& problem, double relaxation, int iterations,
                     const VectorXd& v_start) {
  const SplitProblem split = split_by_bodies(problem);
  const DynamicsFactor factor(problem);
  const SubAdmmOptions options{.first_recount = 0};
  const Penalty penalty(problem, split, RootRows(problem, factor).masses(), options);
  const int n = problem.n();
  MatrixXd A(n, n);
  Matrix6Xd V(6, problem.bodies.size()), W = V;
  for (int d = 0; d < n; ++d) {
    VectorXd column(n);
    multiply_A(problem, VectorXd::Unit(n, d), V, W, column);
    A.col(d) = column;
  }
  const int ends = static_cast<int>(split.ends.size());
  std::vector<MatrixXd> J(ends);
  VectorXd beta(ends);
  MatrixXd M = A;
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    for (int k = split.end_begin[i]; k < split.end_begin[i + 1]; ++k) {
      J[k] = dense_end(problem, split, split.ends[k]);
      J[k].bottomRows(3 - problem.constraints[i].rows).setZero();
      beta[k] = penalty.weights()[i] * penalty.beta()[split.slots[split.ends[k].slot].subsystem];
      M += beta[k] * J[k].transpose() * J[k];
    }
  }
  const Eigen::LLT<MatrixXd> llt(M);
  VectorXd lambda = VectorXd::Zero(problem.n_c());
  std::vector<Vector3d> z(ends), u(ends, Vector3d::Zero());
  for (int k = 0; k < ends; ++k) z[k] = J[k] * v_start;
  for (int l = 0; l < iterations; ++l) {
    VectorXd rhs = problem.b;
    for (int k = 0; k < ends; ++k) rhs += J[k].transpose() * (beta[k] * z[k] - u[k]);
    const VectorXd v = llt.solve(rhs);  // (35)
    for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
      const Constraint& constraint = problem.constraints[i];
      const Vector3d e = rows_of(constraint, problem.e);
      Vector3d sum = e;  // of y / beta and e
      double inverse = 0;
      for (int k = split.end_begin[i]; k < split.end_begin[i + 1]; ++k) {
        z[k] = relaxation * (J[k] * v) + (1 - relaxation) * z[k];
        sum += z[k] + u[k] / beta[k];
        inverse += 1 / beta[k];
      }
      const Vector3d li = apply_operator(constraint, ContactLaw::kStrict, 1 / inverse, e,
                                         -sum / inverse);  // (37)-(39)
      set_rows(constraint, li, lambda);
      for (int k = split.end_begin[i]; k < split.end_begin[i + 1]; ++k) {
        z[k] += (u[k] + li) / beta[k];  // (36)
        u[k] = -li;                     // (40)
      }
    }
  }
  return lambda;
}

VectorXd free_velocity(const Problem& problem) {
  VectorXd v = problem.b;
  DynamicsFactor(problem).solve_in_place(v);
  return v;
}

void expect_algorithm_2(const Problem& problem, double relaxation) {
  const SplitProblem split = split_by_bodies(problem);
  const DynamicsFactor factor(problem);
  const SubAdmmOptions options{.first_recount = 0, .relaxation = relaxation};
  const Penalty penalty(problem, split, RootRows(problem, factor).masses(), options);
  ConstraintPacks constraints(problem, split, 1);
  SubsystemBlocks subsystems(problem, split, penalty.weights(), false, 1);
  ASSERT_TRUE(subsystems.factorize(penalty.beta()));
  constraints.set_rho(penalty.rho());
  std::vector<Row6> x = constraints.make_slots(), wrenches = constraints.make_wrenches();
  const VectorXd v_start = free_velocity(problem);
  set_slots(problem, split, v_start, x);
  constraints.set_lambda(VectorXd::Zero(problem.n_c()));
  constraints.write_q(wrenches);
  VectorXd lambda(problem.n_c());
  for (int l = 1; l <= 7; ++l) {
    subsystems.update(relaxation, {constraints.record_begin(), wrenches, x});
    constraints.update(relaxation, x, wrenches);
    constraints.get_lambda(lambda);
    EXPECT_TRUE(lambda.isApprox(algorithm_2(problem, relaxation, l, v_start), 1e-9)) << l;
  }
}

// One iteration after the other: on free bodies, a tree, a sparse block and every constraint type
// with arbitrary blocks, and on contacts between points.
TEST(SubAdmm, IsAlgorithm2) {
  for (double relaxation : {1.0, 1.6}) {
    expect_algorithm_2(random_problem(3), relaxation);
    expect_algorithm_2(generate_problem("stack", 1, {.size = 20}), relaxation);
    expect_algorithm_2(generate_problem("arm", 1), relaxation);
  }
}

TEST(SubAdmm, ArticulatedBodyAlgorithmGivesTheSameIterates) {
  for (const char* kind : {"arm", "robot"}) {
    const Problem problem = generate_problem(kind, 2);
    const Solution factorized = iterate(problem, {}, 60);
    const Solution articulated = iterate(problem, {.articulated = true}, 60);
    EXPECT_TRUE(articulated.lambda.isApprox(factorized.lambda, 1e-7)) << kind;
  }
}

TEST(SubAdmm, ThreadsDoNotChangeABit) {
  for (const char* kind : {"pile", "robot"}) {
    const Problem problem = generate_problem(kind, 4, {.size = kind[0] == 'p' ? 200 : 8});
    for (int anderson : {0, 10}) {
      const Solution one = iterate(problem, {.anderson = anderson}, 60, 1);
      for (int threads : {2, 4}) {
        const Solution more = iterate(problem, {.anderson = anderson}, 60, threads);
        EXPECT_EQ(more.lambda, one.lambda) << kind << ", threads " << threads;
      }
    }
  }
}

// What an open contact remembers of its impulse falls in every iteration. It ends at zero, not
// among the numbers below 1e-308 that make each operation a hundred times as slow.
TEST(SubAdmm, OpenContactsForgetTheirImpulses) {
  Problem problem = generate_problem("pile", 4, {.size = 20});
  problem.e.setOnes();  // all are wide open
  const SplitProblem split = split_by_bodies(problem);
  ConstraintPacks packs(problem, split, 1);
  packs.set_rho(VectorXd::Ones(static_cast<Eigen::Index>(problem.constraints.size())));
  packs.set_lambda(VectorXd::Ones(problem.n_c()));
  const std::vector<Row6> at_rest = packs.make_slots();
  std::vector<Row6> wrenches = packs.make_wrenches();
  for (int k = 0; k < 3000; ++k) packs.update(1.6, at_rest, wrenches);
  VectorXd tau(problem.n_c());
  packs.get_tau(tau);
  EXPECT_EQ(tau, VectorXd::Zero(tau.size()));
}

TEST(SubAdmm, EveryOptionReachesTheSameVelocity) {
  const Problem problem = generate_problem("nut", 7, {.size = 12});
  const Budget budget{.tolerance = 1e-9, .max_iterations = 20000};
  Solution plain;
  solve_with(problem, SubAdmmOptions{}, budget, false, plain);
  ASSERT_EQ(plain.report.status, Status::kSolved);
  for (const SubAdmmOptions& options : {
           SubAdmmOptions{.beta_factor = 1, .open_weight = 1, .first_recount = 0, .relaxation = 1},
           SubAdmmOptions{.adaptive_beta = true},
           SubAdmmOptions{.per_subsystem_beta = true},
           SubAdmmOptions{.y_residual = true},
           SubAdmmOptions{.anderson = 5},
       }) {
    Solution solution;
    solve_with(problem, options, budget, false, solution);
    EXPECT_EQ(solution.report.status, Status::kSolved);
    EXPECT_TRUE(solution.v.isApprox(plain.v, 1e-4));
  }
}

// What an iteration touches grows with ends and slots and with nothing else: one block per end, one
// row per end and per slot.
TEST(SubAdmm, WorkIsLinearInEndsAndSlots) {
  for (int size : {50, 100, 200}) {
    const Problem problem = generate_problem("pile", 1, {.size = size});
    const SplitProblem split = split_by_bodies(problem);
    const ConstraintPacks packs(problem, split, 1);
    EXPECT_EQ(split.ends.size(), problem.ports.size());
    EXPECT_LE(split.slots.size(), problem.bodies.size());
    EXPECT_LE(packs.make_wrenches().size(), split.ends.size() + 8 * kLanes);
    EXPECT_LE(kLanes * packs.pack_count(),
              static_cast<int>(problem.constraints.size()) + 4 * kLanes);
  }
}

TEST(SubAdmm, InvertsAllLanesAtOnce) {
  SymmetricLanes M, inverse;
  std::vector<MatrixXd> dense;
  std::srand(1);
  for (int lane = 0; lane < kLanes; ++lane) {
    const MatrixXd X = MatrixXd::Random(6, 6);
    dense.push_back(X * X.transpose() + 0.1 * MatrixXd::Identity(6, 6));
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) M.entry[i * (i + 1) / 2 + j][lane] = dense[lane](i, j);
    }
  }
  ASSERT_TRUE(invert(M, inverse));
  for (int lane = 0; lane < kLanes; ++lane) {
    MatrixXd G(6, 6);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) G(i, j) = G(j, i) = inverse.entry[i * (i + 1) / 2 + j][lane];
    }
    EXPECT_TRUE((G * dense[lane]).isIdentity(1e-10));
  }
  M.entry[20][kLanes - 1] = -1;
  EXPECT_FALSE(invert(M, inverse));
}

}  // namespace
}  // namespace stiction
