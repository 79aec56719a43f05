// How the model's bodies become the problem's: bodies that are welded to each other move as one,
// trees become subsystems. Fixed by the model, computed once.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>

#include <vector>

namespace stiction {

/// A single body on a free joint, with all that is welded to it, whose centre of mass is not at its
/// origin.
struct OffCenter {
  int body = 0;  ///< of the model
  int qpos_begin = 0;
  int dof_begin = 0;
  Eigen::Vector3d com_B = Eigen::Vector3d::Zero();
};

struct Structure {
  explicit Structure(const Model& model);

  std::vector<int> mover;        ///< per model body: the problem body that carries it, or -1
  std::vector<int> model_body;   ///< per problem body: its model body
  std::vector<int> weld_parent;  ///< per model body: the mover of the mover's parent, or -1
  Problem skeleton;              ///< subsystems and bodies with their dofs, no numbers yet
  std::vector<int> subsystem;    ///< per problem body
  std::vector<int> floating;     ///< subsystems that are one tree, with limbs, on a free joint
  std::vector<OffCenter> off_center;
  /// Per problem body, in its frame: what goes straight within a step, the centre of mass of a
  /// single free body, of others the origin.
  std::vector<Eigen::Vector3d> pivot;

 private:
  void find_floating(const Model& model);
};

}  // namespace stiction
