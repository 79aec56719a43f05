// Tendons, actuators, equalities, contact pairs and sensors: by name in the Spec, by index in the
// Model.
#include <cmath>

#include "io/mjcf/compile.h"
#include "model/drives.h"
#include "model/reference.h"

namespace stiction::mjcf {

void Compiler::add_tendon(const TendonSpec& spec) {
  std::vector<int> targets;
  resolve(spec, targets);
  if (spec.spatial) {
    define(ObjectType::kTendon, spec.name, kLeftOut, spec.source);
    return;
  }
  Tendon tendon = spec.tendon;
  tendon.name = spec.name;
  tendon.joints = targets;
  if (spec.rest_at_qpos0) {
    double length = 0;
    for (size_t i = 0; i < targets.size(); ++i) {
      length += tendon.coefs[i] * builder_.model().joints[targets[i]].ref;
    }
    tendon.spring_length = {length, length};
  }
  const int index = builder_.add_tendon(std::move(tendon));
  sources_.add("tendon", index, spec.source);
  define(ObjectType::kTendon, spec.name, index, spec.source);
}

void Compiler::inherit_range(const ActuatorSpec& spec, Actuator& actuator) const {
  Range range;
  if (actuator.transmission == Transmission::kJoint) {
    range = builder_.model().joints[actuator.target].range;
  } else if (actuator.transmission == Transmission::kTendon) {
    range = builder_.model().tendons[actuator.target].range;
  }
  if (!range.limited()) spec.source.refuse("inheritrange", "a range of what it acts on");
  const double mean = (range.lower + range.upper) / 2;
  const double radius = (range.upper - range.lower) / 2 * spec.inheritrange;
  Range& inherited =
      actuator.activation == Activation::kIntegrator ? actuator.act_range : actuator.ctrl_range;
  inherited = {mean - radius, mean + radius};
}

void Compiler::add_actuator(const ActuatorSpec& spec) {
  Actuator actuator = spec.actuator;
  actuator.name = spec.name;
  std::vector<int> targets;
  if (resolve(spec, targets)) {
    actuator.target = targets[0];
    if (targets.size() > 1) actuator.ref_site = targets[1];
    if (spec.inheritrange > 0) inherit_range(spec, actuator);
  } else {
    actuator.transmission = Transmission::kNone;
  }
  const int index = builder_.add_actuator(std::move(actuator));
  define(ObjectType::kActuator, spec.name, index, spec.source);
  sources_.add("actuator", index, spec.source);
  actuators_.push_back(&spec);
}

void Compiler::add_equality(const EqualitySpec& spec) {
  std::vector<int> targets;
  if (!resolve(spec, targets)) return;
  const Model& model = builder_.model();
  Equality equality = spec.equality;
  equality.name = spec.name;
  equality.object1 = targets[0];
  if (equality.type == EqualityType::kJoint || equality.type == EqualityType::kTendon) {
    if (targets.size() > 1) equality.object2 = targets[1];
  } else if (spec.between_sites) {
    const Site& site1 = model.sites[targets[0]];
    const Site& site2 = model.sites[targets[1]];
    equality.object1 = site1.body;
    equality.object2 = site2.body;
    equality.anchor1 = site1.X_BS.p;
    equality.anchor2 = site2.X_BS.p;
    equality.X_12 = site1.X_BS * inverse(site2.X_BS);
  } else {
    equality.object2 = targets.size() > 1 ? targets[1] : 0;
    const Pose X_12 = inverse(X_WB_[equality.object1]) * X_WB_[equality.object2];
    if (equality.type == EqualityType::kConnect) {
      const Pose X_21 = inverse(X_12);
      equality.anchor2 = X_21.p + X_21.q * equality.anchor1;
    } else if (spec.relpose_given) {
      equality.X_12.p = equality.anchor1 - equality.X_12.q * equality.anchor2;
    } else {
      equality.X_12 = X_12;
      equality.anchor1 = X_12.p + X_12.q * equality.anchor2;
    }
  }
  sources_.add("equality", builder_.add_equality(std::move(equality)), spec.source);
}

void Compiler::add_pair(const PairSpec& spec) {
  ContactPair pair = spec.pair;
  pair.name = spec.name;
  pair.geom1 = find(spec.targets[0], spec.source);
  pair.geom2 = find(spec.targets[1], spec.source);
  sources_.add("pair", builder_.add_pair(std::move(pair)), spec.source);
}

void Compiler::add_sensor(const SensorSpec& spec) {
  std::vector<int> targets;
  if (!resolve(spec, targets)) return;
  Sensor sensor = spec.sensor;
  sensor.name = spec.name;
  if (!targets.empty()) sensor.object = targets[0];
  if (targets.size() > 1) sensor.ref = targets[1];
  sources_.add("sensor", builder_.add_sensor(std::move(sensor)), spec.source);
}

void Compiler::add_keyframe(const KeySpec& spec) {
  int nq = 0, nv = 0, na = 0;
  for (const Actuator& actuator : builder_.model().actuators) {
    na += actuator.activation != Activation::kNone;
  }
  for (const Joint& joint : builder_.model().joints) {
    nq += joint.nq();
    nv += joint.nv();
  }
  const auto check = [&](const char* name, const Eigen::VectorXd& values, int size) {
    if (values.size() == 0 || values.size() == size) return;
    spec.source.refuse(name,
                       std::to_string(size) + " numbers, not " + std::to_string(values.size()));
  };
  check("qpos", spec.key.qpos, nq);
  check("qvel", spec.key.qvel, nv);
  check("ctrl", spec.key.ctrl, builder_.model().nu());
  check("act", spec.key.act, na);
  sources_.add("keyframe", builder_.add_keyframe(spec.key), spec.source);
}

/// kv = 2 ratio sqrt(kp m), m the mass at qpos0 that the actuator sees: sum of M_ii / moment_i^2.
void Compiler::resolve_damping_ratios(Model& model) const {
  Eigen::VectorXd mass;
  for (size_t i = 0; i < model.actuators.size(); ++i) {
    Actuator& actuator = model.actuators[i];
    const double ratio = actuator.bias[2];
    if (actuator.bias_type != Bias::kAffine || actuator.gain[0] != -actuator.bias[1]) continue;
    if (ratio <= 0) continue;
    if (mass.size() == 0) mass = reference_mass_diagonal(model);
    double seen = 0;
    const auto add = [&](int joint, double moment) {
      if (moment * moment > 1e-15) {
        seen += mass[model.joints[joint].dof_begin] / (moment * moment);
      }
    };
    if (actuator.transmission == Transmission::kTendon) {
      const Tendon& tendon = model.tendons[actuator.target];
      for (size_t j = 0; j < tendon.joints.size(); ++j) {
        add(tendon.joints[j], actuator.gear[0] * tendon.coefs[j]);
      }
    } else if (actuator.transmission == Transmission::kJoint &&
               model.joints[actuator.target].nv() == 1) {
      add(actuator.target, actuator.gear[0]);
    } else {
      coverage_.note(Severity::kPhysics, actuators_[i]->source,
                     "dampratio: known for hinges, slides and fixed tendons only; no damping");
    }
    actuator.bias[2] = -2 * ratio * std::sqrt(actuator.gain[0] * seen);
  }
}

void Compiler::note_explicit_servos(const Model& model) const {
  for (int k : find_drives(model).mixed) {
    const Actuator& actuator = model.actuators[k];
    const bool has_gains =
        actuator.gain_type == Gain::kAffine || actuator.bias_type == Bias::kAffine;
    if (!has_gains) continue;
    coverage_.note(
        Severity::kPhysics, actuators_[k]->source,
        "shares an actuatorfrcrange in a way that leaves it explicit: its force is that of "
        "the start of the step, and stiff gains may be unstable");
  }
}

}  // namespace stiction::mjcf
