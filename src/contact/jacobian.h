// Products with J and A, through body twists: V_b = V_parent + S_b v_b down the trees, wrenches
// summed back up. No dense Jacobian anywhere; all functions write into arrays of the caller.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Matrix6Xd = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// V.col(b) = twist of body b.
void body_twists(const Problem& problem, const Eigen::VectorXd& v, Matrix6Xd& V);

/// J v of one constraint, from v and the twists that belong to it; unused rows are zero.
Eigen::Vector3d constraint_velocity(const Problem& problem, const Constraint& constraint,
                                    const Eigen::VectorXd& v, const Matrix6Xd& V);

/// Jv = J v; V is scratch that holds the body twists afterwards.
void multiply_J(const Problem& problem, const Eigen::VectorXd& v, Matrix6Xd& V,
                Eigen::VectorXd& Jv);

/// out += J^T lambda; W is scratch.
void add_J_transposed(const Problem& problem, const Eigen::VectorXd& lambda, Matrix6Xd& W,
                      Eigen::VectorXd& out);

/// out = A v; V and W are scratch.
void multiply_A(const Problem& problem, const Eigen::VectorXd& v, Matrix6Xd& V, Matrix6Xd& W,
                Eigen::VectorXd& out);

/// out += S^T (wrench of the body and of all that hangs on it); W becomes those sums.
void add_wrenches(const Problem& problem, Matrix6Xd& W, Eigen::VectorXd& out);

/// The three entries of a stacked vector that belong to a constraint, unused rows zero.
inline Eigen::Vector3d rows_of(const Constraint& constraint, const Eigen::VectorXd& x) {
  if (constraint.rows == 3) return x.segment<3>(constraint.row_begin);
  return {x[constraint.row_begin], 0, 0};
}

inline void set_rows(const Constraint& constraint, const Eigen::Vector3d& value,
                     Eigen::VectorXd& x) {
  if (constraint.rows == 3) {
    x.segment<3>(constraint.row_begin) = value;
  } else {
    x[constraint.row_begin] = value[0];
  }
}

}  // namespace stiction
