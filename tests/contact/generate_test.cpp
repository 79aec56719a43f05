// Generated problems: well formed, the same every time, and solvable where that is promised.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/solve.h>

#include <cmath>
#include <set>

#include "contact/certificate.h"
#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "contact/residual.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kSeeds = 12;

// Depth of s inside the dual friction cone { s_n >= mu |s_t| }.
double cone_depth(double mu, const Vector3d& s) { return s[2] - mu * std::hypot(s[0], s[1]); }

// v = 0 obeys every constraint strictly: open contacts, limits on both sides, equalities at rest.
bool rest_is_inside(const Problem& problem) {
  for (const Constraint& c : problem.constraints) {
    const Vector3d e = rows_of(c, problem.e);
    if (c.type == ConstraintType::kContact && !(cone_depth(c.mu, e) > 0)) return false;
    if (c.type == ConstraintType::kUnilateral && !(e[0] > 0)) return false;
    if (c.type == ConstraintType::kEquality && !e.isZero(0)) return false;
    if (c.type == ConstraintType::kJointLimit && !(c.lower < e[0] && e[0] < c.upper)) return false;
  }
  return true;
}

// Perceptron: looks for v with J v inside every dual cone; scaled up it outweighs any e.
bool some_direction_is_inside(const Problem& problem, int sweeps) {
  const DynamicsFactor factor(problem);
  Matrix6Xd V(6, problem.bodies.size());
  Matrix6Xd W(6, problem.bodies.size());
  VectorXd v = VectorXd::Zero(problem.n());
  VectorXd push(problem.n_c());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool inside = true;
    for (const Constraint& c : problem.constraints) {
      body_twists(problem, v, V);
      const Vector3d s = constraint_velocity(problem, c, v, V);
      if (cone_depth(c.mu, s) > 0) continue;
      inside = false;
      // The gradient of the depth, an element of the cone itself.
      const double s_t = std::hypot(s[0], s[1]);
      Vector3d g(0, 0, 1);
      if (s_t > 0) g.head<2>() = -c.mu * s.head<2>() / s_t;
      push.setZero();
      set_rows(c, g, push);
      VectorXd step = VectorXd::Zero(problem.n());
      add_J_transposed(problem, push, W, step);
      factor.solve_in_place(step);
      v += step;
    }
    if (inside) return true;
  }
  return false;
}

TEST(Generate, EveryKindIsAWellFormedProblem) {
  for (const std::string& kind : problem_kinds()) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      SCOPED_TRACE(kind + " " + std::to_string(seed));
      EXPECT_NO_THROW(validate(generate_problem(kind, seed)));
    }
  }
}

TEST(Generate, SameArgumentsSameBits) {
  for (const std::string& kind : problem_kinds()) {
    const Problem a = generate_problem(kind, 7);
    const Problem b = generate_problem(kind, 7);
    const Problem other = generate_problem(kind, 8);
    EXPECT_EQ(a.b, b.b) << kind;
    EXPECT_EQ(a.e, b.e) << kind;
    EXPECT_TRUE(a.n() != other.n() || a.b != other.b || a.n_c() != other.n_c() ||
                kind == "dish")  // dishes differ in where the contacts are
        << kind;
    for (size_t p = 0; p < a.ports.size(); ++p) EXPECT_EQ(a.ports[p].block, b.ports[p].block);
  }
}

TEST(Generate, PromisedKindsHaveAVelocityInsideAllDualCones) {
  for (const std::string& kind : problem_kinds()) {
    if (kind == "wedge") continue;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Problem problem = generate_problem(kind, seed);
      EXPECT_TRUE(rest_is_inside(problem) || some_direction_is_inside(problem, 3000))
          << kind << " " << seed;
    }
  }
}

TEST(Generate, WedgesHaveNone) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Problem problem = generate_problem("wedge", seed);
    EXPECT_FALSE(rest_is_inside(problem));
    EXPECT_FALSE(some_direction_is_inside(problem, 300)) << seed;
  }
}

TEST(Generate, SizesAreHonoured) {
  const auto size = [](const char* kind, GenerateOptions options) {
    return generate_problem(kind, 1, options);
  };
  EXPECT_EQ(size("stack", {.size = 33}).constraints.size(), 33u);
  EXPECT_EQ(size("nut", {.size = 61}).constraints.size(), 61u);
  EXPECT_EQ(size("dish", {}).constraints.size(), 100u);
  EXPECT_EQ(size("tower", {}).constraints.size(), 40u);
  EXPECT_EQ(size("tower", {.size = 3}).bodies.size(), 3u);
  EXPECT_EQ(size("tower", {.mass_ratio = 500}).bodies.back().H(0, 0), 500);
  EXPECT_EQ(size("pile", {.size = 20}).bodies.size(), 20u);
  EXPECT_EQ(size("empty", {.size = 4}).n(), 24);
  for (const Constraint& contact : size("slide", {.mu = 0.25}).constraints) {
    EXPECT_EQ(contact.mu, 0.25);
  }
}

TEST(Generate, PilesAreHeapsThatTouch) {
  for (int spheres : {50, 200}) {
    const Problem problem = generate_problem("pile", 3, {.size = spheres});
    // A settled heap has two to six contacts per sphere; a gas has none.
    EXPECT_GT(problem.constraints.size(), 2.0 * spheres);
    EXPECT_LT(problem.constraints.size(), 6.0 * spheres);
  }
}

TEST(Generate, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(generate_problem("castle", 1), InputError);
  EXPECT_THROW(generate_problem("stack", 1, {.size = -1}), InputError);
  EXPECT_THROW(generate_problem("stack", 1, {.mu = -0.5}), InputError);
  EXPECT_THROW(generate_problem("stack", 1, {.mu = std::nan("")}), InputError);
  EXPECT_THROW(generate_problem("tower", 1, {.mass_ratio = -2}), InputError);
  EXPECT_THROW(scaled_problem(generate_problem("one", 1), 0, 1), InputError);
}

// The same problem as without it would be taken for another one.
TEST(Generate, RefusesWhatWouldChangeNothing) {
  const auto message = [](const char* kind, const GenerateOptions& options) -> std::string {
    try {
      generate_problem(kind, 1, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("nut", {.mass_ratio = 5}), "generate: 'nut' has no mass ratio");
  EXPECT_EQ(message("one", {.size = 3}), "generate: 'one' has no size");
  EXPECT_EQ(message("empty", {.mu = 0.3}), "generate: 'empty' has no mu");
  const std::set<std::string> with_ratio = {"stack", "pile", "tower"};
  for (const std::string& kind : problem_kinds()) {
    EXPECT_EQ(message(kind.c_str(), {.size = 9}).empty(), kind != "one") << kind;
    EXPECT_EQ(message(kind.c_str(), {.mu = 0.7}).empty(), kind != "empty") << kind;
    EXPECT_EQ(message(kind.c_str(), {.mass_ratio = 3}).empty(), with_ratio.contains(kind)) << kind;
  }
}

// One step of the free sphere: m for normal and 2/7 m for tangential impulses.
TEST(Generate, OneContactHasItsClosedForm) {
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    const Problem problem = generate_problem("one", seed);
    const double mass = problem.bodies[0].H(0, 0);
    const double mu = problem.constraints[0].mu;
    const Vector3d in = problem.ports[0].block.leftCols<3>() * problem.b.head<3>() / mass;
    Vector3d expected(0, 0, 0);
    if (seed % 3 == 1) expected = -mass * Vector3d(2 * in[0] / 7, 2 * in[1] / 7, in[2]);
    if (seed % 3 == 2) {
      expected[2] = -mass * in[2];
      expected.head<2>() = -mu * expected[2] * in.head<2>().normalized();
    }
    Solution solution;
    solve(problem, "pgs", {.tolerance = 1e-13, .max_iterations = 5000}, false, solution);
    EXPECT_TRUE(solution.lambda.isApprox(expected, 1e-10) || seed % 3 == 0) << seed;
    if (seed % 3 == 0) {
      EXPECT_TRUE(solution.lambda.isZero(0)) << seed;
    }
  }
}

Residual residual_of(const Problem& problem, const VectorXd& lambda) {
  const DynamicsFactor factor(problem);
  Certificate certificate(problem, factor);
  certificate.update(lambda);
  return certificate.measure(lambda, ResidualEvaluator(problem, factor).masses());
}

// With lambda scaled by the masses, v and the residual of contacts are those of the original.
TEST(ScaledProblem, KeepsVelocitiesAndResiduals) {
  for (const char* kind : {"stack", "arm", "robot"}) {
    const Problem problem = generate_problem(kind, 5);
    VectorXd lambda(problem.n_c());
    for (int r = 0; r < lambda.size(); ++r) lambda[r] = 0.01 * std::sin(1 + 3 * r);
    const Residual expected = residual_of(problem, lambda);
    for (double mass : {1e-4, 1e4}) {
      for (double length : {1e-2, 1e2}) {
        const Problem scaled = scaled_problem(problem, mass, length);
        EXPECT_NO_THROW(validate(scaled));
        // Impulses of rows in rad/s also take a length.
        VectorXd scaled_lambda = mass * lambda;
        for (const Constraint& c : problem.constraints) {
          const Port& port = problem.ports[c.port_begin];
          if (c.rows == 1 && port.body < 0 && port.entry_count == 1) {
            scaled_lambda[c.row_begin] *= length;
          }
        }
        const Residual r = residual_of(scaled, scaled_lambda);
        EXPECT_NEAR(r.contact / expected.contact, 1, 1e-9) << kind;
        EXPECT_NEAR(r.err_v / expected.err_v, 1, 1e-9) << kind;
        if (problem.constraints.back().type == ConstraintType::kContact) continue;
        EXPECT_NEAR(r.equality / expected.equality, 1, 1e-9) << kind;
        EXPECT_NEAR(r.unilateral / expected.unilateral, 1, 1e-9) << kind;
      }
    }
  }
}

TEST(ShiftedProblem, KeepsVelocities) {
  for (const char* kind : {"stack", "arm", "robot"}) {
    const Problem problem = generate_problem(kind, 5);
    const Problem shifted = shifted_problem(problem, {3, -2, 5});
    validate(shifted);
    VectorXd v = problem.b;
    VectorXd w = problem.b;
    DynamicsFactor(problem).solve_in_place(v);
    DynamicsFactor(shifted).solve_in_place(w);
    EXPECT_TRUE(v.isApprox(w, 1e-7)) << kind;
    Matrix6Xd V(6, problem.bodies.size());
    VectorXd Jv(problem.n_c());
    VectorXd Jw(problem.n_c());
    multiply_J(problem, v, V, Jv);
    multiply_J(shifted, w, V, Jw);
    EXPECT_TRUE(Jv.isApprox(Jw, 1e-7)) << kind;
  }
}

}  // namespace
}  // namespace stiction
