#include "contact/residual.h"

#include <algorithm>
#include <cmath>

#include "contact/operators.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

double square(double x) { return x * x; }

// d r - P_K(d r - u~) with u~ = u + mu |u_t| n: the velocity-scaled natural map of FCLIB's
// collection; d = 1 / m_i.
double contact_velocity_error(const Constraint& contact, double d, const Vector3d& lambda,
                              const Vector3d& u) {
  const Vector3d s = d * lambda - u - Vector3d(0, 0, contact.mu * u.head<2>().norm());
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

double squared_natural_map(const Constraint& constraint, double beta, const Vector3d& lambda,
                           const Vector3d& Jv, const Vector3d& e) {
  if (constraint.type == ConstraintType::kContact) {
    return (lambda - project_strict(constraint.mu, lambda - beta * (Jv + e))).squaredNorm();
  }
  double sum = 0;
  for (int r = 0; r < constraint.rows; ++r) {
    sum += constraint.type == ConstraintType::kSoft
               ? square(lambda[r] + constraint.k * e[r] + constraint.c * Jv[r])
               : square(lambda[r] -
                        apply_row(constraint, beta, e[r], lambda[r] - beta * (Jv[r] + e[r])));
  }
  return sum;
}

ResidualEvaluator::ResidualEvaluator(const Problem& problem, const DynamicsFactor& factor)
    : problem_(problem),
      factor_(factor),
      rows_(problem, factor),
      Jv_(VectorXd::Zero(problem.n_c())),
      V_(Matrix6Xd::Zero(6, problem.bodies.size())),
      W_(V_) {
  update(Jv_);  // lambda = 0
  free_velocity_ = Jv_ + problem_.e;
}

void ResidualEvaluator::update(const VectorXd& lambda) {
  rows_.move_to(lambda, w_);
  rows_.multiply(w_, Jv_);
}

VectorXd ResidualEvaluator::velocity() const {
  VectorXd v;
  factor_.from_root(w_, v);
  return v;
}

// The same by A and J as they stand in the problem: what certificates rest on.
void ResidualEvaluator::update_from_problem(const VectorXd& lambda) {
  rhs_ = problem_.b;
  add_J_transposed(problem_, lambda, W_, rhs_);
  v_ = rhs_;
  factor_.solve_in_place(v_);
  multiply_J(problem_, v_, V_, Jv_);
}

double ResidualEvaluator::scaled(const VectorXd& lambda) {
  update(lambda);
  return scaled_at(lambda, Jv_);
}

double ResidualEvaluator::scaled_at(const VectorXd& lambda, const VectorXd& Jv) const {
  const VectorXd& m = masses();
  double sum = 0;
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    sum += squared_natural_map(constraint, m[i], rows_of(constraint, lambda),
                               rows_of(constraint, Jv), rows_of(constraint, problem_.e)) /
           square(m[i]);
  }
  return std::sqrt(sum) / std::max<double>(1, static_cast<double>(m.size()));
}

double ResidualEvaluator::velocity_error(const VectorXd& lambda) {
  const VectorXd& m = masses();
  update(lambda);
  double largest = 0;
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& c = problem_.constraints[i];
    if (c.type != ConstraintType::kContact) continue;
    const Vector3d u = rows_of(c, Jv_) + rows_of(c, problem_.e);
    largest = std::max(largest, contact_velocity_error(c, 1 / m[i], rows_of(c, lambda), u));
  }
  return largest;
}

Residual ResidualEvaluator::full(const VectorXd& lambda) {
  update_from_problem(lambda);
  return parts_at(lambda, v_);
}

Residual ResidualEvaluator::full(const VectorXd& lambda, const VectorXd& v_returned) {
  update_from_problem(lambda);
  return parts_at(lambda, v_returned);
}

Residual ResidualEvaluator::parts_at(const VectorXd& lambda, const VectorXd& v_returned) {
  const VectorXd& m = masses();
  Residual residual;
  double worst = -1;
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d l = rows_of(constraint, lambda);
    const Vector3d Jv = rows_of(constraint, Jv_);
    const Vector3d e = rows_of(constraint, problem_.e);
    residual.paper += squared_natural_map(constraint, 1, l, Jv, e);
    const double part = squared_natural_map(constraint, m[i], l, Jv, e) / square(m[i]);
    *part_of(residual, constraint.type) += part;
    residual.scaled += part;
    if (!(part <= worst)) {  // a NaN becomes the worst and stays it
      worst = part;
      residual.worst_constraint = i;
    }
    if (constraint.type != ConstraintType::kContact) continue;
    const Vector3d u = Jv + e;
    residual.free_velocity =
        std::max(residual.free_velocity, rows_of(constraint, free_velocity_).norm());
    const double outside = l.head<2>().norm() - constraint.mu * l[2];
    residual.cone_violation = std::max({residual.cone_violation, outside, -l[2]});
    residual.penetration_rate = std::max(residual.penetration_rate, -u[2]);
    residual.complementarity = std::max(residual.complementarity, std::abs(l[2] * u[2]));
    residual.err_v = std::max(residual.err_v, contact_velocity_error(constraint, 1 / m[i], l, u));
  }
  residual.worst_value = std::sqrt(std::max(worst, 0.0));
  const double count = std::max<double>(1, static_cast<double>(m.size()));
  residual.paper = std::sqrt(residual.paper) / count;
  residual.scaled = std::sqrt(residual.scaled) / count;
  for (double* part : {&residual.contact, &residual.unilateral, &residual.equality, &residual.soft,
                       &residual.joint_friction, &residual.joint_limit}) {
    *part = std::sqrt(*part) / count;
  }
  if (residual.free_velocity > 0) residual.err_v /= residual.free_velocity;

  VectorXd Av(problem_.n());
  multiply_A(problem_, v_returned, V_, W_, Av);
  residual.dynamics = (Av - rhs_).norm() / std::max(problem_.b.norm(), 1e-300);
  return residual;
}

}  // namespace stiction
