// States of a model as commands are given them: its reference, a keyframe, or a JSON file.
#pragma once

#include <stiction/model.h>

#include <string>
#include <vector>

namespace stiction::cli {

struct NamedState {
  std::string name;
  Eigen::VectorXd qpos, qvel, ctrl, act;
};

NamedState reference_state(const Model& model);

/// The keyframe of that name, or, if there is none, of that index, as MuJoCo's users have it.
/// Throws InputError if the model, read from `file`, has no such one.
int known_keyframe(const std::string& file, const std::string& name, const Model& model);

/// Throws InputError in the same way.
NamedState key_state(const std::string& file, const std::string& name, const Model& model);

/// A state, a list of states, or an object with such a list under "states", as the oracles have it.
/// Throws InputError with the place of what is wrong.
std::vector<NamedState> read_states(const std::string& path, const Model& model);

}  // namespace stiction::cli
