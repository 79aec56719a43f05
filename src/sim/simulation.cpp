#include <stiction/builder.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <cmath>

#include "sim/keep_memory.h"
#include "sim/sensors.h"
#include "sim/simulation_impl.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

void check_vector(const std::string& name, const VectorXd& x, int size) {
  if (x.size() != size) {
    throw InputError(name + " has size " + std::to_string(x.size()) + ", expected " +
                     std::to_string(size));
  }
  for (int k = 0; k < size; ++k) {
    if (!std::isfinite(x[k])) {
      throw InputError(name + "[" + std::to_string(k) + "] is " + text(x[k]) +
                       ", expected a finite number");
    }
  }
}

// Quaternions that are unit up to rounding stay as they are: a saved state must come back bit by
// bit, and normalising twice is not the same as once.
void normalize_quaternions(const Model& model, VectorXd& qpos) {
  for (const Joint& joint : model.joints) {
    if (joint.type != JointType::kFree && joint.type != JointType::kBall) continue;
    auto q = qpos.segment<4>(joint.qpos_begin + joint.nq() - 4);
    const double norm = q.norm();
    if (!(norm > 1e-6)) {
      throw InputError("qpos: the quaternion of " + model.joint_label(joint) + " has norm " +
                       text(norm) + ", expected 1");
    }
    if (std::abs(norm - 1) > 1e-12) q /= norm;
  }
}

void check_impulses(const State& state) {
  for (std::size_t k = 0; k < state.impulses.size(); ++k) {
    const auto& [id, impulse] = state.impulses[k];
    if (!impulse.allFinite()) {
      throw InputError("the impulse of contact " + std::to_string(id) +
                       " is not finite, expected finite numbers");
    }
    // The warm start looks them up by bisection.
    if (k > 0 && id < state.impulses[k - 1].first) {
      throw InputError("impulses[" + std::to_string(k) + "] has the id " + std::to_string(id) +
                       ", expected them sorted: the one before has " +
                       std::to_string(state.impulses[k - 1].first));
    }
  }
}

Model checked(Model model) {
  validate(model);
  return model;
}

SimulationOptions checked(SimulationOptions options, const Model& model) {
  if (options.timestep == 0) options.timestep = model.options.timestep;
  if (!(options.timestep > 0) || !std::isfinite(options.timestep)) {
    throw InputError("time step is " + text(options.timestep) + ", expected > 0");
  }
  if (!(options.theta >= 0 && options.theta <= 1)) {
    throw InputError("theta is " + text(options.theta) + ", expected 0 to 1");
  }
  if (!(options.recovery_speed >= 0) || !std::isfinite(options.recovery_speed)) {
    throw InputError("recovery speed is " + text(options.recovery_speed) + ", expected >= 0");
  }
  if (!(options.recovery_share >= 0 && options.recovery_share <= 1)) {
    throw InputError("recovery share is " + text(options.recovery_share) + ", expected 0 to 1");
  }
  const Budget& budget = options.budget;
  if (!(budget.tolerance > 0) || !std::isfinite(budget.tolerance)) {
    throw InputError("tolerance is " + text(budget.tolerance) + ", expected a number > 0");
  }
  if (!(budget.err_v > 0)) throw InputError("err_v is " + text(budget.err_v) + ", expected > 0");
  if (!(budget.max_seconds > 0)) {
    throw InputError("most seconds per step are " + text(budget.max_seconds) + ", expected > 0");
  }
  if (budget.max_iterations < 0) {
    throw InputError("most iterations are " + std::to_string(budget.max_iterations) +
                     ", expected 1 or more, or 0 for the solver's own");
  }
  if (budget.threads < 1) {
    throw InputError("threads are " + std::to_string(budget.threads) + ", expected 1 or more");
  }
  if (options.contact.max_points < 1) {
    throw InputError("most contact points per pair are " +
                     std::to_string(options.contact.max_points) + ", expected 1 or more");
  }
  if (!(options.contact.rest_margin >= 0) || !std::isfinite(options.contact.rest_margin)) {
    throw InputError("rest margin is " + text(options.contact.rest_margin) +
                     ", expected 0 or more");
  }
  if (options.solver.empty()) options.solver = solver_names().front();
  return options;
}

// Of a step that is stuck, one rescue: the next step often goes without, and a jammed pile would
// spend seconds on its last digit. TroublePolicy::kRetry takes them all.
constexpr int kRescuesPerStep = 1;

// The soft convex model's springs depend on the time step.
SolverOptions step_solver(const std::string& name, double h) {
  SolverOptions solver = solver_options(name);
  if (ConvexOptions* convex = std::get_if<ConvexOptions>(&solver)) convex->h = h;
  if (GripOptions* grip = std::get_if<GripOptions>(&solver)) grip->rescues = kRescuesPerStep;
  return solver;
}

}  // namespace

double StageTimes::total() const {
  return kinematics + contacts + dynamics + assemble + solve + integrate + certify;
}

Simulation::Impl::Impl(Model model_in, SimulationOptions options_in)
    : model(std::move(model_in)),
      options(checked(std::move(options_in), model)),
      solver(step_solver(options.solver, options.timestep)),
      h(options.timestep),
      structure(model),
      detector(model, structure, options.contact),
      tree(model),
      problem(structure.skeleton),
      loops(structure.skeleton),
      tree_next(model),
      sensors(sensor_slots(model)),
      V(Matrix6Xd::Zero(6, structure.skeleton.bodies.size())) {
  V_before = V;
  share.setOnes(model.nv);
  if (options.theta > 0) theta_step = std::make_unique<ThetaStep>(model, structure.skeleton);
  ctrl.setZero(model.nu());
  sensordata.setZero(sensor_size(model));
  wrenches.setZero(6, model.bodies.size());
}

Simulation::Simulation(Model model, SimulationOptions options)
    : impl_(std::make_unique<Impl>(checked(std::move(model)), std::move(options))) {
  keep_memory();
  reset();
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const StepReport& Simulation::step() {
  advance(*impl_, nullptr);
  return impl_->report;
}

const StepReport& Simulation::step(const std::vector<int>& clock) {
  advance(*impl_, &clock);
  return impl_->report;
}

const Model& Simulation::model() const { return impl_->model; }
const SimulationOptions& Simulation::options() const { return impl_->options; }
void Simulation::set_solver(const std::string& name, const Budget& budget) {
  SimulationOptions options = impl_->options;
  options.solver = name;
  options.budget = budget;
  options = checked(std::move(options), impl_->model);
  impl_->solver = step_solver(options.solver, options.timestep);
  impl_->options = std::move(options);
}
double Simulation::timestep() const { return impl_->h; }
const State& Simulation::state() const { return impl_->state; }
VectorXd& Simulation::ctrl() { return impl_->ctrl; }
const VectorXd& Simulation::ctrl() const { return impl_->ctrl; }
const StepReport& Simulation::report() const { return impl_->report; }
const std::vector<ContactForce>& Simulation::contacts() const { return impl_->reported_contacts; }
std::vector<std::pair<int, int>> Simulation::unsupported_pairs() const {
  const auto& pairs = impl_->detector.unsupported();
  return {pairs.begin(), pairs.end()};
}
const Problem& Simulation::problem() const { return impl_->problem; }
const Solution& Simulation::solution() const { return impl_->solution; }
const Solution& Simulation::guess() const { return impl_->guess; }
std::string Simulation::constraint_name(int constraint) const {
  const auto count = static_cast<int>(impl_->sources.size());
  if (constraint < 0 || constraint >= count) {
    throw InputError("constraint " + std::to_string(constraint) +
                     " does not exist, the problem has " + std::to_string(count));
  }
  return stiction::constraint_name(impl_->model, impl_->contacts, impl_->sources[constraint]);
}
const TreeData& Simulation::tree() const { return impl_->tree; }

void Simulation::set_state(const State& state) {
  check_vector("qpos", state.qpos, impl_->model.nq);
  check_vector("qvel", state.qvel, impl_->model.nv);
  check_vector("act", state.act, impl_->model.na);
  if (!std::isfinite(state.time)) {
    throw InputError("time is " + text(state.time) + ", expected a finite number");
  }
  if (state.step < 0) {
    throw InputError("step is " + std::to_string(state.step) + ", expected 0 or more");
  }
  check_impulses(state);
  State next = state;
  normalize_quaternions(impl_->model, next.qpos);
  impl_->state = std::move(next);
  update_tree(*impl_);
  impl_->sensordata.setZero();
  read_motion_sensors(*impl_);
}

void Simulation::reset() {
  State state;
  state.qpos = impl_->model.qpos0;
  state.qvel.setZero(impl_->model.nv);
  state.act.setZero(impl_->model.na);
  impl_->ctrl.setZero();
  set_state(state);
}

void Simulation::reset_to_keyframe(const std::string& name) {
  const int index = impl_->model.keyframe_index(name);
  if (index < 0) throw InputError("keyframe '" + name + "' is unknown");
  reset_to_keyframe(index);
}

void Simulation::reset_to_keyframe(int keyframe) {
  const int count = static_cast<int>(impl_->model.keyframes.size());
  if (keyframe < 0 || keyframe >= count) {
    throw InputError("keyframe " + std::to_string(keyframe) + " does not exist, the model has " +
                     std::to_string(count));
  }
  const Keyframe& key = impl_->model.keyframes[keyframe];
  reset();
  State state = impl_->state;
  state.time = key.time;
  if (key.qpos.size() > 0) state.qpos = key.qpos;
  if (key.qvel.size() > 0) state.qvel = key.qvel;
  if (key.act.size() > 0) state.act = key.act;
  if (key.ctrl.size() > 0) impl_->ctrl = key.ctrl;
  set_state(state);
}

void Simulation::apply_wrench(int body, const Vector6d& wrench) {
  if (body <= 0 || body >= impl_->wrenches.cols()) {
    throw InputError("there is no body " + std::to_string(body) + " to apply a wrench to");
  }
  impl_->wrenches.col(body) = wrench;
}

Energy Simulation::energy() const {
  return stiction::energy(impl_->model, impl_->state.qpos, impl_->state.qvel, impl_->tree);
}

}  // namespace stiction
