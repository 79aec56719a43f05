// A problem solved island by island, each on its own, by one thread each.
#pragma once

#include <stiction/solve.h>

#include <Eigen/Core>
#include <chrono>
#include <vector>

#include "contact/decided.h"
#include "contact/dynamics.h"
#include "contact/islands.h"
#include "contact/monitor.h"
#include "contact/solvers.h"

namespace stiction {

class IslandSolver {
 public:
  /// `islands` is memory.
  IslandSolver(const Problem& problem, const DynamicsFactor& factor, const SolverOptions& options,
               const Budget& budget, bool record_history, std::vector<Island>& islands);

  /// From solution.v and lambda if that is warm, to solution.lambda, where contacts that are
  /// decided stay as they are. If `changed` is not empty, so do islands without a constraint that
  /// has.
  void solve(const Decided& decided, const std::vector<char>& changed, Solution& solution);

  /// m_i per constraint; 1 for the decided ones.
  const Eigen::VectorXd& masses() const { return masses_; }
  /// All but the residual; the whole is as good as its worst island.
  void write(SolveReport& report);

 private:
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Deadline deadline(size_t island, double share) const;
  void merge(const Island& island, const Solution& part, Solution& solution);
  void merge_history(const std::vector<Solution>& parts);

  const Problem& problem_;
  const DynamicsFactor& factor_;
  const SolverOptions& options_;
  const Budget& budget_;
  const bool record_history_;
  std::vector<Island>& islands_;
  const double error_limit_;  ///< what err_v of the whole allows, m/s
  const Clock::time_point begin_ = Clock::now();
  Eigen::VectorXd masses_;
  std::vector<Status> status_;  ///< per constraint, that of its island
  std::vector<int> clock_;      ///< of all islands so far
  SolveReport report_;
};

}  // namespace stiction
