// The simulation: a Model, its state, and a step that ends with a certificate.
//
//   Simulation simulation(load_model("robot.xml").model);
//   for (int k = 0; k < 240; ++k) {
//     const StepReport& report = simulation.step();
//     for (Miss miss : report.misses) std::cerr << report.step << ": " << to_string(miss) << '\n';
//   }
#pragma once

#include <stiction/error.h>
#include <stiction/model.h>
#include <stiction/solve.h>
#include <stiction/tree.h>

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// What to do about a step that misses the tolerance.
enum class TroublePolicy {
  kWarn,      ///< go on; the step is counted and reported
  kThrow,     ///< throw InputError with the reason before the state changes
  kRetry,     ///< solve again, cold, with four times the budget
  kFallback,  ///< solve again with CANAL and four times the budget, and keep the better
};
const char* to_string(TroublePolicy policy);  ///< "warn", "throw", "retry" or "fallback"

/// How contacts are looked for.
struct ContactOptions {
  /// Per pair of convex geoms; of more, those are kept that keep the supported area. Flat faces and
  /// rims of convex shapes have at most 8.
  int max_points = 8;
  /// Contacts are reported up to this share of the two shapes' radii before they touch, besides the
  /// way that the shapes may move in a step and the margins of the model.
  double rest_margin = 0.01;
};

struct SimulationOptions {
  std::string solver;  ///< empty: the library's default
  Budget budget;
  double timestep = 0;  ///< s; 0: the model's
  /// [TRO25] (2): positions move with theta v + (1 - theta) v+, masses and forces are those of the
  /// positions after the first part of the way. 0 is of first order; 1/2 is of second order, keeps
  /// the energy of joint springs, of a pendulum to O(h^2) over any time, and of chains without a
  /// trend (a double pendulum of two rods of 1 m: within 0.2 % of its weight times 1 m for 2000 s
  /// at 4 ms), but lets dampers ring that are stiffer than 2 M / h. Actuators, and whatever a
  /// contact, a limit or another constraint stops, are as with 0.
  double theta = 0;
  double recovery_speed = 0.5;  ///< fastest removal of penetration and closing of loops, m/s
  double recovery_share = 0.2;  ///< share of the penetration removed per step
  ContactOptions contact{};
  TroublePolicy on_trouble = TroublePolicy::kWarn;
  bool keep_guess = false;  ///< for Simulation::guess
};

/// Open: no force. Slip: it slides faster than 100 times the tolerance, or has no friction.
enum class ContactState { kOpen, kStick, kSlip };

/// A contact of the last step.
struct ContactForce {
  std::uint64_t id = 0;  ///< the same from step to step
  int geom1 = -1;
  int geom2 = -1;
  int body1 = 0;
  int body2 = 0;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();       ///< midway between the surfaces
  Eigen::Matrix3d R_CW = Eigen::Matrix3d::Identity();  ///< rows t1, t2, n; n from 1 to 2
  double gap = 0;                                      ///< m, before the step
  /// m, from the point on body 1 where the force acts to that on body 2, which meet within the
  /// step; zero if it acts on both at p_W.
  Eigen::Vector3d apart_W = Eigen::Vector3d::Zero();
  double mu = 0;
  double restitution = 0;
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();  ///< on body 2, N
  ContactState state = ContactState::kOpen;
  double residual = 0;  ///< how far the contact is from its law, m/s

  /// Where the force acts on one of the two bodies.
  Eigen::Vector3d point_on(int body) const;
};

/// Forces of the last step that are no contacts', means over the step; zero where nothing acts.
struct StepForces {
  Eigen::VectorXd actuators;     ///< each in its own unit, before the gear: MuJoCo's actuator_force
  Eigen::VectorXd joint_limits;  ///< on every dof, N or N m
  Eigen::VectorXd joint_friction;  ///< dry friction (frictionloss) on every dof, N or N m
  Eigen::VectorXd tendon_limits;   ///< per tendon, N; positive lengthens it
  Eigen::VectorXd tendon_friction;
  /// Per equality. Connect, weld: force on body 1 at the anchor, N, and torque, N m, world axes;
  /// joint, tendon: the force on joint 1 or tendon 1, N or N m, and zeros.
  Eigen::Matrix<double, 6, Eigen::Dynamic> equalities;
};

/// All contact forces between two bodies: single forces of redundant contacts are not unique, their
/// sum mostly is. (How two fingers share the weight of what they hold is not determined either.)
struct PairForce {
  int body1 = 0;
  int body2 = 0;
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();  ///< on body 2, N
  /// About the centre of mass of body 2, N m.
  Eigen::Vector3d torque_W = Eigen::Vector3d::Zero();
  int contacts = 0;
};

/// A spring and damper between two points, taken implicitly with the gains of [TRO25] (4): stable
/// at any stiffness.
struct Spring {
  int body1 = 0;
  int body2 = 0;
  Eigen::Vector3d anchor1 = Eigen::Vector3d::Zero();  ///< in body 1, m
  Eigen::Vector3d anchor2 = Eigen::Vector3d::Zero();  ///< in body 2, m
  double stiffness = 0;                               ///< N/m
  double damping = 0;                                 ///< N s/m
};

/// Rolling without slip, without a contact: the point of the body that is at its origin plus
/// `contact_W` has no velocity across `normal_W`. The constraint is nonholonomic: there is no
/// position to return to.
struct Rolling {
  int body = 0;
  Eigen::Vector3d contact_W = Eigen::Vector3d::Zero();  ///< world axes, m
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();
};

/// Seconds spent in each stage of the step.
struct StageTimes {
  double kinematics = 0;
  double contacts = 0;
  double dynamics = 0;
  double assemble = 0;
  double solve = 0;
  double integrate = 0;
  double certify = 0;
  double total() const;
};

/// Why a step counts as missed.
enum class Miss {
  kResidual,     ///< it is above the tolerance; SolveReport::status says what ended the solve
  kReach,        ///< contacts and limits that come up within the step do not settle
  kForceLimits,  ///< those of actuators do not settle
  kEnergy,       ///< of the new state, is not finite: known too late for kThrow
  kEquality,     ///< one is open by 1e-6 (m or rad) more than before: the same
};
constexpr int kMissCount = 5;
const char* to_string(Miss miss);  ///< "residual above the tolerance"

/// The certificate of one step.
struct StepReport {
  std::int64_t step = 0;
  double time = 0;  ///< at the end of the step, s
  bool within_tolerance = true;
  std::vector<Miss> misses;  ///< why not, all that holds; empty if it is
  SolveReport solve;
  int retries = 0;               ///< solves that missed and were repeated, by TroublePolicy
  std::string worst_constraint;  ///< by name
  int contacts = 0;
  int constraints = 0;
  double max_penetration = 0;   ///< at the start of the step, m
  std::string deepest_contact;  ///< by name; empty if nothing overlaps
  /// How far the worst of the active equality constraints is open at the end of the step, m or rad.
  double equality_error = 0;
  std::string worst_equality;  ///< by name; empty if there is none
  double energy = 0;           ///< at the end of the step, J
  /// Change of energy not explained by work or dissipation, J: the integrator's error, O(h^2) in
  /// smooth motion, O(h) in a step with an impact.
  double energy_error = 0;
  StageTimes seconds;
  /// Empty unless Budget::max_seconds cut the step short; else what repeats it bit by bit: per
  /// solve, how many numbers follow, and SolveReport::clock.
  std::vector<int> clock;
};

/// All that varies. Copying it and setting it back continues bit by bit. Mocap bodies are not part
/// of it: they stay where the model has them.
struct State {
  double time = 0;
  std::int64_t step = 0;
  Eigen::VectorXd qpos;
  Eigen::VectorXd qvel;
  Eigen::VectorXd act;
  std::vector<char> eq_active;  ///< per equality of the model: 1 if it holds, 0 if switched off
  std::vector<std::pair<std::uint64_t, Eigen::Vector3d>> impulses;  ///< warm start; ids rise
};

class Simulation {
 public:
  /// Throws InputError for options that make no sense.
  explicit Simulation(Model model, SimulationOptions options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances by one time step. If input is bad (NaN control) it throws InputError naming it, and
  /// the last good state stays.
  const StepReport& step();
  /// The same, but time is up where it was in another run of this step, whose report's `clock` is
  /// given: the bits are the same then. Throws InputError for a clock of another step.
  const StepReport& step(const std::vector<int>& clock);

  const Model& model() const;
  const SimulationOptions& options() const;
  /// From the next step on. Throws InputError for an unknown name or a tolerance <= 0.
  void set_solver(const std::string& name, const Budget& budget);
  double timestep() const;

  const State& state() const;
  /// Sizes, finiteness, positions and velocities up to 1e100, step >= 0 and rising ids of impulses
  /// are checked, else InputError;
  /// quaternions are normalised.
  void set_state(const State& state);
  void reset();  ///< qpos0, at rest, equalities active as the model has them
  /// Throw InputError for one that the model does not have.
  void reset_to_keyframe(const std::string& name);
  void reset_to_keyframe(int keyframe);

  Eigen::VectorXd& ctrl();
  const Eigen::VectorXd& ctrl() const;
  /// Switches an equality constraint, from the next step on, as MuJoCo's eq_active does. One that
  /// is open then closes on positions, at SimulationOptions::recovery_speed. Throw InputError for
  /// one that the model does not have.
  void set_equality_active(const std::string& name, bool active);
  void set_equality_active(int equality, bool active);
  /// Wrench on a body: force at its centre of mass and torque, world axes; kept until changed.
  /// Throws InputError for one that is not finite, or a body that does not exist.
  void apply_wrench(int body, const Vector6d& wrench);
  /// Constraints besides those of the model, kept until the end; return their number. Throw
  /// InputError for bodies that do not exist or gains that make no sense.
  int add_spring(const Spring& spring);
  int add_rolling(const Rolling& rolling);

  /// Of the last step that was not refused.
  const StepReport& report() const;
  const std::vector<ContactForce>& contacts() const;
  const StepForces& forces() const;
  std::vector<PairForce> pair_forces() const;  ///< one per pair of bodies that may touch
  /// (force; torque about its centre of mass) of all contacts on a body, world axes. Throws
  /// InputError for an unknown name.
  Vector6d contact_wrench(const std::string& body) const;
  /// Pairs of geoms that came close but whose shapes have no contact function: they pass through
  /// each other, and whoever runs the simulation should know.
  std::vector<std::pair<int, int>> unsupported_pairs() const;
  /// Of the last solve, also if its step was refused.
  const Problem& problem() const;
  const Solution& solution() const;
  /// What the last solve of problem() started from, not `warm` if from nothing; empty unless
  /// SimulationOptions::keep_guess.
  const Solution& guess() const;
  /// "contact 'floor' - 'box'", "limit of joint 'hip'": a constraint of problem() in words. Throws
  /// InputError for an index that does not exist.
  std::string constraint_name(int constraint) const;
  /// Kinematics at the current state.
  const TreeData& tree() const;
  /// These four throw InputError for an index that does not exist.
  Pose body_pose(int body) const;
  Pose site_pose(int site) const;
  /// (linear velocity of the frame's origin; angular velocity), world axes.
  Vector6d body_velocity(int body) const;
  Vector6d site_velocity(int site) const;
  /// All sensors of the model in its order, with MuJoCo's meanings: positions and velocities now,
  /// accelerations and forces as means over the last step. Sensors without support read zero.
  const Eigen::VectorXd& sensordata() const;
  /// One sensor; throws InputError for an unknown name.
  Eigen::VectorXd sensor(const std::string& name) const;
  Energy energy() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiction
