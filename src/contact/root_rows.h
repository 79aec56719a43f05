// Every constraint in the coordinates in which A is the identity. With A = F^T F and w = F v,
//
//   Z_i = J_i F^-1,   J_i v = Z_i w,   J_i A^-1 J_j^T = Z_i Z_j^T,   F A^-1 J_i^T x = Z_i^T x:
//
// one set of rows both reads the velocity of a constraint and applies its impulse. F = D^1/2 L
// comes from A = L^T D L, so of a tree Z_i only sees the joints between the constraint and the
// ground (dynamics.h), nine dofs of a quadruped's foot, where A^-1 J_i^T would see all 18.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"
#include "math/lanes.h"
#include "math/quad.h"

namespace stiction {

class RootRows {
 public:
  RootRows(const Problem& problem, const DynamicsFactor& factor);

  int count() const { return static_cast<int>(own_.size()); }
  /// Entries of w: those that F makes, a quad to spare, and zeros.
  int width() const { return whole_lanes(factor_.width() + kQuad); }
  /// w = F A^-1 (b + J^T lambda).
  void move_to(const Eigen::VectorXd& lambda, Eigen::VectorXd& w) const;
  /// Jv = Z w.
  void multiply(const Eigen::VectorXd& w, Eigen::VectorXd& Jv) const;

  /// Its quads: for each the place in w, and row by row the four entries of Z_i.
  struct Quads {
    const StoredQuad* Z;
    const int* place;
    int count;
  };
  Quads quads_of(int i) const {
    return {Z_.data() + own_[i].Z, place_.data() + own_[i].begin, quads(i)};
  }
  /// J_i v + e_i.
  Eigen::Vector3d velocity(int i, const Eigen::VectorXd& w) const {
    return own_[i].e + product(own_[i], w);
  }
  /// w += Z_i^T change.
  void add(int i, const Eigen::Vector3d& change, Eigen::VectorXd& w) const;

  /// m_i per constraint: rows / tr(W_i) (kg for a contact; 1 where J_i is zero).
  const Eigen::VectorXd& masses() const { return m_; }
  /// W_i = J_i A^-1 J_i^T, with ones for unused rows.
  Eigen::Matrix3d W(int i) const;
  /// The same with the mass of every subsystem shared out among its constraints: the part of
  /// subsystem j counts as often as there are constraints on it.
  Eigen::Matrix3d shared_W(int i) const;
  /// Quads of w that the constraint sees.
  int quads(int i) const { return own_[i].end - own_[i].begin; }
  /// The subsystems that it touches.
  template <class Visit>
  void visit_subsystems(int i, const Visit& visit) const {
    for (int k = own_[i].begin; k < own_[i].end; ++k) {
      const int j = subsystem_at(k);
      if (k == own_[i].begin || j != subsystem_at(k - 1)) visit(j);
    }
  }
  /// Writes the places of its quads, kLanes apart, and Z_i, component by component, to one lane.
  void copy_to_lane(int i, int lane, int* places, Lanes* Z) const;
  /// A quad of w that belongs to nothing.
  int spare_place() const { return factor_.width(); }

  const Eigen::Vector3d& e(int i) const { return own_[i].e; }

 private:
  struct Own {
    Eigen::Vector3d e;
    int rows;
    int begin;  ///< first of its quads' places
    int end;
    int Z;  ///< where its quads begin: row by row for each place
  };

  int subsystem_at(int place) const { return factor_.subsystem_of_quad(place_[place] / kQuad); }
  /// Its rows of Y begin at `first_row`.
  void append(const Constraint& constraint, const Eigen::Matrix4Xd& Y, int first_row,
              const std::vector<int>& slots);
  Eigen::Vector3d product(const Own& own, const Eigen::VectorXd& w) const;
  double row_product(const Own& own, const Eigen::VectorXd& w) const;
  void add_product(const Own& own, int place, double factor, Eigen::Matrix3d& W) const;

  const Problem& problem_;
  const DynamicsFactor& factor_;
  std::vector<Own> own_;    ///< per constraint
  std::vector<int> place_;  ///< of quads in w
  QuadVector Z_;
  Eigen::VectorXd m_;
  std::vector<int> constraints_on_;  ///< per subsystem
  Eigen::VectorXd w_free_;           ///< F A^-1 b
};

inline Eigen::Vector3d RootRows::product(const Own& own, const Eigen::VectorXd& w) const {
  if (own.rows == 1) return {row_product(own, w), 0, 0};
  Quad sum[3] = {};
  const StoredQuad* Z = Z_.data() + own.Z;
  for (int k = own.begin; k < own.end; ++k, Z += 3) {
    const Quad& w_k = quad_at(w.data() + place_[k]);
    for (int r = 0; r < 3; ++r) sum[r] += quad_at(Z[r].x) * w_k;
  }
  return {sum_of_quad(sum[0]), sum_of_quad(sum[1]), sum_of_quad(sum[2])};
}

inline double RootRows::row_product(const Own& own, const Eigen::VectorXd& w) const {
  Quad sum = {};
  const StoredQuad* Z = Z_.data() + own.Z;
  const int* place = place_.data();
  for (int k = own.begin; k < own.end; ++k, ++Z) {
    sum += quad_at(Z->x) * quad_at(w.data() + place[k]);
  }
  return sum_of_quad(sum);
}

inline void RootRows::add(int i, const Eigen::Vector3d& change, Eigen::VectorXd& w) const {
  const Own& own = own_[i];
  const StoredQuad* Z = Z_.data() + own.Z;
  if (own.rows == 1) {
    for (int k = own.begin; k < own.end; ++k, ++Z) {
      quad_at(w.data() + place_[k]) += change[0] * quad_at(Z->x);
    }
    return;
  }
  for (int k = own.begin; k < own.end; ++k, Z += 3) {
    Quad& w_k = quad_at(w.data() + place_[k]);
    w_k += change[0] * quad_at(Z[0].x) + change[1] * quad_at(Z[1].x) + change[2] * quad_at(Z[2].x);
  }
}

}  // namespace stiction
