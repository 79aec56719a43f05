#include "contact/root_rows.h"

#include <algorithm>

#include "contact/jacobian.h"

namespace stiction {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

void set_unused_rows(Matrix3d& W) {
  for (int r = 0; r < 3; ++r) {
    if (W(r, r) == 0) W(r, r) = 1;
  }
}

}  // namespace

RootRows::RootRows(const Problem& problem, const DynamicsFactor& factor)
    : problem_(problem),
      factor_(factor),
      m_(problem.constraints.size()),
      constraints_on_(problem.subsystems.size(), 0),
      w_free_(factor.width()) {
  const size_t count = problem.constraints.size();
  own_.reserve(count);
  place_.reserve(4 * count);
  Z_.reserve(8 * count);
  Eigen::Matrix4Xd Y = Eigen::Matrix4Xd::Zero(4, problem.n());
  std::vector<int> slots;
  slots.reserve(problem.n());
  for (int i = 0; i < static_cast<int>(count);) {
    const int together = std::max(1, factor.rows_on_a_branch(i));
    if (together > 1) {
      factor.root_columns_on_a_branch(i, together, Y, slots);
    } else {
      factor.root_columns(problem.constraints[i], Y, slots);
    }
    for (int k = 0; k < together; ++k) append(problem.constraints[i + k], Y, k, slots);
    for (const int slot : slots) Y.col(slot).setZero();
    i += together;
  }
  factor.to_root(problem.b, w_free_);
  w_free_.conservativeResizeLike(VectorXd::Zero(width()));
}

// Slots come in the order of their places, from the leaves to the root; quads of zeros are left
// out. m_i = rows / tr(Z_i Z_i^T).
void RootRows::append(const Constraint& constraint, const Eigen::Matrix4Xd& Y, int first_row,
                      const std::vector<int>& slots) {
  const int rows = constraint.rows;
  Own own{rows_of(constraint, problem_.e), rows, static_cast<int>(place_.size()), 0,
          static_cast<int>(Z_.size())};
  Z_.resize(Z_.size() + rows * slots.size());  // at most a quad for each
  StoredQuad* next = &Z_[own.Z];
  StoredQuad* quads = nullptr;
  double trace = 0;
  int last = -1;
  int last_subsystem = -1;
  for (const int slot : slots) {
    const double* const z = &Y(first_row, slot);
    const double square = rows == 1 ? z[0] * z[0] : z[0] * z[0] + z[1] * z[1] + z[2] * z[2];
    if (square == 0) continue;
    trace += square;
    const int at = factor_.place(slot);
    if (at / kQuad != last) {
      last = at / kQuad;
      const int subsystem = factor_.subsystem_of_quad(last);
      if (subsystem != last_subsystem) ++constraints_on_[subsystem];
      last_subsystem = subsystem;
      place_.push_back(last * kQuad);
      quads = next;
      next += rows;
    }
    const int lane = at % kQuad;
    quads[0].x[lane] = z[0];
    if (rows == 1) continue;
    quads[1].x[lane] = z[1];
    quads[2].x[lane] = z[2];
  }
  Z_.resize(next - Z_.data());
  own.end = static_cast<int>(place_.size());
  m_[count()] = trace > 0 ? rows / trace : 1;
  own_.push_back(own);
}

void RootRows::move_to(const VectorXd& lambda, VectorXd& w) const {
  w = w_free_;
  for (int i = 0; i < count(); ++i) {
    const Vector3d lambda_i = rows_of(problem_.constraints[i], lambda);
    if (!lambda_i.isZero(0)) add(i, lambda_i, w);
  }
}

void RootRows::multiply(const VectorXd& w, VectorXd& Jv) const {
  for (int i = 0; i < count(); ++i) set_rows(problem_.constraints[i], product(own_[i], w), Jv);
}

void RootRows::add_product(const Own& own, int place, double factor, Matrix3d& W) const {
  const StoredQuad* Z = Z_.data() + own.Z + (place - own.begin) * own.rows;
  for (int r = 0; r < own.rows; ++r) {
    for (int c = 0; c <= r; ++c) {
      W(r, c) += factor * sum_of_quad(quad_at(Z[r].x) * quad_at(Z[c].x));
      W(c, r) = W(r, c);
    }
  }
}

Matrix3d RootRows::W(int i) const {
  const Own& own = own_[i];
  Matrix3d W = Matrix3d::Zero();
  for (int k = own.begin; k < own.end; ++k) add_product(own, k, 1, W);
  set_unused_rows(W);
  return W;
}

Matrix3d RootRows::shared_W(int i) const {
  const Own& own = own_[i];
  Matrix3d W = Matrix3d::Zero();
  for (int k = own.begin; k < own.end; ++k) {
    add_product(own, k, constraints_on_[subsystem_at(k)], W);
  }
  set_unused_rows(W);
  return W;
}

void RootRows::copy_to_lane(int i, int lane, int* places, Lanes* Z) const {
  const Own& own = own_[i];
  const StoredQuad* quads = Z_.data() + own.Z;
  for (int k = own.begin; k < own.end; ++k, quads += own.rows, places += kLanes) {
    places[lane] = place_[k];
    for (int c = 0; c < kQuad; ++c, Z += own.rows) {
      for (int r = 0; r < own.rows; ++r) Z[r][lane] = quads[r].x[c];
    }
  }
}

}  // namespace stiction
