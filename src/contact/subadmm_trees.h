// The subsystem half of SubADMM, (35), for trees and for sparse blocks:
//
//   (A + N) v = b + N x + sum of J^T q,   N = sum_i beta_i J_i^T J_i per slot
//
// A tree keeps its sparsity: contacts are virtual inertia of the bodies they touch, (42), so A + N
// is assembled by composite bodies and factorized along the branches, or never assembled and solved
// by the articulated-body algorithm ([TRO25] Remark 1).
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "contact/jacobian.h"
#include "contact/newton_matrix.h"
#include "contact/subadmm_split.h"
#include "linalg/branch_ldl.h"
#include "math/lanes.h"

namespace stiction {

/// The wrenches and velocities of slots, as the constraint half leaves and takes them.
struct SlotData {
  const std::vector<int>& record_begin;
  const std::vector<Row6>& wrenches;
  std::vector<Row6>& x;

  Vector6d wrench(int slot) const;  ///< sum of the slot's records, in their order
  Vector6d velocity(int slot) const;
  void relax(int slot, double relaxation, const Vector6d& V) const;  ///< x += a (V - x)
};

class TreeBlock {
 public:
  TreeBlock(const Problem& problem, const Subsystem& subsystem, bool articulated);

  void add_slot(int index, const Slot& slot);
  bool factorize(const std::vector<Matrix6d>& N);
  void update(double relaxation, const std::vector<Matrix6d>& N, const SlotData& slots);

 private:
  struct TreeSlot {
    int index;  ///< of all slots
    int body;   ///< of tree_, or -1
    int dof;    ///< of tree_, for slots on a dof
  };

  bool factorize_articulated(std::vector<Matrix6d>& H);
  void solve_articulated();

  Problem tree_;  ///< this subsystem alone, without constraints
  int body_begin_;
  int dof_begin_;
  bool articulated_;
  std::vector<TreeSlot> slots_;
  BranchPattern pattern_;
  Eigen::VectorXd L_;
  Eigen::VectorXd D_;  ///< of tree_, with the slots on dofs
  std::vector<Matrix6d> H_;
  Eigen::VectorXd v_;
  Matrix6Xd V_;
  Matrix6Xd W_;
  Matrix6Xd U_;        ///< articulated: I^A S per dof
  Eigen::VectorXd d_;  ///< articulated: S^T I^A S + D per dof
};

/// Its matrix is factorized by the block Cholesky of linalg/.
class SparseBlock {
 public:
  SparseBlock(const Problem& problem, const Subsystem& subsystem);

  void add_slot(int index, const Slot& slot);
  /// After all slots, every end on them with its constraint's weight.
  void add_end(const SlotEnd& end, double weight);
  bool factorize(double beta);
  void update(double relaxation, const std::vector<Matrix6d>& N, const SlotData& slots);

 private:
  struct SparseSlot {
    int index;
    std::array<int, 6> dofs;
    int dof_count;
  };

  Problem block_;  ///< this subsystem alone, with one constraint per end
  int dof_begin_;
  std::vector<SparseSlot> slots_;
  std::vector<double> weights_;
  std::vector<Eigen::Matrix3d> D_;
  std::unique_ptr<NewtonMatrix> matrix_;
  Eigen::VectorXd v_;
};

}  // namespace stiction
