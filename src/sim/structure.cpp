#include "sim/structure.h"

#include <algorithm>

namespace stiction {
namespace {

using Eigen::Vector3d;

// Subsystems are contiguous ranges of dofs and bodies. A model may interleave the bodies of its
// trees; such trees share a subsystem, which is then a forest.
void add_subsystems(Problem& problem) {
  const int count = static_cast<int>(problem.bodies.size());
  std::vector<int> root(count);
  std::vector<int> last(count);  // last body of the tree with this root
  for (int b = 0; b < count; ++b) {
    root[b] = problem.bodies[b].parent >= 0 ? root[problem.bodies[b].parent] : b;
    last[root[b]] = b;
  }
  for (int begin = 0; begin < count;) {
    int end = last[root[begin]];
    for (int b = begin; b <= end; ++b) end = std::max(end, last[root[b]]);
    Subsystem subsystem;
    subsystem.body_begin = begin;
    subsystem.body_count = end - begin + 1;
    subsystem.dof_begin = problem.bodies[begin].dof_begin;
    subsystem.dof_count =
        problem.bodies[end].dof_begin + problem.bodies[end].dof_count - subsystem.dof_begin;
    problem.subsystems.push_back(subsystem);
    begin = end + 1;
  }
}

// Per problem body, of all that is welded to it, in its frame.
std::vector<Vector3d> centers_of_mass(const Model& model, const Structure& structure) {
  std::vector<Vector3d> sum(structure.model_body.size(), Vector3d::Zero());
  std::vector<double> mass(sum.size(), 0);
  std::vector<Pose> X_MB(model.bodies.size());  // in the frame of the one that carries it
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    const int mover = structure.mover[b];
    if (mover < 0) continue;
    const Body& body = model.bodies[b];
    if (body.dof_count == 0) X_MB[b] = X_MB[body.parent] * body.X_PB;
    sum[mover] += body.mass * (X_MB[b] * Pose{body.com}).p;
    mass[mover] += body.mass;
  }
  for (size_t k = 0; k < sum.size(); ++k) {
    if (mass[k] > 0) sum[k] /= mass[k];
  }
  return sum;
}

}  // namespace

Structure::Structure(const Model& model)
    : mover(model.bodies.size(), -1), weld_parent(model.bodies.size(), -1) {
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.dof_count == 0) {
      mover[b] = mover[body.parent];
      weld_parent[b] = weld_parent[body.parent];
      continue;
    }
    mover[b] = static_cast<int>(model_body.size());
    weld_parent[b] = mover[body.parent];
    model_body.push_back(b);
    ProblemBody part;
    part.parent = mover[body.parent];
    part.dof_begin = body.dof_begin;
    part.dof_count = body.dof_count;
    skeleton.bodies.push_back(part);
  }
  add_subsystems(skeleton);
  find_floating(model);
  skeleton.S.setZero(6, model.nv);
  skeleton.D.setZero(model.nv);
  skeleton.b.setZero(model.nv);
}

void Structure::find_floating(const Model& model) {
  const std::vector<Vector3d> centers = centers_of_mass(model, *this);
  pivot.assign(model_body.size(), Vector3d::Zero());
  for (int s = 0; s < static_cast<int>(skeleton.subsystems.size()); ++s) {
    const Subsystem& part = skeleton.subsystems[s];
    subsystem.insert(subsystem.end(), part.body_count, s);
    const Body& root = model.bodies[model_body[part.body_begin]];
    const Joint& joint = model.joints[root.joint_begin];
    if (joint.type != JointType::kFree) continue;
    const auto begin = skeleton.bodies.begin() + part.body_begin;
    const auto is_root = [](const ProblemBody& body) { return body.parent < 0; };
    if (std::count_if(begin, begin + part.body_count, is_root) > 1) continue;
    if (part.body_count > 1) {
      floating.push_back(s);
    } else if (const Vector3d& com_B = centers[part.body_begin]; !com_B.isZero(0)) {
      off_center.push_back({joint.body, joint.qpos_begin, joint.dof_begin, com_B});
      pivot[part.body_begin] = com_B;
    }
  }
}

}  // namespace stiction
