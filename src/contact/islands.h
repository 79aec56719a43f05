// Islands: sets of subsystems that no constraint connects to the rest. Each is a problem of its
// own, and a subsystem without constraints needs no solver at all.
#pragma once

#include <stiction/problem.h>

#include <vector>

namespace stiction {

struct Island {
  Problem problem;
  std::vector<int> dofs;  ///< of the whole problem, in the island's order
  std::vector<int> constraints;
  std::vector<int> rows;
};

/// In order of their first subsystem; islands without constraints have an empty `constraints`.
std::vector<Island> split_islands(const Problem& problem);

}  // namespace stiction
