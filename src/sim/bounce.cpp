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
constexpr double kEnergySlack = 1e-6;

// Only a bounce makes e_n negative (assemble.cpp).
bool bounces(const ContactForce& contact, const Constraint& constraint, const Problem& problem) {
  return contact.restitution > 0 && problem.e[constraint.row_begin + 2] < 0;
}

}  // namespace

bool any_bounce(const Simulation::Impl& sim) {
  if (sim.has_soft_contacts()) return false;
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    if (bounces(sim.contacts[k], sim.problem.constraints[k], sim.problem)) return true;
  }
  return false;
}

void correct_bounces(Simulation::Impl& sim) {
  const double theta = sim.options.theta;
  if (theta == 0 || !any_bounce(sim)) return;
  Problem& problem = sim.problem;
  VectorXd h_a = problem.b;  // of the joints, without contacts
  DynamicsFactor(problem).solve_in_place(h_a);
  h_a -= sim.state.qvel;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd J_h_a(problem.n_c());
  multiply_J(problem, h_a, V, J_h_a);
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    const Constraint& constraint = problem.constraints[k];
    if (!bounces(sim.contacts[k], constraint, problem)) continue;
    const int row = constraint.row_begin + 2;
    problem.e[row] = std::min(problem.e[row] - 2 * theta * J_h_a[row], 0.0);
  }
}

BounceLimit::BounceLimit(const Simulation::Impl& sim)
    : islands_(label_islands(sim.problem)),
      v_free_(sim.problem.b),
      taken_(islands_.count, 0),
      low_(islands_.count, 0),
      high_(islands_.count, 1),
      share_(islands_.count, 1) {
  const Problem& problem = sim.problem;
  DynamicsFactor(problem).solve_in_place(v_free_);
  // What an elastic bounce turns round, under the theta rule.
  const VectorXd v = sim.state.qvel + 2 * sim.options.theta * (sim.state.qvel - v_free_);
  Matrix6Xd V(6, problem.bodies.size()), W(6, problem.bodies.size());
  VectorXd Av(problem.n());
  multiply_A(problem, v, V, W, Av);
  for (size_t s = 0; s < problem.subsystems.size(); ++s) {
    const int begin = problem.subsystems[s].dof_begin;
    const int count = problem.subsystems[s].dof_count;
    taken_[islands_.of_subsystem[s]] +=
        (Av - problem.b).segment(begin, count).dot((v + v_free_).segment(begin, count)) / 2;
  }
  for (const ContactForce& contact : sim.contacts) restitution_.push_back(contact.restitution);
}

// Per island, whether its constraints added energy. Springs and servos may.
std::vector<char> BounceLimit::find_gains(const Solution& solution, const Problem& problem) const {
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd u(problem.n_c()), u_free(problem.n_c());
  multiply_J(problem, solution.v, V, u);
  multiply_J(problem, v_free_, V, u_free);
  std::vector<double> gain(islands_.count, 0), exchanged(islands_.count, 0);
  for (size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    if (constraint.type == ConstraintType::kSoft) continue;
    const Vector3d lambda = rows_of(constraint, solution.lambda);
    const Vector3d before = rows_of(constraint, u_free);
    Vector3d mean = (rows_of(constraint, u) + before) / 2;
    // Beside the motion that an equality prescribes (follow_equalities.h).
    if (constraint.type == ConstraintType::kEquality) mean += rows_of(constraint, problem.e);
    gain[islands_.of_constraint[i]] += lambda.dot(mean);
    exchanged[islands_.of_constraint[i]] += lambda.norm() * before.norm();
  }
  std::vector<char> gains(islands_.count);
  for (int j = 0; j < islands_.count; ++j) {
    gains[j] = gain[j] > std::max(taken_[j], 0.0) + kEnergySlack * exchanged[j];
  }
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
