// The simulation's parts, grouped by the stage that computes them.
#pragma once

#include <stiction/simulation.h>

#include <memory>
#include <optional>
#include <vector>

#include "contact/problem_solver.h"
#include "contact/solvers.h"
#include "model/drives.h"
#include "sim/assemble.h"
#include "sim/detect.h"
#include "sim/dynamics.h"
#include "sim/flight.h"
#include "sim/sensors.h"
#include "sim/servos.h"
#include "sim/structure.h"

namespace stiction {

/// The other dynamics of each subsystem (theta.h): of q' = q (+) theta h v while it takes the step
/// with theta = 0, of q else. Of the problem, S, H, D and b count.
struct ThetaStep {
  ThetaStep(const Model& model, const Problem& skeleton) : tree(model), problem(skeleton) {}

  TreeData tree;  ///< at q'
  Problem problem;
  Eigen::VectorXd qpos;     ///< q'
  Eigen::VectorXd qvel;     ///< v of origins there (pivots.h)
  Eigen::VectorXd applied;  ///< as in Impl
};

struct Simulation::Impl {
  Impl(Model model_in, SimulationOptions options_in);

  /// The solver's contacts are springs, which replace the recovery of penetration.
  bool has_soft_contacts() const { return std::holds_alternative<ConvexOptions>(solver); }
  /// What the step's constraints are made of, besides the contacts.
  AssembleInput assemble_input() const;

  Model model;
  SimulationOptions options;
  SolverOptions solver;
  double h = 0;
  Structure structure;
  std::vector<Drive> drives = find_drives(model).drives;
  ContactDetector detector;

  State state;
  Eigen::VectorXd ctrl;
  Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches;  ///< per body, at the centre of mass
  std::vector<Spring> springs;
  std::vector<Rolling> rolling;

  TreeData tree;                       ///< kinematics
  Energy energy;                       ///< kinematics
  bool tree_is_current = false;        ///< of `state`, as every step's certificate leaves it
  std::vector<ContactForce> contacts;  ///< detect_contacts
  Eigen::VectorXd applied;             ///< dynamics: joint-space forces of the wrenches
  std::vector<Servo> servos;           ///< dynamics
  DynamicsMemory dynamics_memory;      ///< dynamics: scratch
  Eigen::VectorXd D_smooth;            ///< dynamics: D and b without the servos
  Eigen::VectorXd b_smooth;
  std::unique_ptr<ThetaStep> theta_step;  ///< dynamics, if theta > 0
  Eigen::VectorXd share;  ///< of v+ in v_hat, per dof: 1 - theta, or 1 where a constraint stops it
  Problem problem;        ///< dynamics, assemble
  std::optional<ProblemSolver> problem_solver;  ///< solve
  std::vector<ConstraintSource> sources;        ///< assemble
  Eigen::VectorXd approach;                     ///< assemble: what bounces turn round (bounce.h)
  Eigen::VectorXd detour;                       ///< assemble: of the step's way from v+ (landing.h)
  std::vector<char> landed;                     ///< assemble: contacts whose bounces are done then
  std::vector<Eigen::VectorXd> thrown;          ///< assemble, solve: velocities between impacts
  Eigen::VectorXd phi;                          ///< assemble: errors of the equalities
  Solution solution;                            ///< warm_start, solve
  Solution guess;                               ///< solve: what it started from, if kept
  Eigen::VectorXd expected;                     ///< solve: velocity to be ready for
  bool servos_settled = true;                   ///< solve
  bool reach_settled = true;                    ///< solve: nothing is run into unseen
  std::vector<Miss> misses;                     ///< solve
  int retries = 0;                              ///< solve, as StepReport::retries
  std::vector<int> clock;                       ///< solve, as StepReport::clock
  const std::vector<int>* repeated = nullptr;   ///< the clock of the step to be repeated, or null
  std::size_t repeated_at = 0;                  ///< what has been taken from it
  Energy energy_before;
  Eigen::VectorXd qvel_before;
  Matrix6Xd V_before;                       ///< twists of qvel_before, per problem body
  std::vector<Eigen::Vector3d> com_before;  ///< per body, where the step began
  Eigen::VectorXd recovery;                 ///< integrate: scratch, the velocity of recovery
  Eigen::VectorXd move_velocity;            ///< integrate: scratch
  Eigen::VectorXd qpos_solved;              ///< integrate: scratch, of the arms of v+
  Eigen::VectorXd qpos_next;                ///< integrate: scratch
  Eigen::VectorXd qvel_next;                ///< integrate: scratch
  FlightMemory flight_memory;               ///< reach, integrate: scratch
  Problem loops;                            ///< integrate, certify: scratch, equalities alone
  TreeData tree_next;                       ///< reach, integrate: scratch, where the step ends
  std::vector<SensorSlot> sensors;          ///< certify
  Matrix6Xd V;                              ///< certify: scratch, per problem body
  Eigen::VectorXd qvel_mean;                ///< certify: scratch
  Eigen::VectorXd sensordata;
  StepReport report;  ///< certify: these four are of the last good step
  StepForces reported_forces;
  std::vector<ContactForce> reported_contacts;
  std::vector<Eigen::Vector3d> reported_com;  ///< where that step began
};

/// The step: every stage in order. Nothing else drives the order. `clock` is null, or of the step
/// to be repeated.
void advance(Simulation::Impl& sim, const std::vector<int>* clock);

/// Joint-space forces of the user's wrenches, at the poses of the tree.
void apply_wrenches(const Simulation::Impl& sim, const TreeData& tree, Eigen::VectorXd& applied);

/// Kinematics, velocities and energy at the current state.
void update_tree(Simulation::Impl& sim);

}  // namespace stiction
