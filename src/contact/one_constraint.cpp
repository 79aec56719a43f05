#include "contact/one_constraint.h"

#include <Eigen/LU>
#include <limits>

#include "contact/operators.h"

namespace stiction {

using Eigen::Matrix3d;
using Eigen::Vector3d;

OneConstraint::OneConstraint(const Constraint& constraint, const Vector3d& e, const Matrix3d& W)
    : constraint_(&constraint), e_(e), W_(W), beta_(1 / W(0, 0)), contact_(W, constraint.mu) {
  const bool friction = constraint.type == ConstraintType::kJointFriction;
  is_contact_ = constraint.type == ConstraintType::kContact;
  clamps_ = friction || constraint.type == ConstraintType::kUnilateral;
  least_ = friction ? -constraint.bound : 0;
  most_ = friction ? constraint.bound : std::numeric_limits<double>::infinity();
}

Vector3d OneConstraint::other(const Vector3d& u, const Vector3d& lambda) const {
  if (constraint_->rows == 1) return {solve_row(u[0], lambda[0]), 0, 0};
  if (constraint_->type == ConstraintType::kEquality) return lambda - W_.inverse() * u;
  // Soft: lambda' = -k e - c (J v + W (lambda' - lambda)).
  const Vector3d rhs = -constraint_->k * e_ - constraint_->c * (u - e_ - W_ * lambda);
  return (Matrix3d::Identity() + constraint_->c * W_).inverse() * rhs;
}

double OneConstraint::other_row(double s) const { return apply_row(*constraint_, beta_, e_[0], s); }

}  // namespace stiction
