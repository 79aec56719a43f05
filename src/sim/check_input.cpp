#include "sim/check_input.h"

#include <stiction/error.h>

#include <cmath>
#include <cstdio>

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr double kShortestStep = 1e-12;  // s; much shorter ones overflow gap / h

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

[[noreturn]] void refuse_infinite(const std::string& name, double value) {
  throw InputError(name + " is " + text(value) + ", expected a finite number");
}

void check_length(const std::string& name, const VectorXd& x, int size) {
  if (x.size() == size) return;
  throw InputError(name + " has size " + std::to_string(x.size()) + ", expected " +
                   std::to_string(size));
}

void check_vector(const std::string& name, const VectorXd& x, int size) {
  check_length(name, x, size);
  for (int k = 0; k < size; ++k) {
    if (!std::isfinite(x[k])) refuse_infinite(name + "[" + std::to_string(k) + "]", x[k]);
  }
}

// Positions or velocities of all joints; `begin` of a joint says where its part of x starts.
void check_joints(const std::string& name, const VectorXd& x, int size, const Model& model,
                  int Joint::*begin) {
  check_length(name, x, size);
  for (int k = 0; k < size; ++k) {
    if (std::abs(x[k]) <= kLargestState) continue;
    const std::string what =
        name + "[" + std::to_string(k) + "] of " + joint_label_at(model, begin, k);
    if (!std::isfinite(x[k])) refuse_infinite(what, x[k]);
    throw InputError(what + " is " + text(x[k]) + ", expected " + text(-kLargestState) + " to " +
                     text(kLargestState));
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

void check_eq_active(const State& state, const Model& model) {
  const std::vector<char>& active = state.eq_active;
  if (active.size() != model.equalities.size()) {
    throw InputError("eq_active has size " + std::to_string(active.size()) + ", expected " +
                     std::to_string(model.equalities.size()));
  }
  for (std::size_t k = 0; k < active.size(); ++k) {
    if (active[k] == 0 || active[k] == 1) continue;
    throw InputError("eq_active[" + std::to_string(k) + "] is " + std::to_string(active[k]) +
                     ", expected 0 or 1");
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
    if (k > 0 && id == state.impulses[k - 1].first) {
      throw InputError("impulses[" + std::to_string(k) + "] has the id " + std::to_string(id) +
                       ", expected each once: the one before has it, too");
    }
    if (k > 0 && id < state.impulses[k - 1].first) {
      throw InputError("impulses[" + std::to_string(k) + "] has the id " + std::to_string(id) +
                       ", expected them sorted: the one before has " +
                       std::to_string(state.impulses[k - 1].first));
    }
  }
}

}  // namespace

std::string joint_label_at(const Model& model, int Joint::*begin, int at) {
  const Joint* found = nullptr;
  for (const Joint& joint : model.joints) {
    if (joint.*begin <= at) found = &joint;
  }
  return found ? model.joint_label(*found) : "";
}

SimulationOptions checked(SimulationOptions options, const Model& model) {
  if (options.timestep == 0) options.timestep = model.options.timestep;
  if (!(options.timestep >= kShortestStep) || !std::isfinite(options.timestep)) {
    throw InputError("time step is " + text(options.timestep) + ", expected " +
                     text(kShortestStep) + " or more");
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

State checked(State state, const Model& model) {
  check_joints("qpos", state.qpos, model.nq, model, &Joint::qpos_begin);
  check_joints("qvel", state.qvel, model.nv, model, &Joint::dof_begin);
  check_vector("act", state.act, model.na);
  if (!std::isfinite(state.time)) refuse_infinite("time", state.time);
  if (state.step < 0) {
    throw InputError("step is " + std::to_string(state.step) + ", expected 0 or more");
  }
  check_eq_active(state, model);
  check_impulses(state);
  normalize_quaternions(model, state.qpos);
  return state;
}

void check_wrench(const Model& model, int body, const Vector6d& wrench) {
  for (int k = 0; k < 6; ++k) {
    if (std::isfinite(wrench[k])) continue;
    refuse_infinite("wrench on " + model.body_label(body) + ": entry " + std::to_string(k),
                    wrench[k]);
  }
}

void check_input(const Simulation::Impl& sim) {
  check_length("ctrl", sim.ctrl, sim.model.nu());
  for (int k = 0; k < sim.ctrl.size(); ++k) {
    if (std::isfinite(sim.ctrl[k])) continue;
    const std::string& name = sim.model.actuators[k].name;
    refuse_infinite(
        "control of actuator " + (name.empty() ? "#" + std::to_string(k) : "'" + name + "'"),
        sim.ctrl[k]);
  }
}

}  // namespace stiction
