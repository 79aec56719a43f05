#include "contact/newton_matrix.h"

#include <algorithm>

#include "contact/dynamics.h"
#include "linalg/front_kernels.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::VectorXd;

// Columns of a large sum that stay in the cache while all products pass over them.
constexpr int kColumnsAtOnce = 64;

}  // namespace

NewtonMatrix::NewtonMatrix(const Problem& problem)
    : groups_(make_coupling_groups(problem)), factor_(BlockPattern()) {
  analyse(problem);
  collect_singles(problem);
  fill_dynamics(problem);
}

void NewtonMatrix::collect_singles(const Problem& problem) {
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    const Constraint& constraint = problem.constraints[i];
    if (!is_on_one_dof(problem, constraint)) continue;
    const int entry = problem.ports[constraint.port_begin].entry_begin;
    const int dof = problem.port_dofs[entry];
    singles_.push_back({i, place(dof, dof), problem.port_columns[entry]});
  }
}

void NewtonMatrix::analyse(const Problem& problem) {
  const DofBlocks blocks = make_dof_blocks(problem, groups_);
  std::vector<int> sizes;
  row_of_.resize(problem.n());
  int next = 0;
  for (const std::vector<int>& dofs : blocks.dofs) {
    sizes.push_back(static_cast<int>(dofs.size()));
    for (int d : dofs) row_of_[d] = next++;
  }
  factor_ = BlockFactor(BlockPattern(sizes, blocks.couplings));
  x_.resize(problem.n());
  Eigen::Index columns = 0;
  Eigen::Index local = 0;
  Eigen::Index mapped = 0;
  for (const CouplingGroup& group : groups_) {
    Target target;
    target.Pt = group.P.transpose();
    target.offset.reserve(group.dofs.size() * group.dofs.size());
    for (int column : group.dofs) {
      for (int row : group.dofs) target.offset.push_back(place(row, column));
    }
    targets_.push_back(std::move(target));
    columns = std::max(columns, group.Jt.size());
    local = std::max(local, group.Jt.rows() * group.Jt.rows());
    const auto dofs = static_cast<Eigen::Index>(group.dofs.size());
    mapped = std::max({mapped, group.P.size(), dofs * dofs});
  }
  Jt_.resize(columns);
  JtDt_.resize(columns);
  sum_.resize(std::max(local, mapped));
  mapped_.resize(mapped);
}

int NewtonMatrix::place(int row_dof, int column_dof) const {
  return static_cast<int>(factor_.pattern().offset(row_of_[row_dof], row_of_[column_dof]));
}

void NewtonMatrix::fill_dynamics(const Problem& problem) {
  A_ = VectorXd::Zero(factor_.values().size());
  const BranchPattern branches = make_branch_pattern(dof_parents(problem));
  std::vector<Matrix6d> H;
  for (const ProblemBody& body : problem.bodies) H.push_back(body.H);
  VectorXd values(static_cast<int>(branches.col.size()));
  assemble_trees(problem, branches, H, values);
  for (const Subsystem& subsystem : problem.subsystems) {
    const int begin = subsystem.dof_begin;
    for (int d = begin; d < begin + subsystem.dof_count; ++d) {
      if (subsystem.sparse >= 0) {
        A_[place(d, d)] += problem.D[d];
        const auto& A = problem.sparse_blocks[subsystem.sparse];
        for (Eigen::SparseMatrix<double>::InnerIterator it(A, d - begin); it; ++it) {
          A_[place(begin + static_cast<int>(it.row()), d)] += it.value();
        }
      } else {
        for (int k = branches.row_begin[d]; k <= branches.diagonal(d); ++k) {
          A_[place(d, branches.col[k])] = values[k];
          A_[place(branches.col[k], d)] = values[k];
        }
      }
    }
  }
}

void NewtonMatrix::assemble(const std::vector<Matrix3d>& D) {
  factor_.values() = A_;
  for (size_t g = 0; g < groups_.size(); ++g) add_group(groups_[g], targets_[g], D);
  for (const Single& single : singles_) {
    factor_.values()[single.place] += single.column.dot(D[single.constraint] * single.column);
  }
}

// sum = sum_i J_i^T D_i J_i over the constraints that act, in local coordinates; then P^T sum P.
void NewtonMatrix::add_group(const CouplingGroup& group, const Target& target,
                             const std::vector<Matrix3d>& D) {
  const int locals = static_cast<int>(group.Jt.rows());
  const int dofs = static_cast<int>(group.dofs.size());
  int columns = 0;
  for (size_t k = 0; k < group.constraints.size(); ++k) {
    const Matrix3d& Di = D[group.constraints[k]];
    if (Di.isZero(0)) continue;
    const double* from = group.Jt.data() + 3 * static_cast<Eigen::Index>(k) * locals;
    double* Jt = Jt_.data() + static_cast<Eigen::Index>(columns) * locals;
    double* JtDt = JtDt_.data() + static_cast<Eigen::Index>(columns) * locals;
    for (int i = 0; i < locals; ++i) {
      const double j0 = from[i];
      const double j1 = from[i + locals];
      const double j2 = from[i + 2 * locals];
      Jt[i] = j0;
      Jt[i + locals] = j1;
      Jt[i + 2 * locals] = j2;
      JtDt[i] = -(j0 * Di(0, 0) + j1 * Di(0, 1) + j2 * Di(0, 2));
      JtDt[i + locals] = -(j0 * Di(1, 0) + j1 * Di(1, 1) + j2 * Di(1, 2));
      JtDt[i + 2 * locals] = -(j0 * Di(2, 0) + j1 * Di(2, 1) + j2 * Di(2, 2));
    }
    columns += 3;
  }
  if (columns == 0) return;
  std::fill_n(sum_.data(), locals * locals, 0.0);
  for (int j = 0; j < locals; j += kColumnsAtOnce) {
    subtract_product(locals, std::min(kColumnsAtOnce, locals - j), columns, Jt_.data(), locals,
                     JtDt_.data() + j, locals, 1,
                     sum_.data() + static_cast<Eigen::Index>(j) * locals, locals);
  }
  if (group.P.size() > 0) {
    std::fill_n(mapped_.data(), locals * dofs, 0.0);
    subtract_product(locals, dofs, locals, sum_.data(), locals, group.P.data(), 1, locals,
                     mapped_.data(), locals);
    std::fill_n(sum_.data(), dofs * dofs, 0.0);
    subtract_product(dofs, dofs, locals, target.Pt.data(), dofs, mapped_.data(), 1, locals,
                     sum_.data(), dofs);
  }
  double* values = factor_.values().data();
  for (int k = 0; k < dofs * dofs; ++k) values[target.offset[k]] += sum_[k];
}

void NewtonMatrix::solve_in_place(VectorXd& x) {
  const BlockPattern& pattern = factor_.pattern();
  for (int d = 0; d < x.size(); ++d) x_[pattern.position(row_of_[d])] = x[d];
  factor_.solve_in_place(x_);
  for (int d = 0; d < x.size(); ++d) x[d] = x_[pattern.position(row_of_[d])];
}

}  // namespace stiction
