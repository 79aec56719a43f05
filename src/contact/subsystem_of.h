// Which subsystem a body or a dof belongs to.
#pragma once

#include <stiction/problem.h>

#include <vector>

namespace stiction {

struct SubsystemOf {
  explicit SubsystemOf(const Problem& problem) : body(problem.bodies.size()), dof(problem.n()) {
    for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
      const Subsystem& subsystem = problem.subsystems[j];
      for (int b = 0; b < subsystem.body_count; ++b) body[subsystem.body_begin + b] = j;
      for (int d = 0; d < subsystem.dof_count; ++d) dof[subsystem.dof_begin + d] = j;
    }
  }

  std::vector<int> body;
  std::vector<int> dof;
};

}  // namespace stiction
