#include "contact/subadmm_trees.h"

#include "contact/dynamics.h"

namespace stiction {

using Eigen::VectorXd;

Vector6d SlotData::wrench(int slot) const {
  Vector6d sum = Vector6d::Zero();
  for (int k = record_begin[slot]; k < record_begin[slot + 1]; ++k) {
    sum += Eigen::Map<const Vector6d>(wrenches[k].x);
  }
  return sum;
}

Vector6d SlotData::velocity(int slot) const { return Eigen::Map<const Vector6d>(x[slot].x); }

void SlotData::relax(int slot, double relaxation, const Vector6d& V) const {
  Eigen::Map<Vector6d> relaxed(x[slot].x);
  relaxed += relaxation * (V - relaxed);
}

TreeBlock::TreeBlock(const Problem& problem, const Subsystem& subsystem, bool articulated)
    : body_begin_(subsystem.body_begin),
      dof_begin_(subsystem.dof_begin),
      articulated_(articulated) {
  for (int b = 0; b < subsystem.body_count; ++b) {
    ProblemBody body = problem.bodies[body_begin_ + b];
    if (body.parent >= 0) body.parent -= body_begin_;
    body.dof_begin -= dof_begin_;
    tree_.bodies.push_back(body);
  }
  tree_.S = problem.S.middleCols(dof_begin_, subsystem.dof_count);
  tree_.D = problem.D.segment(dof_begin_, subsystem.dof_count);
  tree_.b = problem.b.segment(dof_begin_, subsystem.dof_count);
  pattern_ = make_branch_pattern(dof_parents(tree_));
  L_.resize(static_cast<int>(pattern_.col.size()));
  D_ = tree_.D;
  H_.resize(tree_.bodies.size());
  v_ = tree_.b;
  V_.setZero(6, subsystem.body_count);
  W_ = V_;
  U_.setZero(6, subsystem.dof_count);
  d_.setZero(subsystem.dof_count);
}

void TreeBlock::add_slot(int index, const Slot& slot) {
  slots_.push_back({index, slot.body >= 0 ? slot.body - body_begin_ : -1,
                    slot.body >= 0 ? -1 : slot.dofs[0] - dof_begin_});
}

bool TreeBlock::factorize(const std::vector<Matrix6d>& N) {
  for (size_t b = 0; b < H_.size(); ++b) H_[b] = tree_.bodies[b].H;
  D_.setZero();
  for (const TreeSlot& slot : slots_) {
    if (slot.body >= 0) {
      H_[slot.body] += N[slot.index];  // [TRO25] (42)
    } else {
      D_[slot.dof] += N[slot.index](0, 0);
    }
  }
  if (articulated_) return factorize_articulated(H_);
  assemble_trees(tree_, pattern_, H_, L_);  // [TRO25] (41)
  for (int d = 0; d < tree_.n(); ++d) L_[pattern_.diagonal(d)] += D_[d];
  return branch_factorize(pattern_, L_);
}

// Articulated inertias from the leaves to the root. A joint of several dofs is a chain of joints
// with massless bodies between.
bool TreeBlock::factorize_articulated(std::vector<Matrix6d>& H) {
  for (int b = static_cast<int>(tree_.bodies.size()) - 1; b >= 0; --b) {
    const ProblemBody& body = tree_.bodies[b];
    for (int d = body.dof_begin + body.dof_count - 1; d >= body.dof_begin; --d) {
      U_.col(d).noalias() = H[b] * tree_.S.col(d);
      d_[d] = tree_.S.col(d).dot(U_.col(d)) + tree_.D[d] + D_[d];
      if (!(d_[d] > 0)) return false;
      H[b].noalias() -= U_.col(d) * (U_.col(d) / d_[d]).transpose();
    }
    if (body.parent >= 0) H[body.parent] += H[b];
  }
  return true;
}

// v_ <- (A + N)^-1 (v_ + S^T W_): wrenches inwards, velocities outwards.
void TreeBlock::solve_articulated() {
  for (int b = static_cast<int>(tree_.bodies.size()) - 1; b >= 0; --b) {
    const ProblemBody& body = tree_.bodies[b];
    for (int d = body.dof_begin + body.dof_count - 1; d >= body.dof_begin; --d) {
      v_[d] += tree_.S.col(d).dot(W_.col(b));
      W_.col(b) -= U_.col(d) * (v_[d] / d_[d]);
    }
    if (body.parent >= 0) W_.col(body.parent) += W_.col(b);
  }
  for (int b = 0; b < static_cast<int>(tree_.bodies.size()); ++b) {
    const ProblemBody& body = tree_.bodies[b];
    Vector6d twist = Vector6d::Zero();
    if (body.parent >= 0) twist = V_.col(body.parent);
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      v_[d] = (v_[d] - U_.col(d).dot(twist)) / d_[d];
      twist += tree_.S.col(d) * v_[d];
    }
    V_.col(b) = twist;
  }
}

void TreeBlock::update(double relaxation, const std::vector<Matrix6d>& N, const SlotData& slots) {
  v_ = tree_.b;
  W_.setZero();
  for (const TreeSlot& slot : slots_) {
    const Vector6d sum = slots.wrench(slot.index) + N[slot.index] * slots.velocity(slot.index);
    if (slot.body >= 0) {
      W_.col(slot.body) += sum;
    } else {
      v_[slot.dof] += sum[0];
    }
  }
  if (articulated_) {
    solve_articulated();
  } else {
    add_wrenches(tree_, W_, v_);
    branch_solve(pattern_, L_, v_);
    body_twists(tree_, v_, V_);
  }
  for (const TreeSlot& slot : slots_) {
    Vector6d V = Vector6d::Zero();
    if (slot.body >= 0) {
      V = V_.col(slot.body);
    } else {
      V[0] = v_[slot.dof];
    }
    slots.relax(slot.index, relaxation, V);
  }
}

SparseBlock::SparseBlock(const Problem& problem, const Subsystem& subsystem)
    : dof_begin_(subsystem.dof_begin) {
  block_.add_sparse_block(problem.sparse_blocks[subsystem.sparse],
                          problem.b.segment(dof_begin_, subsystem.dof_count));
  block_.D = problem.D.segment(dof_begin_, subsystem.dof_count);
  v_ = block_.b;
}

void SparseBlock::add_slot(int index, const Slot& slot) {
  SparseSlot local{index, {}, slot.dof_count};
  for (int k = 0; k < slot.dof_count; ++k) local.dofs[k] = slot.dofs[k] - dof_begin_;
  slots_.push_back(local);
}

void SparseBlock::add_end(const SlotEnd& end, double weight) {
  for (const SparseSlot& slot : slots_) {
    if (slot.index != end.slot) continue;
    std::vector<int> dofs(slot.dofs.begin(), slot.dofs.begin() + slot.dof_count);
    std::vector<Eigen::Vector3d> columns;
    for (int k = 0; k < slot.dof_count; ++k) columns.push_back(end.block.col(k));
    block_.add_constraint({.type = ConstraintType::kEquality}, {block_.dof_port(dofs, columns)},
                          Eigen::Vector3d::Zero());
    weights_.push_back(weight);
  }
}

bool SparseBlock::factorize(double beta) {
  if (!matrix_) {
    matrix_ = std::make_unique<NewtonMatrix>(block_);
    D_.resize(weights_.size());
  }
  for (size_t k = 0; k < D_.size(); ++k) D_[k] = beta * weights_[k] * Eigen::Matrix3d::Identity();
  matrix_->assemble(D_);
  return matrix_->factorize(Factorization::kCholesky);
}

void SparseBlock::update(double relaxation, const std::vector<Matrix6d>& N, const SlotData& slots) {
  v_ = block_.b;
  for (const SparseSlot& slot : slots_) {
    const Vector6d sum = slots.wrench(slot.index) + N[slot.index] * slots.velocity(slot.index);
    for (int k = 0; k < slot.dof_count; ++k) v_[slot.dofs[k]] += sum[k];
  }
  matrix_->solve_in_place(v_);
  for (const SparseSlot& slot : slots_) {
    Vector6d V = Vector6d::Zero();
    for (int k = 0; k < slot.dof_count; ++k) V[k] = v_[slot.dofs[k]];
    slots.relax(slot.index, relaxation, V);
  }
}

}  // namespace stiction
