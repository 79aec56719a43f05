#include "contact/dynamics.h"

#include <algorithm>
#include <functional>

#include "contact/subsystem_of.h"
#include "linalg/lanes.h"

namespace stiction {
namespace {

constexpr int kLargestInverse = 48;  // dofs; a product with it still beats a solve with the factors

}  // namespace

using Eigen::VectorXd;

int padded_width(int dofs) { return (dofs + kLanes - 1) / kLanes * kLanes; }

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

DynamicsFactor::DynamicsFactor(const Problem& problem)
    : problem_(problem), pattern_(make_branch_pattern(dof_parents(problem))) {
  std::vector<Matrix6d> H(problem.bodies.size());
  for (size_t b = 0; b < H.size(); ++b) H[b] = problem.bodies[b].H;
  L_.resize(static_cast<int>(pattern_.col.size()));
  assemble_trees(problem, pattern_, H, L_);
  sparse_ = std::vector<SparseLdlt>(problem.sparse_blocks.size());
  sparse_of_dof_.assign(problem.n(), -1);
  sparse_dof_begin_.assign(problem.sparse_blocks.size(), 0);
  for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    if (subsystem.sparse < 0) continue;
    sparse_dof_begin_[subsystem.sparse] = subsystem.dof_begin;
    for (int d = 0; d < subsystem.dof_count; ++d) {
      L_[pattern_.diagonal(subsystem.dof_begin + d)] = 1;
      sparse_of_dof_[subsystem.dof_begin + d] = subsystem.sparse;
    }
    Eigen::SparseMatrix<double> A = problem.sparse_blocks[subsystem.sparse];
    A.diagonal() += problem.D.segment(subsystem.dof_begin, subsystem.dof_count);
    SparseLdlt& ldlt = sparse_[subsystem.sparse];
    ldlt.compute(A);
    if (ldlt.info() != Eigen::Success || !(ldlt.vectorD().minCoeff() > 0)) failed_subsystem_ = j;
  }
  if (!branch_factorize(pattern_, L_)) {
    for (int j = static_cast<int>(problem.subsystems.size()) - 1; j >= 0; --j) {
      const Subsystem& subsystem = problem.subsystems[j];
      for (int d = subsystem.dof_begin; d < subsystem.dof_begin + subsystem.dof_count; ++d) {
        if (!(L_[pattern_.diagonal(d)] > 0)) failed_subsystem_ = j;
      }
    }
  }
  invert_small_trees();
}

void DynamicsFactor::invert_small_trees() {
  inverse_begin_.assign(problem_.subsystems.size(), -1);
  int size = 0;
  for (size_t j = 0; j < inverse_begin_.size(); ++j) {
    const Subsystem& subsystem = problem_.subsystems[j];
    if (subsystem.sparse >= 0 || subsystem.dof_count > kLargestInverse) continue;
    inverse_begin_[j] = size;
    size += subsystem.dof_count * padded_width(subsystem.dof_count);
  }
  inverse_.resize(size);
  for (size_t j = 0; j < inverse_begin_.size(); ++j) {
    if (inverse_begin_[j] < 0) continue;
    const Subsystem& subsystem = problem_.subsystems[j];
    branch_invert_rows(pattern_, L_, subsystem.dof_begin, subsystem.dof_begin + subsystem.dof_count,
                       padded_width(subsystem.dof_count), inverse_.data() + inverse_begin_[j]);
  }
}

void DynamicsFactor::solve_in_place(VectorXd& x) const {
  branch_solve(pattern_, L_, x);
  for (int j = 0; j < static_cast<int>(problem_.subsystems.size()); ++j) {
    if (problem_.subsystems[j].sparse >= 0) solve_subsystem_in_place(j, x);
  }
}

void DynamicsFactor::solve_subsystem_in_place(int j, VectorXd& x) const {
  const Subsystem& subsystem = problem_.subsystems[j];
  auto part = x.segment(subsystem.dof_begin, subsystem.dof_count);
  if (subsystem.sparse < 0) {
    branch_solve_rows(pattern_, L_, subsystem.dof_begin, subsystem.dof_begin + subsystem.dof_count,
                      x);
  } else {
    part = sparse_[subsystem.sparse].solve(part).eval();
  }
}

// With A = L^T D L and Y = L^-T J_i^T, tr(J_i A^-1 J_i^T) = |D^-1/2 Y|^2, and Y lives on the dofs
// that the constraint's ports see, their ancestors included. Y comes and goes as zero.
double DynamicsFactor::delassus_trace(const Constraint& constraint, Eigen::Matrix3Xd& Y,
                                      std::vector<int>& dofs) const {
  gather_jacobian(constraint, Y, dofs);
  std::sort(dofs.begin(), dofs.end(), std::greater<int>());
  dofs.erase(std::unique(dofs.begin(), dofs.end()), dofs.end());
  double trace = 0;
  for (size_t k = 0; k < dofs.size();) {
    const int block = sparse_of_dof_[dofs[k]];
    if (block >= 0) {
      Eigen::MatrixX3d rows = Eigen::MatrixX3d::Zero(problem_.sparse_blocks[block].rows(), 3);
      for (; k < dofs.size() && sparse_of_dof_[dofs[k]] == block; ++k) {
        rows.row(dofs[k] - sparse_dof_begin_[block]) = Y.col(dofs[k]).transpose();
      }
      trace += rows.cwiseProduct(sparse_[block].solve(rows)).sum();
      continue;
    }
    const int d = dofs[k++];
    for (int a = pattern_.row_begin[d]; a < pattern_.diagonal(d); ++a) {
      Y.col(pattern_.col[a]) -= L_[a] * Y.col(d);
    }
    trace += Y.col(d).squaredNorm() / L_[pattern_.diagonal(d)];
  }
  for (int d : dofs) Y.col(d).setZero();
  return trace;
}

// Columns of J_i on the dofs that it sees; `dofs` may repeat.
void DynamicsFactor::gather_jacobian(const Constraint& constraint, Eigen::Matrix3Xd& Y,
                                     std::vector<int>& dofs) const {
  dofs.clear();
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem_.ports[constraint.port_begin + p];
    for (int b = port.body; b >= 0; b = problem_.bodies[b].parent) {
      const ProblemBody& body = problem_.bodies[b];
      for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
        dofs.push_back(d);
        Y.col(d) += port.block * problem_.S.col(d);
      }
    }
    for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
      const int dof = problem_.port_dofs[k];
      Y.col(dof) += problem_.port_columns[k];
      for (int a = pattern_.row_begin[dof]; a <= pattern_.diagonal(dof); ++a) {
        dofs.push_back(pattern_.col[a]);
      }
    }
  }
}

// tr(J A^-1 J^T) of one port, by the inverse of its tree; -1 where that is not at hand.
double DynamicsFactor::port_trace(const Port& port, int j) const {
  const double* A_inverse = inverse(j);
  if (A_inverse == nullptr) return -1;
  const Subsystem& subsystem = problem_.subsystems[j];
  const int width = padded_width(subsystem.dof_count);
  if (port.body < 0) {
    const int d = problem_.port_dofs[port.entry_begin] - subsystem.dof_begin;
    return A_inverse[d * width + d] * problem_.port_columns[port.entry_begin].squaredNorm();
  }
  Eigen::Vector3d J[kLargestInverse];
  int at[kLargestInverse];  // dof within the tree
  int count = 0;
  for (int b = port.body; b >= 0; b = problem_.bodies[b].parent) {
    const ProblemBody& body = problem_.bodies[b];
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d, ++count) {
      J[count] = port.block * problem_.S.col(d);
      at[count] = d - subsystem.dof_begin;
    }
  }
  double trace = 0;
  for (int k = 0; k < count; ++k) {
    const double* row = A_inverse + at[k] * width;
    Eigen::Vector3d sum = 0.5 * row[at[k]] * J[k];
    for (int l = 0; l < k; ++l) sum += row[at[l]] * J[l];
    trace += 2 * J[k].dot(sum);
  }
  return trace;
}

VectorXd DynamicsFactor::effective_masses() const {
  const SubsystemOf subsystem_of(problem_);
  // Ports on different trees add up; -1 if the inverses do not tell.
  const auto sum_of_ports = [&](const Constraint& constraint) {
    double sum = 0;
    int first = -1;
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem_.ports[constraint.port_begin + p];
      if (port.body < 0 && port.entry_count != 1) return -1.0;
      const int j = port.body >= 0 ? subsystem_of.body[port.body]
                                   : subsystem_of.dof[problem_.port_dofs[port.entry_begin]];
      const double trace = j == first || p > 1 ? -1 : port_trace(port, j);
      if (trace < 0) return -1.0;
      sum += trace;
      first = j;
    }
    return sum;
  };
  Eigen::Matrix3Xd Y = Eigen::Matrix3Xd::Zero(3, problem_.n());
  std::vector<int> dofs;
  VectorXd m(static_cast<int>(problem_.constraints.size()));
  for (int i = 0; i < m.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    double trace = sum_of_ports(constraint);
    if (trace < 0) trace = delassus_trace(constraint, Y, dofs);
    m[i] = trace > 0 ? constraint.rows / trace : 1;
  }
  return m;
}

}  // namespace stiction
