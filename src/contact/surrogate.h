// The problem inside every augmented Lagrangian loop: with lambda_prev = -u and beta fixed, find v
//
//   r(v) = A v - b - J^T lambda = 0,   lambda_i = T(s_i),                       [TRO25] (20), (22)
//   s_i = (lambda_prev_i - beta_i (J_i v + e_i)) / (1 + beta_i R_i)                        (19)
//
// with the strict or the proximal law. R_i is a compliance, zero unless the problem has no solution
// without: the law then holds for J v + e + R lambda. For the proximal law r is the gradient of a
// strongly convex function (23); for the strict law it is not a gradient. One object serves all
// loops of a solve; nothing is allocated after construction.
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
  Eigen::VectorXd beta;         ///< per constraint, kg
  Eigen::VectorXd R;            ///< per constraint, 1 / kg
  ContactLaw law = ContactLaw::kStrict;

  // State, valid after `update`.
  Eigen::VectorXd v;
  Eigen::VectorXd Jv;
  Eigen::VectorXd lambda;
  Eigen::VectorXd r;

  /// Recomputes everything from v.
  void update();
  /// p_i = (0, 0, mu_i |z_t + e_t|) with z = J v + (lambda - lambda_prev) / beta: one number per
  /// constraint, zero for all but contacts.                                   [TRO25] (14), (21)
  void lagged_term(Eigen::VectorXd& p) const;
  /// Uses e + p from here on (proximal law), or e alone.
  void set_lagged_term(const Eigen::VectorXd& p);
  void clear_lagged_term() { e_ = problem_.e; }

  /// d = -K^-1 r with K factorized at the present v, (25), (26). `coupling` scales the part of the
  /// strict derivative that makes K unsymmetric, how friction follows the normal impulse; with 0, d
  /// is a descent direction. False if the factorization broke down.
  bool newton_direction(double coupling = 1);
  Slope slope(double alpha) const;
  double first_slope() const { return d_.dot(r); }  ///< phi'(0)
  /// v <- v + alpha d and everything that depends on it.
  void step(double alpha);

  /// |J A^-1 r| over the number of constraints: by how much, in m/s, the velocity that belongs to
  /// lambda alone differs from v. Zero when the surrogate is solved.
  double velocity_defect();
  /// J A^-1 (b + J^T lambda) + R lambda, valid after `velocity_defect`.
  const Eigen::VectorXd& Jv_of_lambda() const { return Jv_of_lambda_; }

 private:
  Eigen::Vector3d argument(int i, const Constraint& constraint, const Eigen::Vector3d& Jv_i) const {
    return (rows_of(constraint, lambda_prev) - beta[i] * (Jv_i + rows_of(constraint, e_))) /
           (1 + beta[i] * R[i]);
  }
  double softened_beta(int i) const { return beta[i] / (1 + beta[i] * R[i]); }
  void update_impulses();
  void prepare_slope();

  const Problem& problem_;
  const DynamicsFactor& factor_;
  NewtonMatrix K_;
  std::vector<Eigen::Matrix3d> D_;
  Eigen::VectorXd e_;
  Eigen::VectorXd Av_;
  Eigen::VectorXd d_;
  Eigen::VectorXd Ad_;
  Eigen::VectorXd Jd_;
  Eigen::VectorXd s_;         ///< arguments of T at the present v
  Eigen::VectorXd softened_;  ///< beta_i / (1 + beta_i R_i)
  Slope smooth_;              ///< of phi', without the constraints
  Eigen::VectorXd Jv_of_lambda_;
  Eigen::VectorXd scratch_;
  Matrix6Xd V_;
  Matrix6Xd W_;
};

/// alpha > 0 with phi'(alpha) = 0 up to `tolerance` |phi'(0)|: Newton's method on phi', safeguarded
/// by bisection (rtsafe), [TRO25] (27). `slope` is phi'(0) < 0.
double exact_line_search(const Surrogate& surrogate, double slope, double tolerance);

}  // namespace stiction
