// Which actuators a simulator may take as functions of one rate. A joint's or tendon's limit on the
// sum of its actuators (actuatorfrcrange) makes several of them one.
#pragma once

#include <stiction/model.h>

#include <vector>

namespace stiction {

/// On a joint of one dof, on a fixed tendon, or, if both are -1, along its only actuator's moment.
struct Drive {
  std::vector<int> actuators;
  std::vector<int> activations;  ///< their places in act, or -1
  int joint = -1;
  int tendon = -1;
};

struct Drives {
  std::vector<Drive> drives;
  /// In no drive, because a limit on a sum mixes it with others: one of them reaches the joint from
  /// a tendon or a site; or, on a tendon, which scales them first, has a limit of its own or
  /// another gear.
  std::vector<int> mixed;
};

/// Actuators that never give a force are in neither.
Drives find_drives(const Model& model);

}  // namespace stiction
