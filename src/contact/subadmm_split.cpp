#include "contact/subadmm_split.h"

#include <map>

namespace stiction {
namespace {

// Makes slots on first use and finds them again.
class SlotIndex {
 public:
  SlotIndex(const Problem& problem, SplitProblem& split)
      : split_(split),
        of_body_(problem.bodies.size(), -1),
        subsystem_of_body_(problem.bodies.size()),
        subsystem_of_dof_(problem.n()) {
    for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
      const Subsystem& subsystem = problem.subsystems[j];
      for (int d = 0; d < subsystem.dof_count; ++d) {
        subsystem_of_dof_[subsystem.dof_begin + d] = j;
      }
      for (int b = 0; b < subsystem.body_count; ++b) {
        subsystem_of_body_[subsystem.body_begin + b] = j;
      }
    }
  }

  int subsystem_of_dof(int dof) const { return subsystem_of_dof_[dof]; }

  int body(int body) {
    if (of_body_[body] < 0) {
      Slot slot;
      slot.subsystem = subsystem_of_body_[body];
      slot.body = body;
      of_body_[body] = append(slot);
    }
    return of_body_[body];
  }

  int dofs(const std::vector<int>& dofs) {
    const auto [place, is_new] = of_dofs_.try_emplace(dofs, -1);
    if (is_new) {
      Slot slot;
      slot.subsystem = subsystem_of_dof_[dofs.front()];
      slot.dof_count = static_cast<int>(dofs.size());
      for (int k = 0; k < slot.dof_count; ++k) slot.dofs[k] = dofs[k];
      place->second = append(slot);
    }
    return place->second;
  }

 private:
  int append(const Slot& slot) {
    split_.slots.push_back(slot);
    return static_cast<int>(split_.slots.size()) - 1;
  }

  SplitProblem& split_;
  std::vector<int> of_body_;
  std::vector<int> subsystem_of_body_;
  std::vector<int> subsystem_of_dof_;
  std::map<std::vector<int>, int> of_dofs_;
};

// A port on dofs: groups of one dof in trees, of up to six in sparse blocks.
void split_dof_port(const Problem& problem, const Port& port, SlotIndex& index,
                    std::vector<SlotEnd>& ends) {
  const int end = port.entry_begin + port.entry_count;
  for (int k = port.entry_begin; k < end;) {
    const int j = index.subsystem_of_dof(problem.port_dofs[k]);
    const int limit = problem.subsystems[j].sparse >= 0 ? 6 : 1;
    std::vector<int> dofs;
    SlotEnd part;
    for (; k < end && static_cast<int>(dofs.size()) < limit; ++k) {
      if (index.subsystem_of_dof(problem.port_dofs[k]) != j) break;
      part.block.col(static_cast<int>(dofs.size())) = problem.port_columns[k];
      dofs.push_back(problem.port_dofs[k]);
    }
    part.slot = index.dofs(dofs);
    ends.push_back(part);
  }
}

}  // namespace

SplitProblem split_by_bodies(const Problem& problem) {
  SplitProblem split;
  SlotIndex index(problem, split);
  split.ends.reserve(problem.ports.size());
  split.slots.reserve(problem.bodies.size());
  split.end_begin.reserve(problem.constraints.size() + 1);
  split.end_begin.push_back(0);
  for (const Constraint& constraint : problem.constraints) {
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      if (port.body >= 0) {
        split.ends.push_back({index.body(port.body), port.block});
      } else {
        split_dof_port(problem, port, index, split.ends);
      }
    }
    split.end_begin.push_back(static_cast<int>(split.ends.size()));
  }
  return split;
}

}  // namespace stiction
