// The problem inside every augmented Lagrangian loop: with lambda_prev = -u and beta fixed, find v
//
//   r(v) = A v - b - J^T lambda = 0,   lambda_i = T(s_i),                       [TRO25] (20), (22)
//   s_i = lambda_prev_i - beta_i (J_i v + e_i)                                         (19)
//
// with the strict or the proximal law. For the proximal law r is the gradient of a strongly convex
// function (23); for the strict law it is not a gradient. One object serves all loops of a solve.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "contact/newton_matrix.h"
#include "contact/operators.h"

namespace stiction {

/// phi'(alpha) = d^T r(v + alpha d) and its derivative.
struct Slope {
  double value = 0;
  double derivative = 0;
};

class Surrogate {
 public:
  Surrogate(const Problem& problem, const DynamicsFactor& factor);

  // Set by the solver before `update`.
  Eigen::VectorXd lambda_prev;  ///< n_c
  Eigen::VectorXd beta;         ///< per constraint
  Eigen::VectorXd e;            ///< n_c: e, or e + p for the proximal law
  ContactLaw law = ContactLaw::kStrict;

  // State, valid after `update`.
  Eigen::VectorXd v;
  Eigen::VectorXd Jv;
  Eigen::VectorXd lambda;
  Eigen::VectorXd r;

  /// Recomputes everything from v.
  void update();
  /// d = -K^-1 r by a factorization of K at the present v; false if that broke down. Prepares the
  /// products with d that `slope` and `step` use.
  bool newton_direction();
  /// d = -K^-1 r with the factor of the last `newton_direction`.
  void chord_direction();
  const Eigen::VectorXd& direction() const { return d_; }

  Slope slope(double alpha) const;
  /// v <- v + alpha d and everything that depends on it.
  void step(double alpha);

  /// |J A^-1 r| over the number of constraints: by how much, in m/s, the velocity that belongs to
  /// lambda alone differs from v. Zero when the surrogate is solved.
  double velocity_defect();
  /// J A^-1 (b + J^T lambda), valid after `velocity_defect`.
  const Eigen::VectorXd& Jv_of_lambda() const { return Jv_of_lambda_; }

 private:
  void update_impulses();
  void products_with_direction();

  const Problem& problem_;
  const DynamicsFactor& factor_;
  NewtonMatrix K_;
  std::vector<Eigen::Matrix3d> D_;
  Eigen::VectorXd Av_;
  Eigen::VectorXd d_;
  Eigen::VectorXd Ad_;
  Eigen::VectorXd Jd_;
  Eigen::VectorXd Jv_of_lambda_;
  Eigen::VectorXd scratch_;
  Matrix6Xd V_;
  Matrix6Xd W_;
};

}  // namespace stiction
