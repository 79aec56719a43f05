#include "contact/residual.h"

#include <algorithm>
#include <cmath>

#include "contact/operators.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// lambda - T(lambda - beta (J v + e)): zero exactly where the constraint's law holds. Soft laws do
// not depend on beta that way: for them it is the defect of (4).
Vector3d natural_map(const Constraint& constraint, double beta, const Vector3d& lambda,
                     const Vector3d& Jv, const Vector3d& e) {
  if (constraint.type == ConstraintType::kSoft) {
    return lambda + constraint.k * e + constraint.c * Jv;
  }
  return lambda -
         apply_operator(constraint, ContactLaw::kStrict, beta, e, lambda - beta * (Jv + e));
}

// d r - P_K(d r - u~) with u~ = u + mu |u_t| n: the velocity-scaled natural map of FCLIB's
// collection; d = 1 / m_i.
double contact_velocity_error(const Constraint& contact, double d, const Vector3d& lambda,
                              const Vector3d& u) {
  const Vector3d s = d * lambda - u - Vector3d(0, 0, contact.mu * std::hypot(u[0], u[1]));
  return (d * lambda - project_cone(contact.mu, s)).norm();
}

double* part_of(Residual& residual, ConstraintType type) {
  switch (type) {
    case ConstraintType::kContact:
      return &residual.contact;
    case ConstraintType::kUnilateral:
      return &residual.unilateral;
    case ConstraintType::kEquality:
      return &residual.equality;
    case ConstraintType::kSoft:
      return &residual.soft;
    case ConstraintType::kJointFriction:
      return &residual.joint_friction;
    case ConstraintType::kJointLimit:
      return &residual.joint_limit;
  }
  return &residual.contact;
}

}  // namespace

ResidualEvaluator::ResidualEvaluator(const Problem& problem, const DynamicsFactor& factor)
    : problem_(problem),
      factor_(factor),
      m_(factor.effective_masses()),
      v_(problem.b),
      Jv_(VectorXd::Zero(problem.n_c())),
      V_(Matrix6Xd::Zero(6, problem.bodies.size())),
      W_(V_) {
  factor_.solve_in_place(v_);
  multiply_J(problem_, v_, V_, Jv_);
  free_velocity_ = Jv_ + problem_.e;
}

void ResidualEvaluator::update(const VectorXd& lambda) {
  v_ = problem_.b;
  add_J_transposed(problem_, lambda, W_, v_);
  factor_.solve_in_place(v_);
  multiply_J(problem_, v_, V_, Jv_);
}

double ResidualEvaluator::scaled(const VectorXd& lambda) {
  update(lambda);
  return scaled_at(lambda, Jv_);
}

double ResidualEvaluator::scaled_at(const VectorXd& lambda, const VectorXd& Jv) const {
  double sum = 0;
  for (int i = 0; i < m_.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d r = natural_map(constraint, m_[i], rows_of(constraint, lambda),
                                   rows_of(constraint, Jv), rows_of(constraint, problem_.e));
    sum += r.squaredNorm() / (m_[i] * m_[i]);
  }
  return std::sqrt(sum) / std::max<double>(1, static_cast<double>(m_.size()));
}

double ResidualEvaluator::velocity_error(const VectorXd& lambda) {
  update(lambda);
  double largest = 0;
  for (int i = 0; i < m_.size(); ++i) {
    const Constraint& c = problem_.constraints[i];
    if (c.type != ConstraintType::kContact) continue;
    const Vector3d u = rows_of(c, Jv_) + rows_of(c, problem_.e);
    largest = std::max(largest, contact_velocity_error(c, 1 / m_[i], rows_of(c, lambda), u));
  }
  return largest;
}

Residual ResidualEvaluator::full(const VectorXd& lambda) {
  update(lambda);
  return parts_at(lambda, v_);
}

Residual ResidualEvaluator::full(const VectorXd& lambda, const VectorXd& v_returned) {
  update(lambda);
  return parts_at(lambda, v_returned);
}

Residual ResidualEvaluator::parts_at(const VectorXd& lambda, const VectorXd& v_returned) {
  Residual residual;
  double worst = -1;
  for (int i = 0; i < m_.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d l = rows_of(constraint, lambda);
    const Vector3d Jv = rows_of(constraint, Jv_);
    const Vector3d e = rows_of(constraint, problem_.e);
    const Vector3d u = Jv + e;
    residual.paper += natural_map(constraint, 1, l, Jv, e).squaredNorm();
    const double part = natural_map(constraint, m_[i], l, Jv, e).squaredNorm() / (m_[i] * m_[i]);
    *part_of(residual, constraint.type) += part;
    residual.scaled += part;
    if (!(part <= worst)) {  // a NaN becomes the worst and stays it
      worst = part;
      residual.worst_constraint = i;
    }
    if (constraint.type != ConstraintType::kContact) continue;
    residual.free_velocity =
        std::max(residual.free_velocity, rows_of(constraint, free_velocity_).norm());
    const double outside = std::hypot(l[0], l[1]) - constraint.mu * l[2];
    residual.cone_violation = std::max({residual.cone_violation, outside, -l[2]});
    residual.penetration_rate = std::max(residual.penetration_rate, -u[2]);
    residual.complementarity = std::max(residual.complementarity, std::abs(l[2] * u[2]));
    residual.err_v = std::max(residual.err_v, contact_velocity_error(constraint, 1 / m_[i], l, u));
  }
  residual.worst_value = std::sqrt(std::max(worst, 0.0));
  const double count = std::max<double>(1, static_cast<double>(m_.size()));
  residual.paper = std::sqrt(residual.paper) / count;
  residual.scaled = std::sqrt(residual.scaled) / count;
  for (double* part : {&residual.contact, &residual.unilateral, &residual.equality, &residual.soft,
                       &residual.joint_friction, &residual.joint_limit}) {
    *part = std::sqrt(*part) / count;
  }
  if (residual.free_velocity > 0) residual.err_v /= residual.free_velocity;

  VectorXd defect(problem_.n());
  multiply_A(problem_, v_returned, V_, W_, defect);
  defect -= problem_.b;
  VectorXd impulse = VectorXd::Zero(problem_.n());
  add_J_transposed(problem_, lambda, W_, impulse);
  residual.dynamics = (defect - impulse).norm() / std::max(problem_.b.norm(), 1e-300);
  return residual;
}

}  // namespace stiction
