// Islands: sets of subsystems that no constraint connects to the rest. Each is a problem of its
// own, and a subsystem without constraints needs no solver at all.
#pragma once

#include <stiction/problem.h>

#include <vector>

namespace stiction {

struct IslandLabels {
  int count = 0;
  std::vector<int> of_subsystem;
  std::vector<int> of_constraint;  ///< -1 if it is left out
};

/// Numbered in order of their first subsystem. `left_out`, per constraint, may be empty: none.
IslandLabels label_islands(const Problem& problem, const std::vector<char>& left_out = {});

struct Island {
  const Problem* whole = nullptr;  ///< not null if the island is the whole problem
  Problem part;                    ///< a copy of its part, otherwise
  std::vector<int> subsystems;     ///< of the whole problem, in the island's order
  std::vector<int> dofs;
  std::vector<int> constraints;
  std::vector<int> rows;

  const Problem& problem() const { return whole ? *whole : part; }
};

/// Those with constraints, in the order of their labels, but those that are settled; the memory of
/// what was in `islands` is used again. They must not outlive `problem`. `settled`, per label, may
/// be empty: none.
void split_islands(const Problem& problem, IslandLabels labels, const std::vector<char>& settled,
                   std::vector<Island>& islands);

}  // namespace stiction
