// The constraint half of SubADMM, several constraints at a time.
//
// The iteration of [TRO25] VI-B needs z_ij, u_ij and y_ij per end. All follow from one vector x per
// slot (the relaxed velocity) and one vector tau_i per constraint, because u_ij = -lambda_i, (40):
//
//   z_ij = J_ij x_j + (tau_i + lambda_i) / beta_ij,      y_ij = beta_ij J_ij x_j + tau_i
//   lambda_i = T(-rho_i (sum_j J_ij x_j + e_i) - tau_i),  rho_i = 1 / sum_j (1 / beta_ij) (37)-(39)
//   q_i = tau_i + 2 lambda_i  = beta_ij z_ij - u_ij - beta_ij J_ij x_j, what (35) needs of z and u
//   tau_i <- (1 - a)(tau_i + lambda_i) - lambda_i,       a = relaxation, 1 in the paper
//
// Most contacts are between points of two bodies: J_i1 = R [I, -[p_1]], J_i2 = -R [I, -[p_2]],
// (45). Such packs keep R and p, less than half of what two 3x6 blocks take.
//
// With one beta, rho_i = beta / |Z_i|. The wrenches J_ij^T q_i are written to a row of their own,
// sorted by slot: the other half adds them up in a fixed order, so that results do not depend on
// the number of threads.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/subadmm_split.h"
#include "math/lanes.h"

namespace stiction {

/// N s: tau + lambda below it is zero. That of an open contact falls by |1 - a| in every iteration,
/// and arithmetic with numbers, or squares, that are not normal takes a hundred times as long.
constexpr double kVanished = 1e-150;

class ConstraintPacks {
 public:
  ConstraintPacks(const Problem& problem, const SplitProblem& split, int threads);

  /// Rows of `wrenches` that belong to slot s: record_begin()[s] .. record_begin()[s + 1].
  const std::vector<int>& record_begin() const { return record_begin_; }
  std::vector<Row6> make_wrenches() const;
  std::vector<Row6> make_slots() const;  ///< one row per slot, and one for unused lanes

  void set_rho(const Eigen::VectorXd& rho);  ///< per constraint

  /// Starts at u = -lambda and z = J x.
  void set_lambda(const Eigen::VectorXd& lambda);
  void get_lambda(Eigen::VectorXd& lambda) const { unpack(lambda_, lambda); }
  void get_tau(Eigen::VectorXd& tau) const { unpack(tau_, tau); }

  /// lambda, z and u from x, and the wrenches for the next v: (36)-(40).
  void update(double relaxation, const std::vector<Row6>& x, std::vector<Row6>& wrenches);
  /// wrenches = J^T q.
  void write_q(std::vector<Row6>& wrenches) const;
  /// Jv = sum of J_ij x_j.
  void velocities(const std::vector<Row6>& x, Eigen::VectorXd& Jv) const;

  std::vector<Lanes>& tau() { return tau_; }  ///< three per pack
  const std::vector<Lanes>& tau() const { return tau_; }
  int pack_count() const { return static_cast<int>(packs_.size()); }

 private:
  struct Pack {
    int constraint[kLanes];  ///< -1 for an unused lane
    int ends;                ///< of each of its constraints
    int block_begin;         ///< of blocks_: 18 per end
    int place_begin;         ///< of slots_ and records_: kLanes per end
    bool all_contacts;
    bool all_points;  ///< blocks_ holds R and one p per end instead of J_ij
  };
  /// J_i1 = R [I, -[p_1]] and J_i2 = -R [I, -[p_2]], to round-off, if it holds.
  struct PointContact {
    bool holds = false;
    Eigen::Matrix3d R;
    Eigen::Vector3d p[2];
  };
  static PointContact as_point_contact(const Problem& problem, const SplitProblem& split, int i);
  /// Lanes of a pack share their number of ends, and whether they are contacts, and of points.
  void append_pack(const Problem& problem, const SplitProblem& split,
                   const std::vector<int>& constraints, const std::vector<PointContact>& points,
                   std::vector<int>& next_record);
  void unpack(const std::vector<Lanes>& packed, Eigen::VectorXd& rows) const;
  void relative_velocity(const Pack& pack, const std::vector<Row6>& x, Lanes c[3]) const;
  void write_wrench(const Pack& pack, const Lanes q[3], std::vector<Row6>& wrenches) const;
  void point_velocity(const Pack& pack, const std::vector<Row6>& x, Lanes c[3]) const;
  void write_point_wrench(const Pack& pack, const Lanes q[3], std::vector<Row6>& wrenches) const;
  void apply_operators(int p, const Lanes s[3], Lanes lambda[3]) const;
  void lambda_star(int p, const std::vector<Row6>& x, Lanes s[3]) const;
  void update_pack(int p, double relaxation, const Lanes s[3], Lanes q[3]);

  const Problem& problem_;
  int threads_;
  std::vector<Pack> packs_;
  std::vector<Lanes> blocks_;                       ///< J_ij, row by row
  std::vector<int> slots_;                          ///< of every lane's end
  std::vector<int> records_;                        ///< where its wrench goes
  std::vector<Lanes> e_, mu_, rho_, tau_, lambda_;  ///< mu, rho: one per pack, others three
  std::vector<int> record_begin_;
  int record_count_ = 0;  ///< unused lanes have records too, behind all others
};

}  // namespace stiction
