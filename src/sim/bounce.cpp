#include "sim/bounce.h"

#include <algorithm>

#include "contact/dynamics.h"
#include "contact/jacobian.h"

namespace stiction {

namespace {

using Eigen::VectorXd;

// Only a bounce makes e_n negative (assemble.cpp).
bool bounces(const ContactForce& contact, const Constraint& constraint, const Problem& problem) {
  return contact.restitution > 0 && problem.e[constraint.row_begin + 2] < 0;
}

}  // namespace

bool any_bounce(const std::vector<ContactForce>& contacts, const Problem& problem) {
  for (size_t k = 0; k < contacts.size(); ++k) {
    if (bounces(contacts[k], problem.constraints[k], problem)) return true;
  }
  return false;
}

void correct_bounces(double theta, const VectorXd& qvel, const std::vector<ContactForce>& contacts,
                     Problem& problem) {
  if (!any_bounce(contacts, problem)) return;
  VectorXd h_a = problem.b;  // of the joints, without contacts
  DynamicsFactor(problem).solve_in_place(h_a);
  h_a -= qvel;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd J_h_a(problem.n_c());
  multiply_J(problem, h_a, V, J_h_a);
  for (size_t k = 0; k < contacts.size(); ++k) {
    const Constraint& constraint = problem.constraints[k];
    if (!bounces(contacts[k], constraint, problem)) continue;
    const int row = constraint.row_begin + 2;
    problem.e[row] = std::min(problem.e[row] - 2 * theta * J_h_a[row], 0.0);
  }
}

}  // namespace stiction
