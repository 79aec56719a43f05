#include <stiction/builder.h>
#include <stiction/error.h>
#include <stiction/simulation.h>

#include "sim/check_input.h"
#include "sim/forces.h"
#include "sim/keep_memory.h"
#include "sim/sensors.h"
#include "sim/simulation_impl.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

Model checked(Model model) {
  validate(model);
  return model;
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

const char* to_string(TroublePolicy policy) {
  switch (policy) {
    case TroublePolicy::kWarn:
      return "warn";
    case TroublePolicy::kThrow:
      return "throw";
    case TroublePolicy::kRetry:
      return "retry";
    case TroublePolicy::kFallback:
      return "fallback";
  }
  return "";
}

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
  reported_forces = no_forces(model);
  wrenches.setZero(6, model.bodies.size());
}

AssembleInput Simulation::Impl::assemble_input() const {
  return {.model = model,
          .structure = structure,
          .tree = tree,
          .qpos = state.qpos,
          .qvel = state.qvel,
          .expected = expected,
          .eq_active = state.eq_active,
          .servos = servos,
          .springs = springs,
          .rolling = rolling,
          .h = h,
          .tolerance = options.budget.tolerance,
          .soft_contacts = has_soft_contacts()};
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
const StepForces& Simulation::forces() const { return impl_->reported_forces; }
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
  impl_->state = checked(state, impl_->model);
  update_tree(*impl_);
  impl_->sensordata.setZero();
  read_motion_sensors(*impl_);
}

void Simulation::reset() {
  State state;
  state.qpos = impl_->model.qpos0;
  state.qvel.setZero(impl_->model.nv);
  state.act.setZero(impl_->model.na);
  for (const Equality& equality : impl_->model.equalities) {
    state.eq_active.push_back(equality.active);
  }
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

void Simulation::set_equality_active(const std::string& name, bool active) {
  const int index = impl_->model.equality_index(name);
  if (index < 0) throw InputError("equality '" + name + "' is unknown");
  set_equality_active(index, active);
}

void Simulation::set_equality_active(int equality, bool active) {
  const int count = static_cast<int>(impl_->model.equalities.size());
  if (equality < 0 || equality >= count) {
    throw InputError("equality " + std::to_string(equality) + " does not exist, the model has " +
                     std::to_string(count));
  }
  impl_->state.eq_active[equality] = active;
}

void Simulation::apply_wrench(int body, const Vector6d& wrench) {
  if (body <= 0 || body >= impl_->wrenches.cols()) {
    throw InputError("there is no body " + std::to_string(body) + " to apply a wrench to");
  }
  check_wrench(impl_->model, body, wrench);
  impl_->wrenches.col(body) = wrench;
}

Energy Simulation::energy() const {
  return stiction::energy(impl_->model, impl_->state.qpos, impl_->state.qvel, impl_->tree);
}

}  // namespace stiction
