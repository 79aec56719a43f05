#include "contact/residual.h"

#include <algorithm>
#include <cmath>

#include "contact/operators.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

double square(double x) { return x * x; }

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

double contact_velocity_error(const Constraint& contact, double m, const Vector3d& lambda,
                              const Vector3d& u) {
  const double w = 1 / m;
  const Vector3d s = w * lambda - u - Vector3d(0, 0, contact.mu * u.head<2>().norm());
  return (w * lambda - project_cone(contact.mu, s)).norm();
}

ResidualEvaluator::ResidualEvaluator(const Problem& problem, const DynamicsFactor& factor)
    : problem_(problem),
      factor_(factor),
      rows_(problem, factor),
      Jv_(VectorXd::Zero(problem.n_c())) {
  update(Jv_);  // lambda = 0
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

VectorXd ResidualEvaluator::allowed(const VectorXd& lambda) const {
  VectorXd inside(lambda.size());
  for (const Constraint& constraint : problem_.constraints) {
    const Vector3d lambda_i = rows_of(constraint, lambda);
    const Vector3d e = rows_of(constraint, problem_.e);
    set_rows(constraint, apply_operator(constraint, ContactLaw::kStrict, 0, e, lambda_i), inside);
  }
  return inside;
}

double ResidualEvaluator::velocity_error(const VectorXd& lambda) {
  const VectorXd& m = masses();
  update(lambda);
  double largest = 0;
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& c = problem_.constraints[i];
    if (c.type != ConstraintType::kContact) continue;
    const Vector3d u = rows_of(c, Jv_) + rows_of(c, problem_.e);
    largest = std::max(largest, contact_velocity_error(c, m[i], rows_of(c, lambda), u));
  }
  return largest;
}

}  // namespace stiction
