#include "sim/servos.h"

#include <algorithm>
#include <cmath>

#include "tree/actuator.h"
#include "tree/springs.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// Rounding must not make a servo at its limit switch for ever.
constexpr double kSlack = 1e-9;

bool on_joint(const Actuator& actuator) {
  return actuator.transmission == Transmission::kJoint ||
         actuator.transmission == Transmission::kJointInParent;
}

int actuators_on(const Model& model, const Actuator& like) {
  return static_cast<int>(
      std::count_if(model.actuators.begin(), model.actuators.end(), [&like](const Actuator& other) {
        return other.target == like.target && (on_joint(other) == on_joint(like)) &&
               (on_joint(like) || other.transmission == like.transmission);
      }));
}

// The actuator's own limits and those of the joint or tendon it drives alone. A limit on the sum of
// several actuators is honoured at the start of the step, by compute_actuator_forces.
bool limits_of(const Model& model, const Actuator& actuator, double gear, Range& range) {
  range = actuator.force_range;
  const Range& sum = on_joint(actuator) ? model.joints[actuator.target].actuator_force_range
                                        : model.tendons[actuator.target].actuator_force_range;
  if (!sum.limited()) return true;
  if (actuators_on(model, actuator) > 1) return false;
  if (on_joint(actuator) && model.joints[actuator.target].actuator_gravcomp) return false;
  // A tendon's range holds for the actuator's force itself, a joint's for what reaches the joint.
  const double scale = on_joint(actuator) ? gear : 1;
  range.lower = std::max(range.lower, std::min(sum.lower / scale, sum.upper / scale));
  range.upper = std::min(range.upper, std::max(sum.lower / scale, sum.upper / scale));
  return true;
}

Servo::Mode mode_at(const Servo& servo, double force, double slack) {
  if (force > servo.range.upper + slack) return Servo::Mode::kUpper;
  if (force < servo.range.lower - slack) return Servo::Mode::kLower;
  return Servo::Mode::kLinear;
}

void add_force_of(const Model& model, const Servo& servo, double force, VectorXd& qfrc) {
  if (servo.dof >= 0) {
    qfrc[servo.dof] += servo.gear * force;
    return;
  }
  const Tendon& tendon = model.tendons[servo.tendon];
  for (size_t k = 0; k < tendon.joints.size(); ++k) {
    qfrc[model.joints[tendon.joints[k]].dof_begin] += servo.gear * tendon.coefs[k] * force;
  }
}

}  // namespace

double Servo::force(double u) const {
  if (mode == Mode::kUpper) return range.upper;
  return mode == Mode::kLower ? range.lower : free_force(u);
}

double servo_rate(const Model& model, const Servo& servo, const VectorXd& v) {
  return servo.gear *
         (servo.dof >= 0 ? v[servo.dof] : tendon_velocity(model, model.tendons[servo.tendon], v));
}

void find_servos(const Model& model, const VectorXd& qpos, const VectorXd& qvel,
                 const VectorXd& ctrl, const VectorXd& act, double h, TreeData& tree,
                 std::vector<Servo>& servos) {
  servos.clear();
  if (!model.options.actuation_enabled) return;
  int next_activation = 0;
  for (int k = 0; k < model.nu(); ++k) {
    const Actuator& actuator = model.actuators[k];
    const double activation = actuator.activation == Activation::kNone ? 0 : act[next_activation++];
    if (actuator.gain_type == Gain::kUnsupported || actuator.bias_type == Bias::kUnsupported ||
        actuator.activation == Activation::kUnsupported) {
      continue;
    }
    Servo servo;
    servo.actuator = k;
    servo.gear = actuator.gear[0];
    double length = 0;
    if (on_joint(actuator) && model.joints[actuator.target].nv() == 1) {
      servo.dof = model.joints[actuator.target].dof_begin;
      length = servo.gear * qpos[model.joints[actuator.target].qpos_begin];
    } else if (actuator.transmission == Transmission::kTendon) {
      servo.tendon = actuator.target;
      length = servo.gear * tendon_length(model, model.tendons[servo.tendon], qpos);
    } else {
      continue;
    }
    const double u = servo_rate(model, servo, qvel);
    const ActuatorLaw law = actuator_law(model, actuator, length, u, ctrl[k], activation);
    servo.slope = -(h * law.by_length + law.by_velocity);
    if (!(servo.slope > 0) || !limits_of(model, actuator, servo.gear, servo.range)) continue;
    servo.f0 = law.force - law.by_velocity * u;
    servo.mode = mode_at(servo, servo.free_force(u), 0);
    const bool clamped_by_joint =
        servo.dof >= 0 && model.joints[actuator.target].actuator_force_range.limited();
    if (clamped_by_joint) {
      tree.actuation[servo.dof] = 0;  // it is the joint's only actuator
    } else {
      add_force_of(model, servo, -tree.actuator_force[k], tree.actuation);
    }
    servos.push_back(servo);
  }
}

bool switch_servos(const Model& model, const VectorXd& v, std::vector<Servo>& servos) {
  bool changed = false;
  for (Servo& servo : servos) {
    const double force = servo.free_force(servo_rate(model, servo, v));
    const double size = std::min(std::abs(servo.range.lower), std::abs(servo.range.upper));
    const double slack = std::isfinite(size) ? kSlack * (1 + size) : 0;
    Servo::Mode mode = servo.mode;
    if (mode == Servo::Mode::kLinear) {
      mode = mode_at(servo, force, slack);
    } else if (mode_at(servo, force, -slack) != mode) {
      mode = Servo::Mode::kLinear;  // never from one limit to the other, which would go on for ever
    }
    changed |= mode != servo.mode;
    servo.mode = mode;
  }
  return changed;
}

void add_servos(const std::vector<Servo>& servos, double h, Problem& problem) {
  for (const Servo& servo : servos) {
    if (servo.dof < 0) continue;
    if (servo.mode == Servo::Mode::kLinear) {
      problem.D[servo.dof] += h * servo.gear * servo.gear * servo.slope;
    }
    problem.b[servo.dof] += h * servo.gear * servo.force(0);
  }
}

void finish_servos(const Model& model, const std::vector<Servo>& servos, const VectorXd& v,
                   TreeData& tree) {
  for (const Servo& servo : servos) {
    const double force = servo.force(servo_rate(model, servo, v));
    tree.actuator_force[servo.actuator] = force;
    add_force_of(model, servo, force, tree.actuation);
  }
}

}  // namespace stiction
