#include "contact/islands.h"

#include <algorithm>
#include <numeric>

#include "contact/subsystem_of.h"

namespace stiction {
namespace {

int find_root(std::vector<int>& parent, int j) {
  while (parent[j] != j) j = parent[j] = parent[parent[j]];
  return j;
}

// For every port, the subsystem that it touches; a dof port may touch several.
template <class Visit>
void visit_subsystems(const Problem& problem, const Constraint& constraint,
                      const SubsystemOf& subsystem_of, const Visit& visit) {
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem.ports[constraint.port_begin + p];
    if (port.body >= 0) visit(subsystem_of.body[port.body]);
    for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
      visit(subsystem_of.dof[problem.port_dofs[k]]);
    }
  }
}

// The memory that copies will take.
void reserve(const Problem& problem, const std::vector<int>& island_of,
             const std::vector<int>& island_of_constraint, std::vector<Island>& islands) {
  struct Count {
    int subsystems = 0, bodies = 0, dofs = 0, constraints = 0, rows = 0, ports = 0, entries = 0;
  };
  std::vector<Count> counts(islands.size());
  for (size_t j = 0; j < island_of.size(); ++j) {
    if (island_of[j] < 0) continue;
    Count& count = counts[island_of[j]];
    ++count.subsystems;
    count.bodies += problem.subsystems[j].body_count;
    count.dofs += problem.subsystems[j].dof_count;
  }
  for (size_t i = 0; i < island_of_constraint.size(); ++i) {
    if (island_of_constraint[i] < 0) continue;
    const Constraint& constraint = problem.constraints[i];
    Count& count = counts[island_of_constraint[i]];
    ++count.constraints;
    count.rows += constraint.rows;
    count.ports += constraint.port_count;
    for (int p = 0; p < constraint.port_count; ++p) {
      count.entries += problem.ports[constraint.port_begin + p].entry_count;
    }
  }
  for (size_t k = 0; k < islands.size(); ++k) {
    Problem& part = islands[k].part;
    part.subsystems.reserve(counts[k].subsystems);
    part.bodies.reserve(counts[k].bodies);
    part.constraints.reserve(counts[k].constraints);
    part.ports.reserve(counts[k].ports);
    part.port_dofs.reserve(counts[k].entries);
    part.port_columns.reserve(counts[k].entries);
    islands[k].subsystems.reserve(counts[k].subsystems);
    islands[k].dofs.reserve(counts[k].dofs);
    islands[k].constraints.reserve(counts[k].constraints);
    islands[k].rows.reserve(counts[k].rows);
  }
}

// Copies one subsystem; new_body and new_dof record where its parts went.
void copy_subsystem(const Problem& problem, int j, Island& island, std::vector<int>& new_body,
                    std::vector<int>& new_dof) {
  const Subsystem& subsystem = problem.subsystems[j];
  Problem& part = island.part;
  Subsystem copy = subsystem;
  island.subsystems.push_back(j);
  copy.dof_begin = static_cast<int>(island.dofs.size());
  copy.body_begin = static_cast<int>(part.bodies.size());
  for (int d = 0; d < subsystem.dof_count; ++d) {
    new_dof[subsystem.dof_begin + d] = copy.dof_begin + d;
    island.dofs.push_back(subsystem.dof_begin + d);
  }
  for (int b = subsystem.body_begin; b < subsystem.body_begin + subsystem.body_count; ++b) {
    ProblemBody body = problem.bodies[b];
    new_body[b] = static_cast<int>(part.bodies.size());
    if (body.parent >= 0) body.parent = new_body[body.parent];
    body.dof_begin += copy.dof_begin - subsystem.dof_begin;
    part.bodies.push_back(body);
  }
  if (subsystem.sparse >= 0) {
    copy.sparse = static_cast<int>(part.sparse_blocks.size());
    part.sparse_blocks.push_back(problem.sparse_blocks[subsystem.sparse]);
  }
  part.subsystems.push_back(copy);
}

void copy_constraint(const Problem& problem, int i, Island& island,
                     const std::vector<int>& new_body, const std::vector<int>& new_dof) {
  Problem& part = island.part;
  Constraint constraint = problem.constraints[i];
  const int port_begin = constraint.port_begin;
  constraint.port_begin = static_cast<int>(part.ports.size());
  for (int p = 0; p < constraint.port_count; ++p) {
    Port port = problem.ports[port_begin + p];
    const int entry_begin = port.entry_begin;
    if (port.body >= 0) port.body = new_body[port.body];
    port.entry_begin = static_cast<int>(part.port_dofs.size());
    for (int k = entry_begin; k < entry_begin + port.entry_count; ++k) {
      part.port_dofs.push_back(new_dof[problem.port_dofs[k]]);
      part.port_columns.push_back(problem.port_columns[k]);
    }
    part.ports.push_back(port);
  }
  for (int r = 0; r < constraint.rows; ++r) island.rows.push_back(constraint.row_begin + r);
  constraint.row_begin = static_cast<int>(island.rows.size()) - constraint.rows;
  part.constraints.push_back(constraint);
  island.constraints.push_back(i);
}

void copy_vectors(const Problem& problem, Island& island) {
  Problem& part = island.part;
  part.S.resize(6, island.dofs.size());
  part.D.resize(island.dofs.size());
  part.b.resize(island.dofs.size());
  for (int d = 0; d < static_cast<int>(island.dofs.size()); ++d) {
    part.S.col(d) = problem.S.col(island.dofs[d]);
    part.D[d] = problem.D[island.dofs[d]];
    part.b[d] = problem.b[island.dofs[d]];
  }
  part.e.resize(island.rows.size());
  for (int r = 0; r < static_cast<int>(island.rows.size()); ++r) {
    part.e[r] = problem.e[island.rows[r]];
  }
}

void clear(Island& island) {
  Problem& part = island.part;
  island.whole = nullptr;
  for (std::vector<int>* numbers :
       {&island.subsystems, &island.dofs, &island.constraints, &island.rows, &part.port_dofs}) {
    numbers->clear();
  }
  part.subsystems.clear();
  part.bodies.clear();
  part.sparse_blocks.clear();
  part.constraints.clear();
  part.ports.clear();
  part.port_columns.clear();
}

// Nothing is copied.
void take_whole(const Problem& problem, Island& island) {
  island.whole = &problem;
  const auto count_up = [](std::vector<int>& numbers, int size) {
    numbers.resize(size);
    std::iota(numbers.begin(), numbers.end(), 0);
  };
  count_up(island.subsystems, static_cast<int>(problem.subsystems.size()));
  count_up(island.dofs, problem.n());
  count_up(island.constraints, static_cast<int>(problem.constraints.size()));
  count_up(island.rows, problem.n_c());
}

}  // namespace

IslandLabels label_islands(const Problem& problem, const std::vector<char>& left_out) {
  const int count = static_cast<int>(problem.subsystems.size());
  const SubsystemOf subsystem_of(problem);
  std::vector<int> root(count);
  std::iota(root.begin(), root.end(), 0);
  IslandLabels labels;
  labels.of_constraint.resize(problem.constraints.size(), -1);  // at first, one of its subsystems
  for (size_t i = 0; i < problem.constraints.size(); ++i) {
    if (!left_out.empty() && left_out[i]) continue;
    int& first = labels.of_constraint[i];
    visit_subsystems(problem, problem.constraints[i], subsystem_of, [&](int j) {
      if (first < 0) first = j;
      const int a = find_root(root, first);
      const int b = find_root(root, j);
      root[std::max(a, b)] = std::min(a, b);
    });
  }
  labels.of_subsystem.resize(count);
  for (int j = 0; j < count; ++j) {
    const int r = find_root(root, j);
    labels.of_subsystem[j] = r == j ? labels.count++ : labels.of_subsystem[r];
  }
  for (int& label : labels.of_constraint) {
    if (label >= 0) label = labels.of_subsystem[label];
  }
  return labels;
}

void split_islands(const Problem& problem, IslandLabels labels, const std::vector<char>& settled,
                   std::vector<Island>& islands) {
  std::vector<int> number(labels.count, -1);
  for (const int label : labels.of_constraint) {
    if (label >= 0 && (settled.empty() || !settled[label])) number[label] = 0;
  }
  int count = 0;
  for (int& n : number) {
    if (n == 0) n = count++;
  }
  const auto is_left_out = [](int label) { return label < 0; };
  if (labels.count == 1 && count == 1 && std::ranges::none_of(labels.of_constraint, is_left_out)) {
    islands.resize(1);
    take_whole(problem, islands[0]);
    return;
  }
  for (int& label : labels.of_subsystem) label = number[label];
  for (int& label : labels.of_constraint) {
    if (label >= 0) label = number[label];
  }
  islands.resize(count);
  for (Island& island : islands) clear(island);
  reserve(problem, labels.of_subsystem, labels.of_constraint, islands);
  std::vector<int> new_body(problem.bodies.size());
  std::vector<int> new_dof(problem.n());
  for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
    if (labels.of_subsystem[j] < 0) continue;
    copy_subsystem(problem, j, islands[labels.of_subsystem[j]], new_body, new_dof);
  }
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    if (labels.of_constraint[i] < 0) continue;
    copy_constraint(problem, i, islands[labels.of_constraint[i]], new_body, new_dof);
  }
  for (Island& island : islands) copy_vectors(problem, island);
}

}  // namespace stiction
