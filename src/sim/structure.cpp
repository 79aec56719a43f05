#include "sim/structure.h"

#include <algorithm>

namespace stiction {
namespace {

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
  std::vector<int> carried(model_body.size(), 0);  // bodies that are welded together
  for (const int body : mover) {
    if (body >= 0) ++carried[body];
  }
  for (int s = 0; s < static_cast<int>(skeleton.subsystems.size()); ++s) {
    const Subsystem& part = skeleton.subsystems[s];
    subsystem.insert(subsystem.end(), part.body_count, s);
    const Body& root = model.bodies[model_body[part.body_begin]];
    const auto begin = skeleton.bodies.begin() + part.body_begin;
    const auto is_root = [](const ProblemBody& body) { return body.parent < 0; };
    const bool is_tree = std::count_if(begin, begin + part.body_count, is_root) == 1;
    const bool is_free = model.joints[root.joint_begin].type == JointType::kFree;
    const bool is_centered =
        part.body_count == 1 && carried[part.body_begin] == 1 && root.com.isZero(0);
    if (is_tree && is_free && !is_centered) floating.push_back(s);
  }
}

}  // namespace stiction
