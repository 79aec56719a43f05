// Constraints of one row, added many at a time.
#pragma once

#include "sim/assemble.h"

namespace stiction {

inline int end_row(const Problem& problem) {
  if (problem.constraints.empty()) return 0;
  return problem.constraints.back().row_begin + problem.constraints.back().rows;
}

/// Adds a constraint of one row whose e is zero, but not its e: extend_e does, for many at once.
inline void add_row(Constraint constraint, const Port& port, SourceKind kind, int index,
                    Problem& problem, std::vector<ConstraintSource>& sources) {
  constraint.rows = 1;
  constraint.row_begin = end_row(problem);
  constraint.port_begin = static_cast<int>(problem.ports.size());
  constraint.port_count = 1;
  problem.ports.push_back(port);
  problem.constraints.push_back(constraint);
  sources.push_back({kind, index, 0, constraint_id(kind, index)});
}

inline void extend_e(Problem& problem) {
  const Eigen::Index before = problem.e.size();
  problem.e.conservativeResize(end_row(problem));
  problem.e.tail(problem.e.size() - before).setZero();
}

}  // namespace stiction
