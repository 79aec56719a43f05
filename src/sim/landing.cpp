#include "sim/landing.h"

#include <algorithm>
#include <cmath>

#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "contact/subsystem_of.h"
#include "sim/bounce.h"
#include "sim/solve_step.h"
#include "sim/theta.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// So many impacts of a body are followed; the last of them is plastic.
constexpr int kImpacts = 32;
// Share of the step within which impacts count as one: a box that lands on a face does so with all
// its corners, whatever rounding says.
constexpr double kAtOnce = 1e-3;
// Halvings of the share of restitution.
constexpr int kHalvings = 8;
// Energy that rounding and the solver's tolerance may add, as a share of what is exchanged.
constexpr double kEnergySlack = 1e-6;
// Of the fastest impact: what a solver leaves of a problem that has no solution.
constexpr double kImpossible = 1e-3;

// Seconds until a gap that changes with the speed u and the acceleration a is closed; its speed
// then is left in u. Infinite if it stays open.
double time_to_close(double gap, double a, double& u) {
  const double open = std::max(gap, 0.0);
  const double square = u * u - 2 * a * open;
  if (square < 0 || (u >= 0 && a >= 0)) return kInfinity;
  const double speed = std::sqrt(square);
  const double time = u < 0 ? 2 * open / (speed - u) : (u + speed) / -a;
  u = -speed;
  return time;
}

class Landing {
 public:
  explicit Landing(Simulation::Impl& sim);

  bool any() const { return any_; }
  void fly();
  bool hold_landed();
  void finish();

 private:
  struct Body {
    bool may_land = false;
    double clock = 0;         // s, up to which it has flown
    double next = kInfinity;  // when it hits
    int impacts = 0;
    double low = 0, high = 1;  // shares of restitution that add no energy, that do
    double share = 1;
  };

  void find_candidates();
  void start_flight();
  bool find_hits();
  void advance(int s, double to);
  void start_round();
  bool limit_round(const Solution& solution);
  void finish_round(const Solution& solution);
  auto dofs(int s) const {
    return Eigen::seqN(problem_.subsystems[s].dof_begin, problem_.subsystems[s].dof_count);
  }
  VectorXd times_J(const VectorXd& v);

  Simulation::Impl& sim_;
  Problem& problem_;
  double least_;
  bool any_ = false;
  std::vector<Body> bodies_;     // per subsystem
  std::vector<int> of_contact_;  // subsystem of those that may be hit, or -1
  std::vector<char> hits_;       // per contact: in this round
  VectorXd V_, a_, x_;
  VectorXd JV_;
  VectorXd lambda_;  // sum of all rounds
  Problem round_;
  std::vector<int> of_round_;  // its contacts
  Matrix6Xd twists_;
};

Landing::Landing(Simulation::Impl& sim)
    : sim_(sim),
      problem_(sim.problem),
      least_(least_impact(sim)),
      bodies_(sim.problem.subsystems.size()),
      of_contact_(sim.contacts.size(), -1),
      twists_(6, sim.problem.bodies.size()) {
  find_candidates();
  if (any_) start_flight();
}

VectorXd Landing::times_J(const VectorXd& v) {
  VectorXd Jv(problem_.n_c());
  multiply_J(problem_, v, twists_, Jv);
  return Jv;
}

// Free bodies that rest on nothing, all of whose constraints are contacts with restitution with
// what does not move.
void Landing::find_candidates() {
  const SubsystemOf subsystem_of(problem_);
  const VectorXd u = times_J(sim_.approach);
  std::vector<char> held(bodies_.size(), 0);
  std::vector<char> near(bodies_.size(), 0);
  for (int i = 0; i < static_cast<int>(problem_.constraints.size()); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const bool is_contact = i < static_cast<int>(sim_.contacts.size());
    const bool bounces =
        is_contact && sim_.contacts[i].restitution > 0 && constraint.port_count == 1;
    for (int p = constraint.port_begin; p < constraint.port_begin + constraint.port_count; ++p) {
      const Port& port = problem_.ports[p];
      for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
        held[subsystem_of.dof[problem_.port_dofs[k]]] = 1;
      }
      if (port.body < 0) continue;
      const int s = subsystem_of.body[port.body];
      if (!bounces) {
        held[s] = 1;
        continue;
      }
      const double gap = sim_.contacts[i].gap;
      const double u_n = u[constraint.row_begin + 2];
      held[s] |= gap <= sim_.h * least_ && std::abs(u_n) <= least_;  // it rests
      near[s] |= gap + sim_.h * (u_n - 2 * least_) < 0;
      of_contact_[i] = s;
    }
  }
  for (size_t s = 0; s < bodies_.size(); ++s) {
    const Subsystem& subsystem = problem_.subsystems[s];
    const bool is_free = subsystem.body_count == 1 && subsystem.dof_count == 6;
    bodies_[s].may_land = is_free && near[s] && !held[s];
    any_ |= bodies_[s].may_land;
  }
  for (int& s : of_contact_) {
    if (s >= 0 && !bodies_[s].may_land) s = -1;
  }
}

void Landing::start_flight() {
  a_ = problem_.b;
  DynamicsFactor(problem_).solve_in_place(a_);
  a_ = (a_ - sim_.approach) / sim_.h;
  V_ = sim_.approach + (0.5 - sim_.options.theta) * sim_.h * a_;
  x_ = VectorXd::Zero(V_.size());
  lambda_ = VectorXd::Zero(problem_.n_c());
  round_ = problem_;
}

// What is hit next, of each body; false if nothing is.
bool Landing::find_hits() {
  JV_ = times_J(V_);
  const VectorXd Ja = times_J(a_), Jx = times_J(x_);
  std::vector<double> when(of_contact_.size(), kInfinity);
  for (Body& body : bodies_) body.next = kInfinity;
  for (size_t k = 0; k < of_contact_.size(); ++k) {
    if (of_contact_[k] < 0) continue;
    Body& body = bodies_[of_contact_[k]];
    if (body.impacts >= kImpacts) continue;
    const int row = problem_.constraints[k].row_begin + 2;
    double u = JV_[row];
    const double time = body.clock + time_to_close(sim_.contacts[k].gap + Jx[row], Ja[row], u);
    if (time >= sim_.h || u >= -least_) continue;
    when[k] = time;
    body.next = std::min(body.next, time);
  }
  hits_.assign(of_contact_.size(), 0);
  bool any = false;
  for (size_t k = 0; k < of_contact_.size(); ++k) {
    if (when[k] == kInfinity) continue;
    hits_[k] = when[k] <= bodies_[of_contact_[k]].next + kAtOnce * sim_.h;
    any = true;
  }
  return any;
}

void Landing::advance(int s, double to) {
  const double dt = to - bodies_[s].clock;
  x_(dofs(s)) += dt * V_(dofs(s)) + dt * dt / 2 * a_(dofs(s));
  V_(dofs(s)) += dt * a_(dofs(s));
  bodies_[s].clock = to;
}

// The impacts of the moment, each body's own, with the present shares of restitution.
void Landing::start_round() {
  round_.constraints.clear();
  of_round_.clear();
  std::vector<double> e;
  for (int k = 0; k < static_cast<int>(hits_.size()); ++k) {
    if (!hits_[k]) continue;
    const Body& body = bodies_[of_contact_[k]];
    const double share = body.impacts + 1 == kImpacts ? 0 : body.share;
    const double u_n = std::min(JV_[problem_.constraints[k].row_begin + 2], 0.0);
    Constraint constraint = problem_.constraints[k];
    constraint.row_begin = static_cast<int>(e.size());
    e.insert(e.end(), {0, 0, share * sim_.contacts[k].restitution * u_n});
    round_.constraints.push_back(constraint);
    of_round_.push_back(k);
  }
  round_.e = Eigen::Map<const VectorXd>(e.data(), static_cast<Eigen::Index>(e.size()));
}

// Halves the share of restitution of bodies that the round gives energy, or has no solution for;
// false if there is none.
bool Landing::limit_round(const Solution& solution) {
  VectorXd u_next(round_.n_c());
  multiply_J(round_, solution.v, twists_, u_next);
  std::vector<double> gain(bodies_.size(), 0), exchanged(bodies_.size(), 0);
  double fastest = 0;
  for (size_t i = 0; i < of_round_.size(); ++i) {
    const Vector3d before = rows_of(problem_.constraints[of_round_[i]], JV_);
    const Vector3d lambda = rows_of(round_.constraints[i], solution.lambda);
    const Vector3d after = rows_of(round_.constraints[i], u_next);
    gain[of_contact_[of_round_[i]]] += lambda.dot(before + after) / 2;
    exchanged[of_contact_[of_round_[i]]] += lambda.norm() * before.norm();
    fastest = std::max(fastest, before.norm());
  }
  const Residual& residual = solution.report.residual;
  if (residual.worst_constraint >= 0 && residual.scaled > sim_.options.budget.tolerance &&
      residual.scaled > kImpossible * fastest) {
    gain[of_contact_[of_round_[residual.worst_constraint]]] = kInfinity;
  }
  bool changed = false;
  for (size_t s = 0; s < bodies_.size(); ++s) {
    Body& body = bodies_[s];
    const bool gains = gain[s] > kEnergySlack * exchanged[s];
    if (exchanged[s] == 0 || (body.share == 1 && !gains)) continue;
    (gains ? body.high : body.low) = body.share;
    const bool last = body.high - body.low <= std::ldexp(1, -kHalvings);
    const double next = last ? body.low : (body.low + body.high) / 2;
    changed |= next != body.share;
    body.share = next;
  }
  return changed;
}

void Landing::finish_round(const Solution& solution) {
  V_ = solution.v;
  for (size_t i = 0; i < of_round_.size(); ++i) {
    const Constraint& constraint = problem_.constraints[of_round_[i]];
    const Vector3d impulse = rows_of(round_.constraints[i], solution.lambda);
    set_rows(constraint, rows_of(constraint, lambda_) + impulse, lambda_);
  }
  for (size_t s = 0; s < bodies_.size(); ++s) bodies_[s].impacts += bodies_[s].next < kInfinity;
  sim_.thrown.push_back(V_);
}

void Landing::fly() {
  while (find_hits()) {
    for (int s = 0; s < static_cast<int>(bodies_.size()); ++s) {
      if (bodies_[s].next < kInfinity) advance(s, bodies_[s].next);
      bodies_[s].low = 0;
      bodies_[s].high = bodies_[s].share = 1;
    }
    JV_ = times_J(V_);
    Matrix6Xd W(6, problem_.bodies.size());
    multiply_A(problem_, V_, twists_, W, round_.b);
    Solution solution;
    do {
      start_round();
      solution = {};
      solve_in_time(sim_, round_, sim_.solver, sim_.options.budget, solution);
    } while (limit_round(solution));
    finish_round(solution);
  }
}

bool Landing::hold_landed() {
  bool held = false;
  for (size_t k = 0; sim_.theta_step && k < of_contact_.size(); ++k) {
    if (of_contact_[k] < 0 || bodies_[of_contact_[k]].impacts == 0) continue;
    held |= hold(sim_, problem_.constraints[k]);
  }
  return held;
}

void Landing::finish() {
  const double shift = (0.5 - sim_.options.theta) * sim_.h;
  for (int s = 0; s < static_cast<int>(bodies_.size()); ++s) {
    if (bodies_[s].impacts == 0) continue;
    advance(s, sim_.h);
    V_(dofs(s)) -= shift * a_(dofs(s));
    sim_.detour(dofs(s)) = x_(dofs(s)) / sim_.h - V_(dofs(s));
    sim_.solution.v(dofs(s)) = V_(dofs(s));
    sim_.solution.warm = true;
  }
  JV_ = times_J(V_);
  const VectorXd J_detour = times_J(sim_.detour);
  const VectorXd J_approach = times_J(sim_.approach);
  for (size_t k = 0; k < of_contact_.size(); ++k) {
    if (of_contact_[k] < 0) continue;
    const Constraint& constraint = problem_.constraints[k];
    const int row = constraint.row_begin + 2;
    const double open = std::max(sim_.contacts[k].gap, 0.0) / sim_.h;
    if (bodies_[of_contact_[k]].impacts == 0) {  // it hits in the next step
      if (-J_approach[row] > least_) problem_.e[row] = open;
      continue;
    }
    sim_.landed[k] = 1;
    const Vector3d lambda = rows_of(constraint, lambda_);
    set_rows(constraint, lambda, sim_.solution.lambda);
    Vector3d e(0, 0, std::max(open + J_detour[row], 0.0));
    if (lambda[2] > 0) e << -JV_[row - 2], -JV_[row - 1], std::min(e[2], -JV_[row]);
    set_rows(constraint, e, problem_.e);
  }
}

}  // namespace

bool land(Simulation::Impl& sim) {
  sim.detour.setZero(sim.model.nv);
  sim.landed.assign(sim.contacts.size(), 0);
  sim.thrown.clear();
  const auto bounces = [](const ContactForce& contact) { return contact.restitution > 0; };
  if (sim.has_soft_contacts() || std::none_of(sim.contacts.begin(), sim.contacts.end(), bounces)) {
    return false;
  }
  Landing landing(sim);
  if (!landing.any()) return false;
  landing.fly();
  if (landing.hold_landed()) return true;
  landing.finish();
  return false;
}

}  // namespace stiction
