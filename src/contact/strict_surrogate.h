// The surrogate problem of the augmented Lagrangian with the strict operator, and the outer loop
// around it. [TRO25] VII-D.1 compares CANAL with solving this equation directly,
//
//   r(v) = A v - b - sum_i J_i^T T(-beta_i (J_i v + e_i) - u_i) = 0,                     (20)
//   M = dr/dv = A + sum_i beta_i J_i^T dT_i J_i   (not symmetric),                       (25)
//   u <- u + beta (J v - z) = -lambda.                                                   (13)
//
// Momenta are measured in the norm of A^-1 and velocities in that of A, so that metres, radians and
// masses of all sizes add up: merit = r^T A^-1 r / 2, an energy. beta_i = s m_i, where s follows
// Algorithm 1: it grows by kappa when |J v - z| did not shrink by zeta. Deviations from Algorithm
// 1: the inner tolerance follows the residual, and s falls by kappa after an inner loop that
// failed, for the same again would fail again. With beta fixed and large, as Table II seems to have
// it, most loops fail on problems harder than dishes at rest.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/newton_matrix.h"
#include "contact/start.h"

namespace stiction {

class StrictSurrogate {
 public:
  StrictSurrogate(const Problem& problem, const DynamicsFactor& factor,
                  const Eigen::VectorXd& masses);

  /// u = -multiplier, beta_i = s m_i.
  void set(const Eigen::VectorXd& multiplier, double s);
  /// r, lambda and A^-1 r at v; returns the merit.
  double evaluate(const Eigen::VectorXd& v);
  /// lambda and dT at v, and the factors of M. False if a pivot broke down.
  bool linearise();

  const Eigen::VectorXd& r() const { return r_; }
  const Eigen::VectorXd& A_inverse_r() const { return y_; }
  const Eigen::VectorXd& lambda() const { return lambda_; }
  /// |J A^-1 r| / number of constraints, m/s: by how much the constraints' velocities are wrong.
  double velocity_error();

  void solve_newton(Eigen::VectorXd& x) { matrix_.solve_in_place(x); }  ///< x <- M^-1 x
  void multiply_M(const Eigen::VectorXd& x, Eigen::VectorXd& out) { multiply(x, false, out); }
  void multiply_M_transposed(const Eigen::VectorXd& x, Eigen::VectorXd& out) {
    multiply(x, true, out);
  }
  void multiply_A(const Eigen::VectorXd& x, Eigen::VectorXd& out);
  void solve_A(Eigen::VectorXd& x) const { factor_.solve_in_place(x); }

 private:
  void multiply(const Eigen::VectorXd& x, bool transposed, Eigen::VectorXd& out);

  const Problem& problem_;
  const DynamicsFactor& factor_;
  const Eigen::VectorXd& m_;
  NewtonMatrix matrix_;
  double s_ = 1;
  Eigen::VectorXd multiplier_;
  Eigen::VectorXd Jv_;
  Eigen::VectorXd r_;
  Eigen::VectorXd y_;
  Eigen::VectorXd lambda_;
  Eigen::VectorXd Jx_;
  std::vector<Eigen::Matrix3d> D_;  ///< beta_i dT_i
  Matrix6Xd V_;
  Matrix6Xd W_;
};

struct StrictOuterOptions {
  int iterations = 60;  ///< augmented-Lagrangian loops
  double s = 10;        ///< beta_i / m_i at the start
  double s_max = 1e6;
  double kappa = 3;
  double zeta = 0.25;
  double inner_share = 0.1;  ///< inner tolerance over the current residual
  int inner_iterations = 50;
};

/// Solves the surrogate from v on, to `tolerance` on velocity_error() and in at most
/// `max_iterations` Newton steps, which it counts. False if it did not get there.
using StrictInner = std::function<bool(StrictSurrogate& surrogate, double tolerance,
                                       int max_iterations, Eigen::VectorXd& v, int& iterations)>;

void solve_strict_outer(const Problem& problem, const DynamicsFactor& factor,
                        const StrictOuterOptions& options, const StrictInner& inner,
                        const Start& start, Monitor& monitor);

}  // namespace stiction
