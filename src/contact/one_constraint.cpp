#include "contact/one_constraint.h"

#include <Eigen/LU>

#include "contact/operators.h"

namespace stiction {

using Eigen::Matrix3d;
using Eigen::Vector3d;

OneConstraint::OneConstraint(const Constraint& constraint, const Vector3d& e, const Matrix3d& W)
    : constraint_(&constraint), e_(e), W_(W), beta_(1 / W(0, 0)), contact_(W, constraint.mu) {}

Vector3d OneConstraint::solve(const Vector3d& u, const Vector3d& lambda, double& gamma) const {
  if (constraint_->type == ConstraintType::kContact) {
    return contact_.solve(u - W_ * lambda, gamma);
  }
  if (constraint_->rows == 1) return {solve_row(u[0], lambda[0]), 0, 0};
  if (constraint_->type == ConstraintType::kEquality) return lambda - W_.inverse() * u;
  // Soft: lambda' = -k e - c (J v + W (lambda' - lambda)).
  const Vector3d rhs = -constraint_->k * e_ - constraint_->c * (u - e_ - W_ * lambda);
  return (Matrix3d::Identity() + constraint_->c * W_).inverse() * rhs;
}

double OneConstraint::solve_row(double u, double lambda) const {
  return apply_row(*constraint_, beta_, e_[0], lambda - beta_ * u);
}

}  // namespace stiction
