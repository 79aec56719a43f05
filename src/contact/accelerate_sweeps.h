// Two ways to make fewer sweeps do (pgs.h). Both look at what whole sweeps changed and go on from
// there; w is linear in lambda and moves along. Impulses are in the order of the packs.
#pragma once

#include <Eigen/Core>
#include <limits>

#include "linalg/anderson.h"

namespace stiction {

/// The nonsmooth nonlinear conjugate gradient method (Silcowitz, Niebe, Erleben 2010), which is the
/// acceleration that [ICRA23] gave to its PGS: a sweep's change of lambda is taken as a negative
/// gradient, and
///
///   c = |change|^2 / |change before|^2;   lambda <- lambda + c p,  p <- c p + change,
///
/// with p = 0 whenever c > 1.
class ConjugateSweeps {
 public:
  /// `weights`: 1 / m_i for every row of every constraint, so that squares of changes are energies.
  ConjugateSweeps(const Eigen::VectorXd& weights, int width);

  void before(const Eigen::VectorXd& lambda, const Eigen::VectorXd& w);
  /// Goes on from what the sweep left, unless it changed less than `enough`: then lambda is to stay
  /// as it is, exactly inside the cones.
  void after(double enough, Eigen::VectorXd& lambda, Eigen::VectorXd& w);
  /// |change of lambda_i / m_i| of the last sweep, m/s.
  double change() const { return change_; }

 private:
  Eigen::VectorXd weights_;
  Eigen::VectorXd lambda_before_, w_before_;
  Eigen::VectorXd p_, p_w_;
  double norm_before_ = 0;
  double change_ = std::numeric_limits<double>::infinity();
};

/// Anderson acceleration of the map from lambda to what a sweep makes of it, in the norm of energy.
/// A sweep that changed more than twice what the one before did has met new contacts: memory is
/// dropped then, but nothing is taken back, since a sweep never leaves its laws.
class AndersonSweeps {
 public:
  AndersonSweeps(const Eigen::VectorXd& weights, int width);

  void before(const Eigen::VectorXd& lambda, const Eigen::VectorXd&) { lambda_before_ = lambda; }
  void after(double enough, Eigen::VectorXd& lambda, Eigen::VectorXd& w);
  double change() const { return change_; }

 private:
  Eigen::VectorXd root_weights_;
  Eigen::VectorXd lambda_before_;
  Eigen::VectorXd f_;  ///< change of lambda times root_weights
  AndersonFit fit_;
  Eigen::VectorXd lambda_swept_, w_swept_;
  Eigen::MatrixXd d_lambda_, d_w_;  ///< differences of what sweeps left
  double norm_before_ = 0;
  double change_ = std::numeric_limits<double>::infinity();
};

}  // namespace stiction
