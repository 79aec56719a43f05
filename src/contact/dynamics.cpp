#include "contact/dynamics.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "math/quad.h"

namespace stiction {

using Eigen::VectorXd;

std::vector<int> dof_parents(const Problem& problem) {
  std::vector<int> parent(problem.n(), -1);
  std::vector<int> last(problem.bodies.size(), -1);  // last dof of a body or of its ancestors
  for (int b = 0; b < static_cast<int>(problem.bodies.size()); ++b) {
    const ProblemBody& body = problem.bodies[b];
    int previous = body.parent >= 0 ? last[body.parent] : -1;
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      parent[d] = previous;
      previous = d;
    }
    last[b] = previous;
  }
  return parent;
}

void assemble_trees(const Problem& problem, const BranchPattern& pattern, std::vector<Matrix6d>& H,
                    VectorXd& values) {
  values.setZero();
  for (int b = static_cast<int>(problem.bodies.size()) - 1; b >= 0; --b) {
    const ProblemBody& body = problem.bodies[b];
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      const Vector6d F = H[b] * problem.S.col(d);
      const int begin = pattern.row_begin[d];
      const int diagonal = pattern.diagonal(d);
      for (int k = begin; k <= diagonal; ++k) {
        values[k] = problem.S.col(pattern.col[k]).dot(F);
      }
      values[diagonal] += problem.D[d];
    }
    if (body.parent >= 0) H[body.parent] += H[b];
  }
}

DynamicsFactor::DynamicsFactor(const Problem& problem) : problem_(problem) {
  const std::vector<int> parents = dof_parents(problem);
  pattern_ = make_branch_pattern(parents);
  L_.resize(static_cast<int>(pattern_.col.size()));
  sparse_.resize(problem.sparse_blocks.size());
  place_slots(parents);
  factorize();
}

void DynamicsFactor::factorize() {
  failed_subsystem_ = -1;
  composite_.resize(problem_.bodies.size());
  for (size_t b = 0; b < composite_.size(); ++b) composite_[b] = problem_.bodies[b].H;
  assemble_trees(problem_, pattern_, composite_, L_);
  factorize_sparse();
  const bool ok = branch_factorize(pattern_, L_);
  for (int j = static_cast<int>(problem_.subsystems.size()) - 1; j >= 0; --j) {
    const Subsystem& subsystem = problem_.subsystems[j];
    const int begin = subsystem.dof_begin;
    for (int d = begin; d < begin + subsystem.dof_count; ++d) {
      const double D_d = subsystem.sparse < 0 ? L_[pattern_.diagonal(d)]
                                              : sparse_[subsystem.sparse]->vectorD()[d - begin];
      over_root_D_[d] = 1 / std::sqrt(D_d);
      if (!ok && !(L_[pattern_.diagonal(d)] > 0)) failed_subsystem_ = j;
    }
  }
}

// Their part of L stays the identity.
void DynamicsFactor::factorize_sparse() {
  for (int j = 0; j < static_cast<int>(problem_.subsystems.size()); ++j) {
    const Subsystem& subsystem = problem_.subsystems[j];
    if (subsystem.sparse < 0) continue;
    for (int d = 0; d < subsystem.dof_count; ++d) {
      L_[pattern_.diagonal(subsystem.dof_begin + d)] = 1;
    }
    Eigen::SparseMatrix<double> A = problem_.sparse_blocks[subsystem.sparse];
    A.diagonal() += problem_.D.segment(subsystem.dof_begin, subsystem.dof_count);
    const auto ldlt = std::make_shared<SparseLdlt>(A);
    if (ldlt->info() != Eigen::Success || !(ldlt->vectorD().minCoeff() > 0)) failed_subsystem_ = j;
    sparse_[subsystem.sparse] = ldlt;
  }
}

// All that belongs to a subsystem stands in one piece, and its places begin at a whole quad.
DynamicsFactor::DynamicsFactor(const Problem& part, const DynamicsFactor& whole,
                               const std::vector<int>& subsystems)
    : problem_(part), L_(0), over_root_D_(part.n()), place_(part.n()) {
  const BranchPattern& from = whole.pattern_;
  pattern_.row_begin.resize(part.n() + 1, 0);
  int entries = 0;
  for (const int j : subsystems) {
    const Subsystem& subsystem = whole.problem_.subsystems[j];
    entries += from.row_begin[subsystem.dof_begin + subsystem.dof_count] -
               from.row_begin[subsystem.dof_begin];
  }
  pattern_.col.resize(entries);
  L_.resize(entries);
  sparse_.reserve(part.sparse_blocks.size());
  int entry = 0;
  int dof = 0;
  for (int k = 0; k < static_cast<int>(subsystems.size()); ++k) {
    const Subsystem& subsystem = whole.problem_.subsystems[subsystems[k]];
    const int begin = subsystem.dof_begin;
    const int shift = dof - begin;
    const int place_shift = width_ - whole.place_[begin];
    int last = 0;
    for (int d = begin; d < begin + subsystem.dof_count; ++d, ++dof) {
      for (int a = from.row_begin[d]; a < from.row_begin[d + 1]; ++a, ++entry) {
        pattern_.col[entry] = from.col[a] + shift;
        L_[entry] = whole.L_[a];
      }
      pattern_.row_begin[dof + 1] = entry;
      over_root_D_[dof] = whole.over_root_D_[d];
      last = place_[dof] = whole.place_[d] + place_shift;
    }
    if (subsystem.sparse >= 0) sparse_.push_back(whole.sparse_[subsystem.sparse]);
    width_ = (last / kQuad + 1) * kQuad;
    subsystem_of_quad_.resize(width_ / kQuad, k);
  }
}

// A dof follows its parent unless the parent has another child: then it begins a branch, and a
// quad.
void DynamicsFactor::place_slots(const std::vector<int>& parents) {
  over_root_D_.resize(problem_.n());
  place_.resize(problem_.n());
  std::vector<int> children(problem_.n(), 0);
  for (const int parent : parents) {
    if (parent >= 0) ++children[parent];
  }
  const auto whole_quads = [](int x) { return (x + kQuad - 1) / kQuad * kQuad; };
  int next = 0;
  for (int j = 0; j < static_cast<int>(problem_.subsystems.size()); ++j) {
    const Subsystem& subsystem = problem_.subsystems[j];
    const int begin = subsystem.dof_begin;
    const bool tree = subsystem.sparse < 0;
    for (int d = begin; d < begin + subsystem.dof_count; ++d) {
      const bool follows = d > begin && (!tree || (parents[d] == d - 1 && children[d - 1] == 1));
      if (!follows) next = whole_quads(next);
      place_[d] = next++;
    }
    next = whole_quads(next);
    subsystem_of_quad_.resize(next / kQuad, j);
  }
  width_ = next;
}

void DynamicsFactor::solve_in_place(VectorXd& x) const {
  branch_solve(pattern_, L_, x);
  for (const Subsystem& subsystem : problem_.subsystems) {
    if (subsystem.sparse < 0) continue;
    auto part = x.segment(subsystem.dof_begin, subsystem.dof_count);
    part = sparse_[subsystem.sparse]->solve(part).eval();
  }
}

void DynamicsFactor::to_root(const VectorXd& x, VectorXd& w) const {
  VectorXd y = x;
  branch_solve_up(pattern_, L_, y);
  for (const Subsystem& subsystem : problem_.subsystems) {
    if (subsystem.sparse < 0) continue;
    auto part = y.segment(subsystem.dof_begin, subsystem.dof_count);
    const SparseLdlt& ldlt = *sparse_[subsystem.sparse];
    VectorXd permuted = ldlt.permutationP() * part;
    ldlt.matrixL().solveInPlace(permuted);
    part = permuted;
  }
  w.setZero(width_);
  for (int slot = 0; slot < y.size(); ++slot) w[place_[slot]] = over_root_D_[slot] * y[slot];
}

void DynamicsFactor::from_root(const VectorXd& w, VectorXd& v) const {
  v.resize(problem_.n());
  for (int slot = 0; slot < v.size(); ++slot) v[slot] = over_root_D_[slot] * w[place_[slot]];
  branch_solve_down(pattern_, L_, v);
  for (const Subsystem& subsystem : problem_.subsystems) {
    if (subsystem.sparse < 0) continue;
    auto part = v.segment(subsystem.dof_begin, subsystem.dof_count);
    const SparseLdlt& ldlt = *sparse_[subsystem.sparse];
    VectorXd permuted = part;
    ldlt.matrixU().solveInPlace(permuted);
    part = ldlt.permutationPinv() * permuted;
  }
}

void DynamicsFactor::root_columns(const Constraint& constraint, Eigen::Matrix4Xd& Y,
                                  std::vector<int>& slots) const {
  gather_jacobian(constraint, Y, slots);
  eliminate(Y, slots);
}

// The dof of a row that sees one dof of a tree only; -1 for others.
int DynamicsFactor::only_dof(const Constraint& constraint) const {
  if (constraint.rows != 1 || constraint.port_count != 1 || !sparse_.empty()) return -1;
  const Port& port = problem_.ports[constraint.port_begin];
  return port.body < 0 && port.entry_count == 1 ? problem_.port_dofs[port.entry_begin] : -1;
}

int DynamicsFactor::rows_on_a_branch(int i) const {
  const int left = static_cast<int>(problem_.constraints.size()) - i;
  int count = 0;
  for (int last = -1; count < std::min(left, kQuad); ++count) {
    const int dof = only_dof(problem_.constraints[i + count]);
    const int begin = dof < 0 ? 0 : pattern_.row_begin[dof];
    if (dof <= last ||
        (last >= 0 &&
         !std::binary_search(&pattern_.col[begin],
                             &pattern_.col[begin] + (pattern_.diagonal(dof) - begin), last)))
      break;
    last = dof;
  }
  return count;
}

void DynamicsFactor::root_columns_on_a_branch(int i, int count, Eigen::Matrix4Xd& Y,
                                              std::vector<int>& slots) const {
  int dof = -1;
  for (int r = 0; r < count; ++r) {
    const Port& port = problem_.ports[problem_.constraints[i + r].port_begin];
    dof = problem_.port_dofs[port.entry_begin];
    Y(r, dof) = problem_.port_columns[port.entry_begin][0];
  }
  slots.clear();
  for (int a = pattern_.diagonal(dof); a >= pattern_.row_begin[dof]; --a) {
    slots.push_back(pattern_.col[a]);
  }
  eliminate(Y, slots);
}

void DynamicsFactor::eliminate(Eigen::Matrix4Xd& Y, const std::vector<int>& slots) const {
  double* const y = Y.data();
  const int* const col = pattern_.col.data();
  for (const int s : slots) {
    Quad& y_s = quad_at(y + kQuad * s);
    const int end = pattern_.diagonal(s);
    for (int k = pattern_.row_begin[s]; k < end; ++k) {
      quad_at(y + kQuad * col[k]) -= L_[k] * y_s;
    }
    y_s *= over_root_D_[s];
  }
}

// Columns of J_i on the dofs that it sees, with all their ancestors as slots. Of sparse blocks,
// L^-1 is applied here, and every dof is a slot.
void DynamicsFactor::gather_jacobian(const Constraint& constraint, Eigen::Matrix4Xd& Y,
                                     std::vector<int>& slots) const {
  slots.clear();
  bool sorted = constraint.port_count <= 2;
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem_.ports[constraint.port_begin + p];
    const size_t before = slots.size();
    StoredQuad block[6];  // its columns, with a row to spare
    if (port.body >= 0) {
      for (int k = 0; k < 6; ++k) {
        for (int r = 0; r < 3; ++r) block[k].x[r] = port.block(r, k);
      }
    }
    for (int b = port.body; b >= 0; b = problem_.bodies[b].parent) {
      const ProblemBody& body = problem_.bodies[b];
      for (int d = body.dof_begin + body.dof_count - 1; d >= body.dof_begin; --d) {
        slots.push_back(d);
        const double* const S = &problem_.S(0, d);
        Quad& y = quad_at(&Y(0, d));
        for (int k = 0; k < 6; ++k) y += S[k] * quad_at(block[k].x);
      }
    }
    for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
      const int dof = problem_.port_dofs[k];
      Y.col(dof).head<3>() += problem_.port_columns[k];
      for (int a = pattern_.diagonal(dof); a >= pattern_.row_begin[dof]; --a) {
        slots.push_back(pattern_.col[a]);
      }
    }
    // Paths to different roots do not meet.
    sorted = sorted && port.entry_count <= 1 &&
             (before == 0 || slots.size() == before || slots[before - 1] != slots.back());
  }
  if (!sorted) {
    std::sort(slots.begin(), slots.end(), std::greater<int>());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  }
  if (!sparse_.empty()) eliminate_sparse(Y, slots);
}

void DynamicsFactor::eliminate_sparse(Eigen::Matrix4Xd& Y, std::vector<int>& slots) const {
  for (const Subsystem& subsystem : problem_.subsystems) {
    if (subsystem.sparse < 0) continue;
    const int end = subsystem.dof_begin + subsystem.dof_count;
    const auto is_in = [&](int slot) { return slot >= subsystem.dof_begin && slot < end; };
    if (std::none_of(slots.begin(), slots.end(), is_in)) continue;
    std::erase_if(slots, is_in);
    for (int d = end - 1; d >= subsystem.dof_begin; --d) slots.push_back(d);
    auto part = Y.middleCols(subsystem.dof_begin, subsystem.dof_count);
    const SparseLdlt& ldlt = *sparse_[subsystem.sparse];
    Eigen::MatrixX4d permuted = ldlt.permutationP() * part.transpose();
    ldlt.matrixL().solveInPlace(permuted);
    part = permuted.transpose();
  }
}

}  // namespace stiction
