#include "model/drives.h"

#include <algorithm>

namespace stiction {
namespace {

bool acts(const Actuator& actuator) {
  return actuator.gain_type != Gain::kUnsupported && actuator.bias_type != Bias::kUnsupported &&
         actuator.activation != Activation::kUnsupported &&
         actuator.transmission != Transmission::kBody &&
         actuator.transmission != Transmission::kNone;
}

bool on_joint(const Actuator& actuator) {
  return actuator.transmission == Transmission::kJoint ||
         actuator.transmission == Transmission::kJointInParent;
}

/// Only hinges and slides have a limit on the sum of their actuators.
bool limits_sum(const Joint& joint) {
  return joint.nv() == 1 && joint.actuator_force_range.limited();
}

/// Counts the joints that move the body.
void count_chain(const Model& model, int body, std::vector<int>& count) {
  for (; body > 0; body = model.bodies[body].parent) {
    const Body& link = model.bodies[body];
    for (int j = link.joint_begin; j < link.joint_begin + link.joint_count; ++j) ++count[j];
  }
}

/// The joints on which the actuator acts.
std::vector<int> reached(const Model& model, const Actuator& actuator) {
  if (on_joint(actuator)) return {actuator.target};
  if (actuator.transmission == Transmission::kTendon) return model.tendons[actuator.target].joints;
  std::vector<int> count(model.joints.size(), 0), joints;
  count_chain(model, model.sites[actuator.target].body, count);
  if (actuator.ref_site >= 0) count_chain(model, model.sites[actuator.ref_site].body, count);
  for (size_t j = 0; j < count.size(); ++j) {
    if (count[j] == 1) joints.push_back(static_cast<int>(j));  // 2: moves both sites alike
  }
  return joints;
}

std::vector<int> activation_places(const Model& model) {
  std::vector<int> places;
  int next = 0;
  for (const Actuator& actuator : model.actuators) {
    places.push_back(actuator.activation == Activation::kNone ? -1 : next++);
  }
  return places;
}

/// Joints that limit a sum of which some may come from a tendon or a site.
std::vector<bool> entangled_joints(const Model& model) {
  std::vector<bool> entangled(model.joints.size(), false);
  for (const Actuator& actuator : model.actuators) {
    if (!acts(actuator) || on_joint(actuator)) continue;
    for (int j : reached(model, actuator)) entangled[j] = limits_sum(model.joints[j]);
  }
  return entangled;
}

std::vector<int> all_like(const Model& model, const Actuator& like) {
  std::vector<int> found;
  for (int k = 0; k < model.nu(); ++k) {
    const Actuator& other = model.actuators[k];
    const bool same_kind =
        on_joint(like) ? on_joint(other) : other.transmission == like.transmission;
    if (acts(other) && same_kind && other.target == like.target) found.push_back(k);
  }
  return found;
}

/// What actuator k drives, with all who share a limit with it.
Drive drive_of(const Model& model, const std::vector<int>& activations, int k) {
  const Actuator& actuator = model.actuators[k];
  Drive drive;
  bool limited = false;
  if (on_joint(actuator) && model.joints[actuator.target].nv() == 1) {
    drive.joint = actuator.target;
    limited = limits_sum(model.joints[drive.joint]);
  } else if (actuator.transmission == Transmission::kTendon) {
    drive.tendon = actuator.target;
    limited = model.tendons[drive.tendon].actuator_force_range.limited();
  }
  drive.actuators = limited ? all_like(model, actuator) : std::vector<int>{k};
  for (int member : drive.actuators) drive.activations.push_back(activations[member]);
  return drive;
}

bool is_mixed(const Model& model, const Drive& drive, const std::vector<bool>& entangled) {
  const Actuator& first = model.actuators[drive.actuators.front()];
  for (int j : reached(model, first)) {
    if (entangled[j]) return true;
  }
  if (drive.actuators.size() == 1 || drive.tendon < 0) return false;
  return std::any_of(drive.actuators.begin(), drive.actuators.end(), [&](int k) {
    const Actuator& actuator = model.actuators[k];
    return actuator.force_range.limited() || actuator.gear[0] != first.gear[0];
  });
}

}  // namespace

Drives find_drives(const Model& model) {
  const std::vector<bool> entangled = entangled_joints(model);
  const std::vector<int> activations = activation_places(model);
  Drives result;
  for (int k = 0; k < model.nu(); ++k) {
    if (!acts(model.actuators[k])) continue;
    Drive drive = drive_of(model, activations, k);
    if (is_mixed(model, drive, entangled)) {
      result.mixed.push_back(k);
    } else if (drive.actuators.front() == k) {
      result.drives.push_back(std::move(drive));
    }
  }
  return result;
}

}  // namespace stiction
