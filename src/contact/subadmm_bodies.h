// The subsystem half of SubADMM, (35), for free bodies: subsystems of one body with six dofs,
// several at a time. In twists,
//
//   (H + N) V = b + N x + sum of wrenches,   N = sum_i beta_i J_i^T J_i        [TRO25] (35), (42)
//
// with the inverse of H + N stored; x <- x + a (V - x), a = relaxation.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "math/lanes.h"

namespace stiction {

/// Rows of a symmetric 6x6 matrix, lower triangle: entry (i, j), j <= i, is at i (i + 1) / 2 + j.
struct SymmetricLanes {
  Lanes entry[21];
};

/// inverse = M^-1 on all lanes; false if a lane is not positive definite.
bool invert(const SymmetricLanes& M, SymmetricLanes& inverse);

class BodyPacks {
 public:
  explicit BodyPacks(int spare_slot) : spare_slot_(spare_slot) {}

  void reserve(int bodies);
  /// False, and nothing added, if the subsystem cannot be treated here.
  bool add(const Problem& problem, const Subsystem& subsystem, int slot);

  int count() const { return static_cast<int>(packs_.size()); }
  /// Takes N of every slot; false if H + N is not positive definite.
  bool factorize(const std::vector<Eigen::Matrix<double, 6, 6>>& N, int pack);
  /// (35) for one pack of bodies; records of slot s are record_begin[s] .. record_begin[s + 1].
  void update(int pack, double relaxation, const std::vector<int>& record_begin,
              const std::vector<Row6>& wrenches, std::vector<Row6>& x) const;

 private:
  struct Pack {
    SymmetricLanes N;
    SymmetricLanes inverse;
    Lanes b[6];
    int slot[kLanes];
  };
  int spare_slot_;
  int bodies_ = 0;
  std::vector<Pack> packs_;        ///< what an iteration reads, close together
  std::vector<SymmetricLanes> H_;  ///< of each pack
};

}  // namespace stiction
