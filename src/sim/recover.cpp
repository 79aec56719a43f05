#include "sim/recover.h"

#include <algorithm>
#include <cmath>

#include "contact/islands.h"
#include "contact/jacobian.h"
#include "contact/solvers.h"
#include "sim/limits.h"
#include "sim/recovery_problem.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// The displacement need not be exact: what is left is recovered in the next step. No constraint may
// be off by more than this share of the largest speed asked for.
constexpr double kTolerance = 0.01;
constexpr int kSweeps = 200;
constexpr int kLoops = 20;
// So often the rest is tried again without what has been given up.
constexpr int kRecoveryRounds = 8;
// Of the largest speed asked for: what has a lever on a contact moves faster than the contact.
constexpr double kMostSpeed = 2;

// How fast the body moves, as the root of its mean square, m/s.
double speed(const ProblemBody& body, const Vector6d& twist) {
  const double mass = body.H(0, 0);
  return mass > 0 ? std::sqrt(std::max(twist.dot(body.H * twist), 0.0) / mass) : 0;
}

// w shorter, island by island, so that no body is faster than `fastest`. Where w = 0 keeps to all
// constraints that have nothing to recover, so does a part of w.
void shorten(const Problem& problem, double fastest, const IslandLabels& islands, VectorXd& w) {
  Matrix6Xd V(6, problem.bodies.size());
  body_twists(problem, w, V);
  std::vector<double> largest(islands.count, 0);
  for (size_t j = 0; j < problem.subsystems.size(); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    double& of_island = largest[islands.of_subsystem[j]];
    for (int b = subsystem.body_begin; b < subsystem.body_begin + subsystem.body_count; ++b) {
      of_island = std::max(of_island, speed(problem.bodies[b], V.col(b)));
    }
  }
  for (size_t j = 0; j < problem.subsystems.size(); ++j) {
    const double is = largest[islands.of_subsystem[j]];
    if (!(is > fastest)) continue;
    w.segment(problem.subsystems[j].dof_begin, problem.subsystems[j].dof_count) *= fastest / is;
  }
}

// Mass of the heaviest free body, per island; 0 if there is none.
std::vector<double> heaviest_bodies(const Problem& problem, const IslandLabels& islands) {
  std::vector<double> heaviest(islands.count, 0);
  for (size_t j = 0; j < problem.subsystems.size(); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    if (subsystem.body_count != 1 || subsystem.dof_count != 6) continue;
    double& of_island = heaviest[islands.of_subsystem[j]];
    of_island = std::max(of_island, problem.bodies[subsystem.body_begin].H(0, 0));
  }
  return heaviest;
}

// Leaves a constraint as it is, of a contact with all others between its geoms.
void give_up(const RecoverInput& input, int constraint, std::vector<char>& given_up) {
  given_up[constraint] = 1;
  if (input.sources[constraint].kind != SourceKind::kContact) return;
  const ContactForce& contact = input.contacts[input.sources[constraint].index];
  for (size_t i = 0; i < input.sources.size(); ++i) {
    if (input.sources[i].kind != SourceKind::kContact) continue;
    const ContactForce& other = input.contacts[input.sources[i].index];
    if (other.geom1 == contact.geom1 && other.geom2 == contact.geom2) given_up[i] = 1;
  }
}

}  // namespace

void add_recovery(const RecoverInput& input, const Solution& solution, std::int64_t step,
                  const SimulationOptions& options, VectorXd& v) {
  const Problem& problem = input.problem;
  const std::vector<ConstraintSource>& sources = input.sources;
  VectorXd gaps = VectorXd::Zero(static_cast<Eigen::Index>(sources.size()));
  for (size_t i = 0; i < sources.size(); ++i) {
    const SourceKind kind = sources[i].kind;
    if (kind == SourceKind::kContact) gaps[i] = input.contacts[sources[i].index].gap;
    if (kind == SourceKind::kJointLimit || kind == SourceKind::kTendonLimit) {
      gaps[i] = limit_gap(input.model, input.qpos, sources[i]);
    }
  }
  const double deepest = gaps.size() > 0 ? -gaps.minCoeff() : 0;
  const int steps = deepest < kVisibleDepth ? kRecoveryPeriod : 1;
  if (deepest <= kRecoveryDepth || step % steps != 0) return;
  const double share = 1 - std::pow(1 - options.recovery_share, steps);

  const IslandLabels islands = label_islands(problem);
  std::vector<char> deep(islands.count, 0);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (gaps[i] < -kRecoveryDepth) deep[islands.of_constraint[i]] = 1;
  }
  const std::vector<double> heaviest = heaviest_bodies(problem, islands);
  bool carries = false;  // something deep may carry a free body
  for (int k = 0; k < islands.count; ++k) carries |= deep[k] && heaviest[k] > 0;
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd Jv(problem.n_c());
  multiply_J(problem, solution.v, V, Jv);
  // What cannot be recovered now is left as it is, and the rest of it recovered without.
  std::vector<char> given_up(sources.size(), 0);
  Solution recovery;
  double largest_speed = 0;
  bool again = true;
  for (int round = 0; again && round < kRecoveryRounds; ++round) {
    RecoveryProblem positions(problem, Jv, input.h, share, steps * options.recovery_speed);
    std::vector<int> added;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!deep[islands.of_constraint[i]]) continue;
      positions.add(problem.constraints[i], gaps[i], given_up[i] == 0,
                    heaviest[islands.of_constraint[i]]);
      added.push_back(static_cast<int>(i));
    }
    largest_speed = positions.largest_speed();
    if (!(largest_speed > 0)) return;
    Budget budget;
    budget.tolerance = kTolerance * largest_speed / static_cast<double>(sources.size());
    budget.max_iterations = kSweeps;
    budget.threads = options.budget.threads;
    // Without friction, and so roughly, sweeps do, unless heavy things lie on light ones.
    recovery = {};
    const Problem& on_positions = positions.finish();
    solve_with(on_positions, PgsOptions{.acceleration = SweepAcceleration::kAnderson}, budget,
               false, recovery);
    if (recovery.report.status != Status::kSolved && carries) {
      recovery.warm = true;
      budget.max_iterations = kLoops;
      solve_with(on_positions, GripOptions{.rescues = 0}, budget, false, recovery);
    }
    const std::vector<int> hopeless = positions.hopeless(recovery.v);
    again = !hopeless.empty();
    for (const int k : hopeless) give_up(input, added[k], given_up);
  }
  VectorXd w = recovery.v.head(problem.n());
  if (!w.allFinite()) return;
  shorten(problem, kMostSpeed * largest_speed, islands, w);
  v += w;
}

}  // namespace stiction
