// The matrix of every Newton-type solver,
//
//   K = A + sum_i J_i^T D_i J_i,   D_i = beta_i dT/ds (3 x 3)                       [TRO25] (25)
//
// assembled straight into the fronts of a block-sparse factorization. The sparsity is analysed once
// per problem; assembling, factorizing and solving allocate nothing. With symmetric positive
// semidefinite D_i use Cholesky; the derivative of the strict operator is not symmetric: use LU.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/coupling.h"
#include "linalg/block_factor.h"

namespace stiction {

class NewtonMatrix {
 public:
  explicit NewtonMatrix(const Problem& problem);

  /// D has one matrix per constraint; rows and columns beyond the constraint's own must be zero.
  void assemble(const std::vector<Eigen::Matrix3d>& D);
  /// Factorizes what was assembled; false if a pivot broke down.
  bool factorize(Factorization kind) { return factor_.factorize(kind); }
  /// x <- K^-1 x, x of size n in the order of v.
  void solve_in_place(Eigen::VectorXd& x);

 private:
  /// One group's constant data beside its Jacobians.
  struct Target {
    Eigen::MatrixXd Pt;       ///< transposed P
    std::vector<int> offset;  ///< dofs x dofs, column-major: where the group's sum goes
  };

  /// A constraint on one dof: its J is one column.
  struct Single {
    int constraint = 0;
    int place = 0;  ///< of the dof's diagonal entry
    Eigen::Vector3d column = Eigen::Vector3d::Zero();
  };

  void analyse(const Problem& problem);
  void collect_singles(const Problem& problem);
  void fill_dynamics(const Problem& problem);
  void add_group(const CouplingGroup& group, const Target& target,
                 const std::vector<Eigen::Matrix3d>& D);
  int place(int row_dof, int column_dof) const;

  std::vector<CouplingGroup> groups_;
  std::vector<Target> targets_;
  std::vector<Single> singles_;
  std::vector<int> row_of_;  ///< row of a dof in the pattern
  BlockFactor factor_;
  Eigen::VectorXd A_;  ///< values of A alone, the start of every assembly
  // Scratch
  Eigen::VectorXd x_;
  Eigen::VectorXd Jt_;      ///< columns of the constraints with D_i != 0
  Eigen::VectorXd JtDt_;    ///< -J_i^T D_i^T for them
  Eigen::VectorXd sum_;     ///< the group's sum in local coordinates
  Eigen::VectorXd mapped_;  ///< -sum P
};

}  // namespace stiction
