// A by subsystem: assembled by composite bodies, factorized, and solved with. Also its root,
// A = F^T F with F = D^1/2 L from A = L^T D L, and w = F v, the coordinates in which A is the
// identity (root_rows.h).
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <memory>
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

class DynamicsFactor {
 public:
  /// Factorizes A. `ok()` is false if some block is not positive definite.
  explicit DynamicsFactor(const Problem& problem);
  /// Again, after S, H, D or sparse blocks of the problem have changed.
  void factorize();
  /// That of a part: its subsystem k is number subsystems[k] of the whole.
  DynamicsFactor(const Problem& part, const DynamicsFactor& whole,
                 const std::vector<int>& subsystems);

  bool ok() const { return failed_subsystem_ < 0; }
  int failed_subsystem() const { return failed_subsystem_; }

  /// x <- A^-1 x.
  void solve_in_place(Eigen::VectorXd& x) const;

  /// Entries of w. The slots of w are the dofs, or what elimination makes of them in sparse blocks;
  /// each stands at its place in w, so that branches of trees begin at whole quads (math/quad.h).
  int width() const { return width_; }
  int place(int slot) const { return place_[slot]; }
  /// The subsystem whose slots stand in the quad.
  int subsystem_of_quad(int quad) const { return subsystem_of_quad_[quad]; }
  /// w = F^-T x.
  void to_root(const Eigen::VectorXd& x, Eigen::VectorXd& w) const;
  /// v = F^-1 w.
  void from_root(const Eigen::VectorXd& w, Eigen::VectorXd& v) const;
  /// F^-T J_i^T by rows, in the columns `slots` of Y, which is zero elsewhere and comes as zero.
  /// The slots of a tree fall from the leaves to its root. Y has a row to spare.
  void root_columns(const Constraint& constraint, Eigen::Matrix4Xd& Y,
                    std::vector<int>& slots) const;
  /// How many constraints from i on, at most kQuad, are rows on single dofs, each further out on
  /// one branch: their columns can be found together.
  int rows_on_a_branch(int i) const;
  /// The same for these rows, the first of which is i.
  void root_columns_on_a_branch(int i, int count, Eigen::Matrix4Xd& Y,
                                std::vector<int>& slots) const;

 private:
  using SparseLdlt = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

  void place_slots(const std::vector<int>& parents);
  void factorize_sparse();
  int only_dof(const Constraint& constraint) const;
  void eliminate(Eigen::Matrix4Xd& Y, const std::vector<int>& slots) const;
  void gather_jacobian(const Constraint& constraint, Eigen::Matrix4Xd& Y,
                       std::vector<int>& slots) const;
  void eliminate_sparse(Eigen::Matrix4Xd& Y, std::vector<int>& slots) const;

  const Problem& problem_;
  BranchPattern pattern_;
  std::vector<Matrix6d> composite_;  ///< scratch, per body
  Eigen::VectorXd L_;
  Eigen::VectorXd over_root_D_;                            ///< D^-1/2 by slot
  std::vector<std::shared_ptr<const SparseLdlt>> sparse_;  ///< shared with the whole
  std::vector<int> place_;                                 ///< by slot
  std::vector<int> subsystem_of_quad_;
  int width_ = 0;
  int failed_subsystem_ = -1;
};

}  // namespace stiction
