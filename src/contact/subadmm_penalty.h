// beta of SubADMM: where it starts, and how it follows the iteration.
//
//   pseudodensity of a body = its mass / its number of contacts                   [TRO25] VI-D
//   beta = factor * geometric mean of the pseudodensities
//
// or one beta per subsystem, Tr(A_j) / Tr(J_j^T J_j), [ICRA23] (23). The printed rule counts open
// contacts in full, which makes beta 10-100 times too small when most candidates are open; here an
// open contact counts `open_weight`, and the count is taken again
// while the iteration runs.
//
// Every constraint has a weight w_i: beta_ij = w_i beta_j. It is the constraint's effective mass in
// units of the contacts' geometric mean: other constraints may be in radians, and light bodies
// among heavy ones converge faster. The paper's beta, w_i = 1 for contacts, is an option.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/subadmm_split.h"

namespace stiction {

struct SubAdmmOptions;

class Penalty {
 public:
  /// `masses`: the effective mass m_i of every constraint.
  Penalty(const Problem& problem, const SplitProblem& split, const Eigen::VectorXd& masses,
          const SubAdmmOptions& options);

  const Eigen::VectorXd& weights() const { return weights_; }  ///< w_i per constraint
  const Eigen::VectorXd& beta() const { return beta_; }        ///< per subsystem
  /// rho_i = 1 / sum_j (1 / beta_ij) per constraint.
  const Eigen::VectorXd& rho() const { return rho_; }

  /// True after first_recount iterations, twice as many, four times as many ...
  bool is_recount_due(int iterations);
  /// Counts again which contacts are open. True if beta changed enough to factorize again.
  bool recount(const Eigen::VectorXd& lambda);
  /// beta <- beta sqrt(primal / dual) when they differ by more than gamma, (44); both in m/s. True
  /// if beta changed.
  bool balance(double primal, double dual);

 private:
  double pseudodensity(const Eigen::VectorXd* lambda);
  void set_scale(double scale);

  const Problem& problem_;
  const SplitProblem& split_;
  double open_weight_;
  int next_recount_;
  double gamma_;
  double factor_;
  double density_ = 1;
  Eigen::VectorXd weights_;
  Eigen::VectorXd slot_mass_;
  Eigen::VectorXd slot_count_;
  Eigen::VectorXd shape_;  ///< beta / (factor * density) per subsystem
  Eigen::VectorXd beta_;
  Eigen::VectorXd rho_;
};

}  // namespace stiction
