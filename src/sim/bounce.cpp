#include "sim/bounce.h"

#include <algorithm>
#include <cmath>

#include "contact/dynamics.h"
#include "contact/jacobian.h"

namespace stiction {

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// Halvings of the share of restitution.
constexpr int kHalvings = 8;
// Energy that rounding and the solver's tolerance may add, as a share of what is exchanged.
constexpr double kEnergySlack = 1e-5;

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

BounceLimit::BounceLimit(const std::vector<ContactForce>& contacts, const Problem& problem)
    : islands_(label_islands(problem)),
      v_free_(problem.b),
      low_(islands_.count, 0),
      high_(islands_.count, 1),
      share_(islands_.count, 1) {
  DynamicsFactor(problem).solve_in_place(v_free_);
  for (const ContactForce& contact : contacts) restitution_.push_back(contact.restitution);
}

// Per island, whether its constraints added energy. Springs and servos may.
std::vector<char> BounceLimit::find_gains(const Solution& solution, const Problem& problem) const {
  const VectorXd mean = (solution.v + v_free_) / 2;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd J_mean(problem.n_c());
  multiply_J(problem, mean, V, J_mean);
  std::vector<double> gain(islands_.count, 0), exchanged(islands_.count, 0);
  for (size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    if (constraint.type == ConstraintType::kSoft) continue;
    const Vector3d work =
        rows_of(constraint, solution.lambda).cwiseProduct(rows_of(constraint, J_mean));
    gain[islands_.of_constraint[i]] += work.sum();
    exchanged[islands_.of_constraint[i]] += work.cwiseAbs().sum();
  }
  std::vector<char> gains(islands_.count);
  for (int j = 0; j < islands_.count; ++j) gains[j] = gain[j] > kEnergySlack * exchanged[j];
  return gains;
}

bool BounceLimit::adjust(const Solution& solution, const Problem& problem,
                         std::vector<ContactForce>& contacts) {
  if (rounds_ > kHalvings) return false;
  const std::vector<char> gains = find_gains(solution, problem);
  bool changed = false;
  for (int j = 0; j < islands_.count; ++j) {
    (gains[j] ? high_ : low_)[j] = share_[j];
    // The last round is one that is known to add nothing.
    const double next = rounds_ == kHalvings ? low_[j] : (low_[j] + high_[j]) / 2;
    if (share_[j] == 1 && !gains[j]) continue;
    changed |= next != share_[j];
    share_[j] = next;
  }
  ++rounds_;
  for (size_t k = 0; k < contacts.size(); ++k) {
    contacts[k].restitution = share_[islands_.of_constraint[k]] * restitution_[k];
  }
  return changed;
}

void BounceLimit::restore(std::vector<ContactForce>& contacts) const {
  for (size_t k = 0; k < contacts.size(); ++k) contacts[k].restitution = restitution_[k];
}

}  // namespace stiction
