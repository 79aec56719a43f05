// Actuator forces: gain(length, velocity) * input + bias(length, velocity), clamped, through the
// transmission's moment onto the dofs.
#include "tree/actuator.h"

#include <stiction/tree.h>

#include <algorithm>
#include <cmath>

#include "tree/transmission.h"

namespace stiction {
namespace {

double clamp(double x, const Range& range) { return std::clamp(x, range.lower, range.upper); }

bool is_supported(const Actuator& actuator) {
  return actuator.gain_type != Gain::kUnsupported && actuator.bias_type != Bias::kUnsupported &&
         actuator.activation != Activation::kUnsupported;
}

double clamped_control(const Model& model, const Actuator& actuator, double ctrl) {
  return model.options.clamp_ctrl_enabled ? clamp(ctrl, actuator.ctrl_range) : ctrl;
}

double next_activation(const Actuator& actuator, double ctrl, double h, double act) {
  const double tau = std::max(actuator.time_constant, 1e-15);
  double next = act;
  switch (actuator.activation) {
    case Activation::kNone:
    case Activation::kUnsupported:
      break;
    case Activation::kIntegrator:
      next += h * ctrl;
      break;
    case Activation::kFilter:
      next += h * (ctrl - act) / tau;
      break;
    case Activation::kFilterExact:
      next += (ctrl - act) * (1 - std::exp(-h / tau));
      break;
  }
  return clamp(next, actuator.act_range);
}

/// The input: the control, or the activation that it drives.
double input(const Model& model, const Actuator& actuator, double ctrl, double act, double h) {
  const double u = clamped_control(model, actuator, ctrl);
  if (actuator.activation == Activation::kNone) return u;
  return actuator.act_early ? next_activation(actuator, u, h, act) : act;
}

double affine(const std::array<double, 3>& c, double length, double velocity) {
  return c[0] + c[1] * length + c[2] * velocity;
}

bool pulls(const Actuator& actuator, size_t tendon) {
  return actuator.transmission == Transmission::kTendon &&
         actuator.target == static_cast<int>(tendon);
}

/// The actuators of a tendon are scaled down together until their sum is in its range.
void limit_tendon_forces(const Model& model, VectorRef forces) {
  for (size_t t = 0; t < model.tendons.size(); ++t) {
    const Range& range = model.tendons[t].actuator_force_range;
    if (!range.limited()) continue;
    double sum = 0;
    for (int k = 0; k < model.nu(); ++k) {
      if (pulls(model.actuators[k], t)) sum += forces[k];
    }
    if (sum >= range.lower && sum <= range.upper) continue;
    for (int k = 0; k < model.nu(); ++k) {
      if (pulls(model.actuators[k], t)) forces[k] *= clamp(sum, range) / sum;
    }
  }
}

void add_compensation_by_actuators(const Model& model, TreeData& data) {
  for (const Joint& joint : model.joints) {
    if (!joint.actuator_gravcomp) continue;
    data.actuation.segment(joint.dof_begin, joint.nv()) +=
        data.gravity_compensation.segment(joint.dof_begin, joint.nv());
  }
}

}  // namespace

ActuatorLaw actuator_law(const Model& model, const Actuator& actuator, double length,
                         double velocity, double ctrl, double act, double h) {
  const double u = input(model, actuator, ctrl, act, h);
  ActuatorLaw law;
  if (actuator.gain_type == Gain::kFixed) {
    law.force = actuator.gain[0] * u;
  } else {
    law.force = affine(actuator.gain, length, velocity) * u;
    law.by_length = actuator.gain[1] * u;
    law.by_velocity = actuator.gain[2] * u;
  }
  if (actuator.bias_type != Bias::kNone) {
    law.force += affine(actuator.bias, length, velocity);
    law.by_length += actuator.bias[1];
    law.by_velocity += actuator.bias[2];
  }
  return law;
}

void compute_actuator_forces(const Model& model, const ConstVectorRef& qpos,
                             const ConstVectorRef& qvel, const ConstVectorRef& ctrl,
                             const ConstVectorRef& act, double h, TreeData& data) {
  data.actuator_force.setZero();
  data.actuation.setZero();
  if (!model.options.actuation_enabled) return;
  int a = 0;
  for (int k = 0; k < model.nu(); ++k) {
    const Actuator& actuator = model.actuators[k];
    const double activation = actuator.activation == Activation::kNone ? 0 : act[a++];
    if (!is_supported(actuator)) continue;
    const ActuatorMotion motion = actuator_motion(model, actuator, qpos, qvel, data);
    data.actuator_force[k] =
        actuator_law(model, actuator, motion.length, motion.velocity, ctrl[k], activation, h).force;
  }
  limit_tendon_forces(model, data.actuator_force);
  for (int k = 0; k < model.nu(); ++k) {
    const Actuator& actuator = model.actuators[k];
    if (!is_supported(actuator)) continue;
    data.actuator_force[k] = clamp(data.actuator_force[k], actuator.force_range);
    add_actuator_force(model, actuator, qpos, data.actuator_force[k], data, data.actuation);
  }
  if (!data.constants.compensated_bodies.empty()) add_compensation_by_actuators(model, data);
  for (int j : data.constants.clamped_joints) {
    double& force = data.actuation[model.joints[j].dof_begin];
    force = clamp(force, model.joints[j].actuator_force_range);
  }
}

void advance_activations(const Model& model, const ConstVectorRef& ctrl, double h, VectorRef act) {
  if (model.na == 0) return;
  int a = 0;
  for (int k = 0; k < model.nu(); ++k) {
    const Actuator& actuator = model.actuators[k];
    if (actuator.activation == Activation::kNone) continue;
    act[a] = next_activation(actuator, clamped_control(model, actuator, ctrl[k]), h, act[a]);
    ++a;
  }
}

}  // namespace stiction
