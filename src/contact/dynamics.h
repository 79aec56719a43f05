// A by subsystem: assembled by composite bodies, factorized, and solved with. Also the effective
// masses that make every solver indifferent to the scale of the problem,
//
//   m_i = rows / tr(J_i A^-1 J_i^T)   (kg for a contact; 1 where J_i is zero).
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <vector>

#include "contact/jacobian.h"
#include "linalg/branch_ldl.h"

namespace stiction {

/// Composite bodies: values of sum_b J_b^T (H_b) J_b + diag(D) on the branch pattern of all trees.
/// `H` holds one 6x6 block per body and is overwritten by the composites.
void assemble_trees(const Problem& problem, const BranchPattern& pattern, std::vector<Matrix6d>& H,
                    Eigen::VectorXd& values);

/// parent dof of each dof along its tree, -1 at roots and for sparse blocks.
std::vector<int> dof_parents(const Problem& problem);

/// Rows of `dofs` numbers, with zeros up to a whole vector of the machine.
int padded_width(int dofs);

class DynamicsFactor {
 public:
  /// Factorizes A. `ok()` is false if some block is not positive definite.
  explicit DynamicsFactor(const Problem& problem);

  bool ok() const { return failed_subsystem_ < 0; }
  int failed_subsystem() const { return failed_subsystem_; }

  /// x <- A^-1 x.
  void solve_in_place(Eigen::VectorXd& x) const;
  /// The same for the dofs of one subsystem alone.
  void solve_subsystem_in_place(int subsystem, Eigen::VectorXd& x) const;

  /// A^-1 of one subsystem by rows `padded_width` apart, or nothing if it is too large for that.
  const double* inverse(int subsystem) const {
    return inverse_begin_[subsystem] < 0 ? nullptr : inverse_.data() + inverse_begin_[subsystem];
  }

  /// m_i per constraint.
  Eigen::VectorXd effective_masses() const;

 private:
  using SparseLdlt = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

  void invert_small_trees();
  double port_trace(const Port& port, int subsystem) const;
  void gather_jacobian(const Constraint& constraint, Eigen::Matrix3Xd& Y,
                       std::vector<int>& dofs) const;
  double delassus_trace(const Constraint& constraint, Eigen::Matrix3Xd& Y,
                        std::vector<int>& dofs) const;

  const Problem& problem_;
  BranchPattern pattern_;
  Eigen::VectorXd L_;
  std::vector<double> inverse_;
  std::vector<int> inverse_begin_;  ///< per subsystem, -1 for those without
  std::vector<SparseLdlt> sparse_;
  std::vector<int> sparse_of_dof_;
  std::vector<int> sparse_dof_begin_;
  int failed_subsystem_ = -1;
};

}  // namespace stiction
