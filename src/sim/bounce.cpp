#include "sim/bounce.h"

#include <algorithm>
#include <cmath>

#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "sim/first_hits.h"
#include "sim/pivots.h"
#include "sim/theta.h"

namespace stiction {

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// Halvings of the share of restitution.
constexpr int kHalvings = 8;
// Energy that rounding and the solver's tolerance may add, as a share of what is exchanged.
constexpr double kEnergySlack = 1e-6;

// Only a bounce makes e_n negative. Those of bodies that land are done with.
bool bounces(const Simulation::Impl& sim, size_t k) {
  return sim.contacts[k].restitution > 0 && !sim.landed[k] &&
         sim.problem.e[sim.problem.constraints[k].row_begin + 2] < 0;
}

// Coriolis, centrifugal and gyroscopic, as the step has them, on the left side.
VectorXd inertial_forces(const Simulation::Impl& sim, const TreeData& tree) {
  VectorXd forces = tree.bias;
  if (!sim.model.options.gravity_enabled) return forces;
  for (size_t b = 1; b < sim.model.bodies.size(); ++b) {
    const Vector3d weight = sim.model.bodies[b].mass * sim.model.options.gravity;
    add_force(tree, static_cast<int>(b), tree.p_WBcm[b], weight, Vector3d::Zero(), forces);
  }
  return forces;
}

// The velocity that impacts turn round.
void find_approach(Simulation::Impl& sim) {
  sim.approach = -sim.h * inertial_forces(sim, sim.tree);
  if (sim.theta_step) {
    const VectorXd drifted = -sim.h * inertial_forces(sim, sim.theta_step->tree);
    sim.approach = (sim.share.array() < 1).select(drifted, sim.approach);
  }
  DynamicsFactor(sim.problem).solve_in_place(sim.approach);
  sim.approach += sim.state.qvel;
}

// Whether one is worth looking at.
bool nearly_hits(const Simulation::Impl& sim, const VectorXd& u) {
  const double least = least_impact(sim);
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    const ContactForce& contact = sim.contacts[k];
    const double approach = -u[sim.problem.constraints[k].row_begin + 2];
    if (contact.restitution <= 0 || approach <= least) continue;
    if (contact.gap < 2 * sim.h * approach) return true;
  }
  return false;
}

}  // namespace

bool any_bounce(const Simulation::Impl& sim) {
  if (sim.has_soft_contacts()) return false;
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    if (bounces(sim, k)) return true;
  }
  return false;
}

double least_impact(const Simulation::Impl& sim) {
  const Options& options = sim.model.options;
  const double weight = options.gravity_enabled ? sim.h * options.gravity.norm() : 0;
  return std::max(100 * sim.options.budget.tolerance, weight);
}

bool set_bounces(Simulation::Impl& sim) {
  sim.approach = sim.state.qvel;
  const auto has_restitution = [](const ContactForce& contact) { return contact.restitution > 0; };
  if (sim.has_soft_contacts() ||
      std::none_of(sim.contacts.begin(), sim.contacts.end(), has_restitution)) {
    return false;
  }
  Problem& problem = sim.problem;
  // As the last solve left it: what rolls does not hit, though the arm of its centre turns.
  VectorXd last = sim.state.qvel;
  turn_arms(sim.structure, sim.tree, -sim.h, last);
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd u(problem.n_c());
  multiply_J(problem, last, V, u);
  if (nearly_hits(sim, u)) {
    find_approach(sim);
    VectorXd turned(problem.n_c());
    multiply_J(problem, sim.approach, V, turned);
    const double least = least_impact(sim);
    for (size_t k = 0; k < sim.contacts.size(); ++k) {
      const int row = problem.constraints[k].row_begin + 2;
      const double change = std::abs(turned[row] - u[row]);
      if (-turned[row] > std::max(least, change)) u[row] = turned[row];
    }
  }
  std::vector<char> hits;
  find_first_hits(sim.contacts, u, sim.h, 0, hits);
  bool held = false;
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    const Constraint& constraint = problem.constraints[k];
    if (!hits[k] || !has_restitution(sim.contacts[k])) continue;
    problem.e[constraint.row_begin + 2] = sim.contacts[k].restitution * u[constraint.row_begin + 2];
    if (sim.theta_step) held |= hold(sim, constraint);
  }
  return held;
}

void correct_bounces(Simulation::Impl& sim) {
  const double theta = sim.options.theta;
  if (theta == 0 || !any_bounce(sim)) return;
  Problem& problem = sim.problem;
  VectorXd h_a = problem.b;  // of the joints, without contacts
  DynamicsFactor(problem).solve_in_place(h_a);
  h_a -= sim.approach;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd J_h_a(problem.n_c());
  multiply_J(problem, h_a, V, J_h_a);
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    if (!bounces(sim, k)) continue;
    const int row = problem.constraints[k].row_begin + 2;
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
  const VectorXd v = sim.approach + 2 * sim.options.theta * (sim.approach - v_free_);
  Matrix6Xd V(6, problem.bodies.size()), W(6, problem.bodies.size());
  VectorXd Av(problem.n());
  multiply_A(problem, v, V, W, Av);
  for (size_t s = 0; s < problem.subsystems.size(); ++s) {
    const int begin = problem.subsystems[s].dof_begin;
    const int count = problem.subsystems[s].dof_count;
    taken_[islands_.of_subsystem[s]] +=
        (Av - problem.b).segment(begin, count).dot((v + v_free_).segment(begin, count)) / 2;
  }
  for (size_t k = 0; k < sim.contacts.size(); ++k) {
    restitution_.push_back(sim.contacts[k].restitution);
    if (sim.landed[k]) taken_[islands_.of_constraint[k]] = kInfinity;  // it has its own limit
  }
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
