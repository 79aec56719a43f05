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

Range clamped(const Range& range, const Range& by) {
  return {std::clamp(range.lower, by.lower, by.upper), std::clamp(range.upper, by.lower, by.upper)};
}

// Gravity compensation that counts towards the joint's limit, N or N m.
double compensation(const Joint& joint, const TreeData& tree) {
  return joint.actuator_gravcomp ? tree.gravity_compensation[joint.dof_begin] : 0;
}

// The actuator's own limits and those of the joint or tendon on all that it gets from actuators.
Range limits_of(const Model& model, const Drive& drive, double gear, const TreeData& tree) {
  const bool alone = drive.actuators.size() == 1;
  const Range own = alone ? model.actuators[drive.actuators.front()].force_range : Range{};
  // A tendon's range holds for the actuators' forces themselves, a joint's for what reaches it.
  if (drive.tendon >= 0) return clamped(model.tendons[drive.tendon].actuator_force_range, own);
  if (drive.joint < 0) return own;
  const Joint& joint = model.joints[drive.joint];
  const double share = compensation(joint, tree);
  const double one = (joint.actuator_force_range.lower - share) / gear;
  const double other = (joint.actuator_force_range.upper - share) / gear;
  return clamped(own, {std::min(one, other), std::max(one, other)});
}

void add_force_of(const Model& model, const Servo& servo, double force, VectorXd& qfrc) {
  if (servo.dof >= 0) {
    qfrc[servo.dof] += servo.gear * force;
  } else if (servo.tendon >= 0) {
    const Tendon& tendon = model.tendons[servo.tendon];
    for (size_t k = 0; k < tendon.joints.size(); ++k) {
      qfrc[model.joints[tendon.joints[k]].dof_begin] += servo.gear * tendon.coefs[k] * force;
    }
  } else {
    for (const auto& [dof, moment] : servo.moment) qfrc[dof] += moment * force;
  }
}

// Where the servo acts; the length, and how much it is taken to change per u+, maybe not at all.
struct Place {
  double length = 0;
  double stretch = 1;
};
Place set_place(const Model& model, const Drive& drive, const VectorXd& qpos, const TreeData& tree,
                Servo& servo) {
  const Actuator& actuator = model.actuators[drive.actuators.front()];
  if (drive.joint >= 0) {
    servo.dof = model.joints[drive.joint].dof_begin;
    if (drive.actuators.size() == 1) servo.gear = actuator.gear[0];
    return {servo.gear * qpos[model.joints[drive.joint].qpos_begin]};
  }
  if (drive.tendon >= 0) {
    servo.tendon = drive.tendon;
    servo.gear = actuator.gear[0];
    return {servo.gear * tendon_length(model, model.tendons[drive.tendon], qpos)};
  }
  const Moment moment = actuator_moment(model, actuator, qpos, tree);
  servo.moment = moment_on_dofs(model, moment, tree);
  if (servo.moment.size() == 1) {
    servo.dof = servo.moment[0].dof;
    servo.gear = servo.moment[0].moment;
    servo.moment.clear();
  }
  return {moment.length, moment.has_length ? moment.stretch : 0};
}

// f0 and slope: the sum of the drive's actuators, u their common rate now.
void set_law(const Model& model, const Drive& drive, const Place& place, double u,
             const VectorXd& ctrl, const VectorXd& act, double h, Servo& servo) {
  for (size_t i = 0; i < drive.actuators.size(); ++i) {
    const int k = drive.actuators[i];
    const Actuator& actuator = model.actuators[k];
    const bool several_on_joint = drive.joint >= 0 && drive.actuators.size() > 1;
    const double gear = several_on_joint ? actuator.gear[0] : 1;
    const double activation = drive.activations[i] < 0 ? 0 : act[drive.activations[i]];
    const ActuatorLaw law =
        actuator_law(model, actuator, gear * place.length, gear * u, ctrl[k], activation, h);
    const double f0 = law.force - law.by_velocity * gear * u;
    const double slope = -(place.stretch * h * law.by_length) - law.by_velocity;
    servo.law.f0 += gear * f0;
    servo.law.slope += gear * gear * slope;
    if (drive.actuators.size() == 1) continue;
    const Range& own = actuator.force_range;
    servo.law.parts.push_back({k, gear, f0, slope, own});
    servo.law.parts_limited |= own.limited();
  }
}

// Takes the forces at the start of the step out of tree.actuation.
void remove_explicit(const Model& model, const Drive& drive, const Servo& servo, TreeData& tree) {
  if (drive.joint >= 0 && model.joints[drive.joint].actuator_force_range.limited()) {
    tree.actuation[servo.dof] = compensation(model.joints[drive.joint], tree);
    return;
  }
  double sum = 0;
  for (int k : drive.actuators) sum += tree.actuator_force[k];
  add_force_of(model, servo, -sum, tree.actuation);
}

}  // namespace

double servo_rate(const Model& model, const Servo& servo, const VectorXd& v) {
  if (servo.dof >= 0) return servo.gear * v[servo.dof];
  if (servo.tendon >= 0) {
    return servo.gear * tendon_velocity(model, model.tendons[servo.tendon], v);
  }
  double u = 0;
  for (const auto& [dof, moment] : servo.moment) u += moment * v[dof];
  return u;
}

void find_servos(const Model& model, const std::vector<Drive>& drives, const VectorXd& qpos,
                 const VectorXd& qvel, const VectorXd& ctrl, const VectorXd& act, double h,
                 TreeData& tree, std::vector<Servo>& servos) {
  servos.clear();
  if (!model.options.actuation_enabled) return;
  for (const Drive& drive : drives) {
    Servo servo;
    servo.actuator = drive.actuators.front();
    const Place place = set_place(model, drive, qpos, tree, servo);
    const bool on_one = servo.dof >= 0 || servo.tendon >= 0;
    if (on_one ? servo.gear == 0 : servo.moment.empty()) continue;  // it moves nothing
    const double u = servo_rate(model, servo, qvel);
    set_law(model, drive, place, u, ctrl, act, h, servo);
    if (!servo.law.falls()) continue;
    servo.law.range = limits_of(model, drive, servo.gear, tree);
    servo.piece = servo.law.piece(u, true);
    remove_explicit(model, drive, servo, tree);
    servos.push_back(std::move(servo));
  }
}

bool switch_servos(const Model& model, const VectorXd& v, std::vector<Servo>& servos) {
  bool changed = false;
  for (Servo& servo : servos) {
    const Range& range = servo.law.range;
    const double size = std::min(std::abs(range.lower), std::abs(range.upper));
    const double slack = std::isfinite(size) ? kSlack * (1 + size) : 0;
    changed |= servo.law.approach(servo_rate(model, servo, v), slack, servo.piece);
  }
  return changed;
}

void add_servos(const std::vector<Servo>& servos, double h, Problem& problem) {
  for (const Servo& servo : servos) {
    if (servo.dof < 0) continue;
    problem.D[servo.dof] += h * servo.gear * servo.gear * servo.piece.slope;
    problem.b[servo.dof] += h * servo.gear * servo.piece.f0;
  }
}

void finish_servos(const Model& model, const std::vector<Servo>& servos, const VectorXd& v,
                   TreeData& tree) {
  for (const Servo& servo : servos) {
    const double u = servo_rate(model, servo, v);
    const double force = servo.piece.force(u);
    tree.actuator_force[servo.actuator] = force;
    add_force_of(model, servo, force, tree.actuation);
    // Of a sum at its limit each has its share.
    double sum = 0;
    for (const ServoLaw::Part& part : servo.law.parts) sum += part.gear * part.force(u);
    const double within = std::clamp(sum, servo.law.range.lower, servo.law.range.upper);
    const double share = sum != 0 && within != sum ? within / sum : 1;
    for (const ServoLaw::Part& part : servo.law.parts) {
      tree.actuator_force[part.actuator] = share * part.force(u);
    }
  }
}

}  // namespace stiction
