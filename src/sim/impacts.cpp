#include "sim/impacts.h"

#include <algorithm>

#include "contact/jacobian.h"
#include "sim/first_hits.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// What may be closed within the step, as a velocity.
double open_speed(const ContactForce& contact, double h) { return std::max(contact.gap, 0.0) / h; }

}  // namespace

ImpactSequence::ImpactSequence(const Problem& problem, const std::vector<ContactForce>& contacts,
                               const std::vector<char>& landed, const VectorXd& v, double h,
                               double least)
    : problem_(problem),
      contacts_(contacts),
      landed_(landed),
      h_(h),
      least_(least),
      v_(v),
      Jv_(problem.n_c()),
      lambda_(VectorXd::Zero(problem.n_c())),
      in_any_(problem.constraints.size(), 0),
      round_(problem) {
  find_hits();
}

void ImpactSequence::find_hits() {
  Matrix6Xd V(6, problem_.bodies.size());
  multiply_J(problem_, v_, V, Jv_);
  find_first_hits(contacts_, Jv_, h_, least_, hits_);
  for (size_t k = 0; k < hits_.size(); ++k) hits_[k] = hits_[k] && !landed_[k];
}

bool ImpactSequence::is_needed(const VectorXd& lambda) const {
  bool bounces = false;
  bool stops = false;
  for (int k = 0; k < static_cast<int>(contacts_.size()); ++k) {
    if (contacts_[k].restitution <= 0 || landed_[k]) continue;
    (hits_[k] ? bounces : stops) |= lambda[problem_.constraints[k].row_begin + 2] > 0;
  }
  return bounces && stops;
}

// Without forces: equalities stay as they are, dry friction has no impulse to speak of, and what is
// soft only adds to the masses.
void ImpactSequence::add_constraint(int i, double e_n) {
  Constraint constraint = problem_.constraints[i];
  Vector3d e(0, 0, e_n);
  if (constraint.type == ConstraintType::kSoft) {
    constraint.k = 1;
    e = -constraint.c * rows_of(constraint, Jv_);
  }
  constraint.row_begin = static_cast<int>(e_of_round_.size());
  e_of_round_.insert(e_of_round_.end(), e.data(), e.data() + constraint.rows);
  round_.constraints.push_back(constraint);
  of_round_.push_back(i);
  in_any_[i] = 1;
}

bool ImpactSequence::any_hits() const {
  for (int k = 0; k < static_cast<int>(contacts_.size()); ++k) {
    if (contacts_[k].restitution > 0 && hits_[k]) return true;
  }
  return false;
}

void ImpactSequence::start_round(bool plastic) {
  round_.constraints.clear();
  e_of_round_.clear();
  of_round_.clear();
  const int count = static_cast<int>(contacts_.size());
  for (int k = 0; k < count; ++k) {
    if (landed_[k]) continue;
    const ContactForce& contact = contacts_[k];
    const bool bounces = contact.restitution > 0 && hits_[k];
    if (bounces && !plastic) {
      add_constraint(k, contact.restitution * Jv_[problem_.constraints[k].row_begin + 2]);
    } else if (contact.restitution <= 0 || plastic) {
      add_constraint(k, open_speed(contact, h_));
    }
  }
  for (int i = count; i < static_cast<int>(problem_.constraints.size()); ++i) {
    if (problem_.constraints[i].type != ConstraintType::kJointFriction) add_constraint(i, 0);
  }
  round_.e =
      Eigen::Map<const VectorXd>(e_of_round_.data(), static_cast<Eigen::Index>(e_of_round_.size()));
  Matrix6Xd V(6, problem_.bodies.size()), W(6, problem_.bodies.size());
  multiply_A(problem_, v_, V, W, round_.b);
}

void ImpactSequence::finish_round(const Solution& solution) {
  v_ = solution.v;
  find_hits();
  for (size_t k = 0; k < of_round_.size(); ++k) {
    const Constraint& constraint = problem_.constraints[of_round_[k]];
    const Vector3d impulse = rows_of(round_.constraints[k], solution.lambda);
    set_rows(constraint, rows_of(constraint, lambda_) + impulse, lambda_);
  }
}

void ImpactSequence::set_biases(Problem& problem) const {
  for (size_t i = 0; i < problem.constraints.size(); ++i) {
    Constraint& constraint = problem.constraints[i];
    if (!in_any_[i]) continue;
    if (constraint.type == ConstraintType::kContact) {
      const int row = constraint.row_begin + 2;
      problem.e[row] = open_speed(contacts_[i], h_);
      if (lambda_[row] > 0) problem.e[row] = std::min(problem.e[row], -Jv_[row]);
    } else if (constraint.type == ConstraintType::kJointLimit) {
      const int row = constraint.row_begin;
      const double u = std::clamp(Jv_[row], constraint.lower, constraint.upper);
      if (lambda_[row] > 0) constraint.lower = u;
      if (lambda_[row] < 0) constraint.upper = u;
    }
  }
}

}  // namespace stiction
