// How the model's bodies become the problem's: bodies that are welded to each other move as one,
// trees become subsystems. Fixed by the model, computed once.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>

#include <vector>

namespace stiction {

struct Structure {
  explicit Structure(const Model& model);

  std::vector<int> mover;        ///< per model body: the problem body that carries it, or -1
  std::vector<int> model_body;   ///< per problem body: its model body
  std::vector<int> weld_parent;  ///< per model body: the mover of the mover's parent, or -1
  Problem skeleton;              ///< subsystems and bodies with their dofs, no numbers yet
  std::vector<int> subsystem;    ///< per problem body
  /// Subsystems that are one tree whose root has a free joint, but bodies with their centre of mass
  /// at their origin.
  std::vector<int> floating;

 private:
  void find_floating(const Model& model);
};

}  // namespace stiction
