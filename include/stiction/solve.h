// Solves a contact problem, by any solver of the library, and says how well.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

namespace stiction {

/// What a solve may cost. Iterations 0 means the solver's own default.
struct Budget {
  double tolerance = 1e-8;  ///< on the scaled residual, m/s
  int max_iterations = 0;
  double max_seconds = std::numeric_limits<double>::infinity();
  int threads = 1;  ///< at most; the bits do not depend on it, and a busy machine uses fewer
  double err_v = std::numeric_limits<double>::infinity();  ///< on Residual::err_v as well
  /// Repeats a solve that ran under `max_seconds`, bit by bit: SolveReport::clock of that solve.
  const std::vector<int>* clock = nullptr;
};

enum class Status {
  kSolved,
  kIterationLimit,
  kTimeLimit,
  kStalled,      ///< no progress above the tolerance, or round-off reached
  kRegularized,  ///< no solution found; lambda solves the problem with a small compliance
  kFailed,       ///< a factorization or a number broke down; the best iterate is returned
};
const char* to_string(Status status);

/// Accuracy of lambda, recomputed from lambda alone: v = A^-1 (b + J^T lambda). src/contact/
/// README.md has the formulas.
struct Residual {
  double paper = 0;    ///< [TRO25] VII: |J v - z| / number of contacts
  double scaled = 0;   ///< the same in m/s, lambda weighted by 1 / effective mass
  double contact = 0;  ///< parts of `scaled`, by constraint type
  double unilateral = 0;
  double equality = 0;
  double soft = 0;
  double joint_friction = 0;
  double joint_limit = 0;
  int worst_constraint = -1;    ///< largest part of `scaled`, -1 if there is no constraint
  double worst_value = 0;       ///< its part, m/s
  double cone_violation = 0;    ///< max |lambda_t| - mu lambda_n or -lambda_n, N s
  double penetration_rate = 0;  ///< max -(J_n v + e_n), m/s
  double complementarity = 0;   ///< max |lambda_n (J_n v + e_n)|, J
  double dynamics = 0;          ///< |A v - b - J^T lambda| / |b| for the v that was returned
  double err_v = 0;             ///< natural map in velocity units, relative to `free_velocity`
  double free_velocity = 0;     ///< max over contacts of |J A^-1 b + e|, m/s
};

struct IterationRecord {
  double seconds = 0;      ///< since the start of the solve
  double residual = 0;     ///< scaled
  int factorizations = 0;  ///< so far
  int iteration = 0;
};

struct SolveReport {
  Status status = Status::kSolved;
  int iterations = 0;  ///< grip: of its loop; its sweeps and smoothing steps are not counted
  int factorizations = 0;
  int failed_loops = 0;     ///< augmented Lagrangian: inner loops that missed their tolerance
  int newton_accepted = 0;  ///< implicit: iterations that took the Newton point at once
  double seconds = 0;
  Residual residual;
  /// Empty unless `max_seconds` cut the solve short. Per island, how often it looked at the clock
  /// until time was up, or -1 if it was done before: all that the result depends on beside the
  /// input.
  std::vector<int> clock;
  /// If asked for. Several islands are shown as one: record k joins the k-th record of each, their
  /// residuals as in `residual` and their times added, as if one thread took them in turn.
  std::vector<IterationRecord> history;
};

/// In: the warm start when `warm`; out: the best iterate.
struct Solution {
  Eigen::VectorXd v;
  Eigen::VectorXd lambda;
  bool warm = false;
  SolveReport report;
};

/// Names of all solvers; the first is the default.
const std::vector<std::string>& solver_names();

/// One solver by name, with its default options. Splits the problem into islands, solves each on
/// its own, and certifies the whole. Throws InputError for an unknown name or a bad problem.
void solve(const Problem& problem, const std::string& solver, const Budget& budget,
           bool record_history, Solution& solution);

}  // namespace stiction
