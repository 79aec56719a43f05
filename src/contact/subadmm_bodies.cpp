#include "contact/subadmm_bodies.h"

#include <Eigen/LU>

namespace stiction {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

constexpr int kInOrder[] = {0, 1, 2, 3, 4, 5, 6, 7};

constexpr int at(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

void set_lane(const Matrix6d& M, int lane, SymmetricLanes& packed) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) packed.entry[at(i, j)][lane] = M(i, j);
  }
}

// The inverse of S, that of a free joint, [I X; 0 R], by its blocks. The determinant, too.
double invert_joint(const Matrix6d& S, Matrix6d& inverse) {
  if (S.leftCols<3>() != Matrix6d::Identity().leftCols<3>()) {
    inverse = S.inverse();
    return S.determinant();
  }
  const Eigen::Matrix3d R = S.bottomRightCorner<3, 3>();
  const Eigen::Matrix3d R_inverse = R.inverse();
  inverse.setIdentity();
  inverse.topRightCorner<3, 3>() = -S.topRightCorner<3, 3>() * R_inverse;
  inverse.bottomRightCorner<3, 3>() = R_inverse;
  return R.determinant();
}

// y += M x
inline void multiply_add(const SymmetricLanes& M, const Lanes x[6], Lanes y[6]) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) y[i] += M.entry[at(i, j)] * x[j];
  }
}

}  // namespace

bool invert(const SymmetricLanes& M, SymmetricLanes& inverse) {
  Lanes L[6][6];  // unit lower, then its inverse
  Lanes D[6];
  bool ok = true;
  for (int j = 0; j < 6; ++j) {
    D[j] = M.entry[at(j, j)];
    for (int k = 0; k < j; ++k) D[j] -= L[j][k] * L[j][k] * D[k];
    for (int lane = 0; lane < kLanes; ++lane) ok = ok && D[j][lane] > 0;
    for (int i = j + 1; i < 6; ++i) {
      L[i][j] = M.entry[at(i, j)];
      for (int k = 0; k < j; ++k) L[i][j] -= L[i][k] * L[j][k] * D[k];
      L[i][j] /= D[j];
    }
  }
  for (int j = 0; j < 6; ++j) {  // L <- L^-1, column by column
    for (int i = j + 1; i < 6; ++i) {
      Lanes sum = -L[i][j];
      for (int k = j + 1; k < i; ++k) sum -= L[i][k] * L[k][j];
      L[i][j] = sum;
    }
  }
  for (int i = 0; i < 6; ++i) {  // L^-T D^-1 L^-1
    L[i][i] = all_lanes(1);
    D[i] = 1 / D[i];
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      Lanes sum = {};
      for (int k = i; k < 6; ++k) sum += L[k][i] * L[k][j] * D[k];
      inverse.entry[at(i, j)] = sum;
    }
  }
  return ok;
}

void BodyPacks::reserve(int bodies) {
  packs_.reserve((bodies + kLanes - 1) / kLanes);
  H_.reserve(packs_.capacity());
}

bool BodyPacks::add(const Problem& problem, const Subsystem& subsystem, int slot) {
  if (subsystem.body_count != 1 || subsystem.dof_count != 6) return false;
  Matrix6d S_inverse;
  const double determinant = invert_joint(problem.S.middleCols<6>(subsystem.dof_begin), S_inverse);
  if (!(std::abs(determinant) > 1e-6)) return false;
  const int lane = bodies_++ % kLanes;
  if (lane == 0) {
    packs_.emplace_back();
    H_.emplace_back();
    for (int k = 0; k < kLanes; ++k) {
      packs_.back().slot[k] = spare_slot_;
      set_lane(Matrix6d::Identity(), k, H_.back());
      set_lane(Matrix6d::Zero(), k, packs_.back().N);
    }
    for (Lanes& entry : packs_.back().b) entry = Lanes{};
  }
  // In twists V = S v: S^-T A S^-1 = H + S^-T D S^-1.
  const Eigen::Matrix<double, 6, 1> b =
      S_inverse.transpose() * problem.b.segment<6>(subsystem.dof_begin);
  const Eigen::Matrix<double, 6, 1> D = problem.D.segment<6>(subsystem.dof_begin);
  Matrix6d H = problem.bodies[subsystem.body_begin].H;
  if (!D.isZero(0)) H += S_inverse.transpose() * D.asDiagonal() * S_inverse;
  Pack& pack = packs_.back();
  pack.slot[lane] = slot;
  set_lane(H, lane, H_.back());
  for (int k = 0; k < 6; ++k) pack.b[k][lane] = b[k];
  return true;
}

bool BodyPacks::factorize(const std::vector<Matrix6d>& N, int pack_index) {
  Pack& pack = packs_[pack_index];
  for (int lane = 0; lane < kLanes; ++lane) {
    if (pack.slot[lane] != spare_slot_) set_lane(N[pack.slot[lane]], lane, pack.N);
  }
  SymmetricLanes M;
  for (int k = 0; k < 21; ++k) M.entry[k] = H_[pack_index].entry[k] + pack.N.entry[k];
  return invert(M, pack.inverse);
}

void BodyPacks::update(int pack_index, double relaxation, const std::vector<int>& record_begin,
                       const std::vector<Row6>& wrenches, std::vector<Row6>& x) const {
  const Pack& pack = packs_[pack_index];
  Row6 sum[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int slot = pack.slot[lane];
    if (slot == spare_slot_) continue;
    sum[lane] =
        sum_of_rows(wrenches.data() + record_begin[slot], wrenches.data() + record_begin[slot + 1]);
  }
  Lanes x_j[6], rhs[6], V[6] = {};
  load_transposed(sum, kInOrder, rhs);
  load_transposed(x.data(), pack.slot, x_j);
  for (int k = 0; k < 6; ++k) rhs[k] += pack.b[k];
  multiply_add(pack.N, x_j, rhs);
  multiply_add(pack.inverse, rhs, V);
  for (int k = 0; k < 6; ++k) x_j[k] += relaxation * (V[k] - x_j[k]);
  store_transposed(x_j, x.data(), pack.slot);
}

}  // namespace stiction
