// How accurate is lambda? The one definition of accuracy, used by every solver and certificate.
// From lambda alone: v = A^-1 (b + J^T lambda), and per constraint i
//
//   paper   r_i = J_i v - z_i,  z_i = J_i v - lambda_i + T(lambda_i - J_i v - e_i)    [TRO25] VII
//   scaled  r_i = w_i (lambda_i - T(lambda_i - (J_i v + e_i) / w_i)),  w_i = 1 / m_i
//
// with the strict T. The paper's adds N s to m/s (it presumes 1 kg); the scaled one is in m/s and
// does not change when all masses are scaled. Both are |r| over all rows divided by the number of
// constraints. For comparison with FCLIB's collection, over contacts only,
//
//   err_v = max_i |w_i lambda_i - P(w_i lambda_i - u~_i)| / max_i |J_i A^-1 b + e_i|,
//   u~ = u + (0, 0, mu |u_t|),  u = J v + e,  P the projection on the friction cone
//
// with Euclidean norms of the three rows. Here is what stopping rules ask for; certificate.h
// measures everything.
#pragma once

#include <stiction/solve.h>

#include <Eigen/Core>

#include "contact/dynamics.h"
#include "contact/root_rows.h"

namespace stiction {

/// |lambda_i - T(lambda_i - beta (J_i v + e_i))|^2: zero exactly where the constraint's law holds.
/// Soft laws do not depend on beta that way: for them it is the defect of [TRO25] (4).
double squared_natural_map(const Constraint& constraint, double beta, const Eigen::Vector3d& lambda,
                           const Eigen::Vector3d& Jv, const Eigen::Vector3d& e);

/// |w_i lambda_i - P(w_i lambda_i - u~_i)| of a contact, m/s.
double contact_velocity_error(const Constraint& contact, double m, const Eigen::Vector3d& lambda,
                              const Eigen::Vector3d& u);

/// Everything that the residual needs, computed once per problem and reused without allocation.
class ResidualEvaluator {
 public:
  ResidualEvaluator(const Problem& problem, const DynamicsFactor& factor);

  /// The scaled residual alone: what stopping rules use.
  double scaled(const Eigen::VectorXd& lambda);
  /// The scaled residual when v = A^-1 (b + J^T lambda) and Jv = J v are at hand already.
  double scaled_at(const Eigen::VectorXd& lambda, const Eigen::VectorXd& Jv) const;
  /// max_i of err_v's numerator, m/s.
  double velocity_error(const Eigen::VectorXd& lambda);

  /// The nearest impulses that the laws allow, whatever the velocity: of contacts inside the cone.
  Eigen::VectorXd allowed(const Eigen::VectorXd& lambda) const;

  /// J v of the last measurement, v = A^-1 (b + J^T lambda); lambda = 0 before the first.
  const Eigen::VectorXd& Jv() const { return Jv_; }
  /// v of the same.
  Eigen::VectorXd velocity() const;
  /// m_i per constraint.
  const Eigen::VectorXd& masses() const { return rows_.masses(); }
  const RootRows& rows() const { return rows_; }

 private:
  void update(const Eigen::VectorXd& lambda);

  const Problem& problem_;
  const DynamicsFactor& factor_;
  RootRows rows_;
  Eigen::VectorXd w_;
  Eigen::VectorXd Jv_;
};

}  // namespace stiction
