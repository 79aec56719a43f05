#include "sim/bounce.h"

#include <algorithm>

#include "contact/dynamics.h"
#include "contact/jacobian.h"

namespace stiction {

using Eigen::VectorXd;

void correct_bounces(double theta, const VectorXd& qvel, const std::vector<ContactForce>& contacts,
                     Problem& problem) {
  // Only a bounce makes e_n negative (assemble.cpp). Contacts are the first constraints.
  const auto bounces = [&](size_t k) {
    return contacts[k].restitution > 0 && problem.e[problem.constraints[k].row_begin + 2] < 0;
  };
  bool any = false;
  for (size_t k = 0; k < contacts.size(); ++k) any = any || bounces(k);
  if (!any) return;
  VectorXd h_a = problem.b;  // of the joints, without contacts
  DynamicsFactor(problem).solve_in_place(h_a);
  h_a -= qvel;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd J_h_a(problem.n_c());
  multiply_J(problem, h_a, V, J_h_a);
  for (size_t k = 0; k < contacts.size(); ++k) {
    if (!bounces(k)) continue;
    const int row = problem.constraints[k].row_begin + 2;
    problem.e[row] = std::min(problem.e[row] - 2 * theta * J_h_a[row], 0.0);
  }
}

}  // namespace stiction
