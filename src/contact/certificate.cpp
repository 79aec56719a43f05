#include "contact/certificate.h"

#include <algorithm>
#include <cmath>

#include "contact/residual.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

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

Certificate::Certificate(const Problem& problem, const DynamicsFactor& factor)
    : problem_(problem),
      factor_(factor),
      V_(6, problem.bodies.size()),
      W_(6, problem.bodies.size()) {}

void Certificate::update(const VectorXd& lambda) {
  rhs_ = problem_.b;
  add_J_transposed(problem_, lambda, W_, rhs_);
  v_ = rhs_;
  factor_.solve_in_place(v_);
  Jv_.resize(problem_.n_c());
  multiply_J(problem_, v_, V_, Jv_);
}

Residual Certificate::measure(const VectorXd& lambda, const VectorXd& masses) {
  return measure(lambda, masses, v_);
}

Residual Certificate::measure(const VectorXd& lambda, const VectorXd& masses,
                              const VectorXd& v_returned) {
  Residual residual;
  double worst = -1;
  for (int i = 0; i < masses.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d l = rows_of(constraint, lambda);
    const Vector3d Jv = rows_of(constraint, Jv_);
    const Vector3d e = rows_of(constraint, problem_.e);
    const double m = masses[i];
    residual.paper += squared_natural_map(constraint, 1, l, Jv, e);
    const double part = squared_natural_map(constraint, m, l, Jv, e) / (m * m);
    *part_of(residual, constraint.type) += part;
    residual.scaled += part;
    if (!(part <= worst)) {  // a NaN becomes the worst and stays it
      worst = part;
      residual.worst_constraint = i;
    }
  }
  residual.worst_value = std::sqrt(std::max(worst, 0.0));
  const double count = std::max<double>(1, static_cast<double>(masses.size()));
  for (double* part :
       {&residual.paper, &residual.scaled, &residual.contact, &residual.unilateral,
        &residual.equality, &residual.soft, &residual.joint_friction, &residual.joint_limit}) {
    *part = std::sqrt(*part) / count;
  }
  add_contacts(lambda, masses, residual);
  Av_.resize(problem_.n());
  multiply_A(problem_, v_returned, V_, W_, Av_);
  residual.dynamics = (Av_ - rhs_).norm() / std::max(problem_.b.norm(), 1e-300);
  return residual;
}

void Certificate::add_contacts(const VectorXd& lambda, const VectorXd& masses, Residual& residual) {
  v_free_ = problem_.b;
  factor_.solve_in_place(v_free_);
  body_twists(problem_, v_free_, V_);
  for (int i = 0; i < masses.size(); ++i) {
    const Constraint& contact = problem_.constraints[i];
    if (contact.type != ConstraintType::kContact) continue;
    const Vector3d l = rows_of(contact, lambda);
    const Vector3d e = rows_of(contact, problem_.e);
    const Vector3d u = rows_of(contact, Jv_) + e;
    const Vector3d u_free = constraint_velocity(problem_, contact, v_free_, V_) + e;
    residual.free_velocity = std::max(residual.free_velocity, u_free.norm());
    const double outside = l.head<2>().norm() - contact.mu * l[2];
    residual.cone_violation = std::max({residual.cone_violation, outside, -l[2]});
    residual.penetration_rate = std::max(residual.penetration_rate, -u[2]);
    residual.complementarity = std::max(residual.complementarity, std::abs(l[2] * u[2]));
    residual.err_v = std::max(residual.err_v, contact_velocity_error(contact, masses[i], l, u));
  }
  if (residual.free_velocity > 0) residual.err_v /= residual.free_velocity;
}

}  // namespace stiction
