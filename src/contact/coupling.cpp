#include "contact/coupling.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "contact/dynamics.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;

// Dofs of the joints between a body and the ground.
void append_path(const Problem& problem, int body, std::vector<int>& dofs) {
  for (int b = body; b >= 0; b = problem.bodies[b].parent) {
    for (int d = 0; d < problem.bodies[b].dof_count; ++d) {
      dofs.push_back(problem.bodies[b].dof_begin + d);
    }
  }
}

void make_unique(std::vector<int>& x) {
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
}

int index_in(const std::vector<int>& sorted, int value) {
  return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

// Bodies first, then dofs as -1 - dof, so that body groups and dof groups never mix.
std::vector<int> group_key(const Problem& problem, const Constraint& constraint) {
  std::vector<int> key;
  bool on_dofs = false;
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem.ports[constraint.port_begin + p];
    if (port.body >= 0) {
      key.push_back(port.body);
    } else {
      on_dofs = true;
      for (int k = 0; k < port.entry_count; ++k) {
        key.push_back(-1 - problem.port_dofs[port.entry_begin + k]);
      }
    }
  }
  make_unique(key);
  if (on_dofs) key.push_back(-1);  // not sorted: no set of bodies looks like it
  return key;
}

// P of a group of bodies: the twist of each is the sum of the joint columns on its path.
MatrixXd twist_map(const Problem& problem, const std::vector<int>& bodies,
                   const std::vector<int>& dofs) {
  MatrixXd P = MatrixXd::Zero(6 * static_cast<int>(bodies.size()), static_cast<int>(dofs.size()));
  std::vector<int> path;
  for (int k = 0; k < static_cast<int>(bodies.size()); ++k) {
    path.clear();
    append_path(problem, bodies[k], path);
    for (int d : path) P.block<6, 1>(6 * k, index_in(dofs, d)) = problem.S.col(d);
  }
  return P;
}

// J_i^T in the twists of `bodies`.
void fill_twist_columns(const Problem& problem, const std::vector<int>& bodies,
                        CouplingGroup& group) {
  for (int k = 0; k < static_cast<int>(group.constraints.size()); ++k) {
    const Constraint& constraint = problem.constraints[group.constraints[k]];
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      group.Jt.block<6, 3>(6 * index_in(bodies, port.body), 3 * k) += port.block.transpose();
    }
  }
}

// J_i^T in the dofs themselves.
void fill_dof_columns(const Problem& problem, CouplingGroup& group) {
  std::vector<int> path;
  for (int k = 0; k < static_cast<int>(group.constraints.size()); ++k) {
    const Constraint& constraint = problem.constraints[group.constraints[k]];
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      path.clear();
      append_path(problem, port.body, path);
      for (int d : path) {
        group.Jt.block<1, 3>(index_in(group.dofs, d), 3 * k) +=
            (port.block * problem.S.col(d)).transpose();
      }
      if (port.body >= 0) continue;
      for (int e = port.entry_begin; e < port.entry_begin + port.entry_count; ++e) {
        group.Jt.block<1, 3>(index_in(group.dofs, problem.port_dofs[e]), 3 * k) +=
            problem.port_columns[e].transpose();
      }
    }
  }
}

// Products in twists and one map at the end, or products in v right away: whichever is cheaper.
bool twists_pay(int locals, int dofs, int constraints) {
  const double k = locals;
  const double d = dofs;
  return 3 * k * k * constraints + k * k * d + k * d * d < 3 * d * d * constraints;
}

CouplingGroup make_group(const Problem& problem, const std::vector<int>& key,
                         std::vector<int> constraints) {
  CouplingGroup group;
  group.constraints = std::move(constraints);
  const bool on_dofs = key.back() < 0;
  for (size_t k = 0; k + (on_dofs ? 1 : 0) < key.size(); ++k) {
    if (key[k] >= 0) {
      append_path(problem, key[k], group.dofs);
    } else {
      group.dofs.push_back(-1 - key[k]);
    }
  }
  make_unique(group.dofs);
  const int columns = 3 * static_cast<int>(group.constraints.size());
  const int locals = 6 * static_cast<int>(key.size());
  const int dofs = static_cast<int>(group.dofs.size());
  if (!on_dofs && twists_pay(locals, dofs, static_cast<int>(group.constraints.size()))) {
    group.P = twist_map(problem, key, group.dofs);
    group.Jt = MatrixXd::Zero(locals, columns);
    fill_twist_columns(problem, key, group);
  } else {
    group.Jt = MatrixXd::Zero(dofs, columns);
    fill_dof_columns(problem, group);
  }
  return group;
}

// Branches of trees: a dof stays in its parent's block unless the parent has another child.
void add_branches(const Problem& problem, DofBlocks& blocks) {
  const std::vector<int> parent = dof_parents(problem);
  std::vector<int> children(problem.n(), 0);
  for (int p : parent) {
    if (p >= 0) ++children[p];
  }
  for (const Subsystem& subsystem : problem.subsystems) {
    if (subsystem.sparse >= 0) continue;
    for (int d = subsystem.dof_begin; d < subsystem.dof_begin + subsystem.dof_count; ++d) {
      if (parent[d] >= 0 && children[parent[d]] == 1) {
        blocks.block_of[d] = blocks.block_of[parent[d]];
      } else {
        blocks.block_of[d] = static_cast<int>(blocks.dofs.size());
        blocks.dofs.emplace_back();
      }
      blocks.dofs[blocks.block_of[d]].push_back(d);
      for (int a = parent[d]; a >= 0; a = parent[a]) {
        blocks.couplings.emplace_back(blocks.block_of[a], blocks.block_of[d]);
      }
    }
  }
}

bool intersect(const std::vector<int>& x, const std::vector<int>& y) {
  auto i = x.begin();
  auto j = y.begin();
  while (i != x.end() && j != y.end()) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

// Dofs of a sparse block with the same groups, and the same neighbours in A beyond these groups.
void add_nodes(const Problem& problem, const Subsystem& subsystem,
               const std::vector<std::vector<int>>& groups_of, DofBlocks& blocks) {
  const Eigen::SparseMatrix<double>& A = problem.sparse_blocks[subsystem.sparse];
  std::map<std::vector<int>, int> block_of_key;
  for (int c = 0; c < A.outerSize(); ++c) {
    const int d = subsystem.dof_begin + c;
    std::vector<int> key = groups_of[d];
    key.push_back(-1);
    for (Eigen::SparseMatrix<double>::InnerIterator it(A, c); it; ++it) {
      const int neighbour = subsystem.dof_begin + static_cast<int>(it.row());
      if (!intersect(groups_of[d], groups_of[neighbour])) key.push_back(neighbour);
    }
    const auto [it, is_new] = block_of_key.try_emplace(key, static_cast<int>(blocks.dofs.size()));
    if (is_new) blocks.dofs.emplace_back();
    blocks.dofs[it->second].push_back(d);
    blocks.block_of[d] = it->second;
  }
  for (int c = 0; c < A.outerSize(); ++c) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(A, c); it; ++it) {
      blocks.couplings.emplace_back(
          blocks.block_of[subsystem.dof_begin + c],
          blocks.block_of[subsystem.dof_begin + static_cast<int>(it.row())]);
    }
  }
}

void normalize(std::vector<std::pair<int, int>>& couplings) {
  for (auto& [i, j] : couplings) {
    if (i > j) std::swap(i, j);
  }
  std::sort(couplings.begin(), couplings.end());
  couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
  std::erase_if(couplings, [](const auto& pair) { return pair.first == pair.second; });
}

}  // namespace

bool is_on_one_dof(const Problem& problem, const Constraint& constraint) {
  const Port& port = problem.ports[constraint.port_begin];
  return constraint.port_count == 1 && port.body < 0 && port.entry_count == 1;
}

std::vector<CouplingGroup> make_coupling_groups(const Problem& problem) {
  std::map<std::vector<int>, std::vector<int>> members;
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    if (is_on_one_dof(problem, problem.constraints[i])) continue;
    members[group_key(problem, problem.constraints[i])].push_back(i);
  }
  std::vector<CouplingGroup> groups;
  groups.reserve(members.size());
  for (auto& [key, constraints] : members) {
    groups.push_back(make_group(problem, key, std::move(constraints)));
  }
  return groups;
}

DofBlocks make_dof_blocks(const Problem& problem, const std::vector<CouplingGroup>& groups) {
  DofBlocks blocks;
  blocks.block_of.assign(problem.n(), -1);
  add_branches(problem, blocks);
  if (!problem.sparse_blocks.empty()) {
    std::vector<std::vector<int>> groups_of(problem.n());
    for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
      for (int d : groups[g].dofs) groups_of[d].push_back(g);
    }
    for (const Subsystem& subsystem : problem.subsystems) {
      if (subsystem.sparse >= 0) add_nodes(problem, subsystem, groups_of, blocks);
    }
  }
  std::vector<int> touched;
  for (const CouplingGroup& group : groups) {
    touched.clear();
    for (int d : group.dofs) touched.push_back(blocks.block_of[d]);
    make_unique(touched);
    for (size_t i = 0; i < touched.size(); ++i) {
      for (size_t j = 0; j < i; ++j) blocks.couplings.emplace_back(touched[j], touched[i]);
    }
  }
  normalize(blocks.couplings);
  return blocks;
}

}  // namespace stiction
