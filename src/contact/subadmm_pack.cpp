#include "contact/subadmm_pack.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "contact/jacobian.h"
#include "contact/lane_laws.h"
#include "contact/operators.h"
#include "contact/parallel_for.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// Packs that go through the stages of an update together: enough to hide the latency of each
// stage, few enough to stay in the first-level cache.
constexpr int kChunk = 4;

// Below this a thread costs more than it saves.
constexpr int kPacksPerThread = 32;

bool is_contact(const Problem& problem, int i) {
  return problem.constraints[i].type == ConstraintType::kContact;
}

inline void cross(const Lanes a[3], const Lanes b[3], Lanes out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

}  // namespace

ConstraintPacks::PointContact ConstraintPacks::as_point_contact(const Problem& problem,
                                                                const SplitProblem& split, int i) {
  PointContact point;
  const int ends = split.end_count(i);
  if (!is_contact(problem, i) || ends > 2) return point;
  point.R = split.ends[split.end_begin[i]].block.leftCols<3>();
  if (!(point.R * point.R.transpose()).isIdentity(1e-13)) return point;
  for (int k = 0; k < ends; ++k) {
    const double sign = k == 0 ? 1 : -1;
    const auto& block = split.ends[split.end_begin[i] + k].block;
    if (block.leftCols<3>() != sign * point.R) return point;
    const Eigen::Matrix3d P = -sign * point.R.transpose() * block.rightCols<3>();  // [p]
    if (!(P + P.transpose()).isZero(1e-14 * P.norm())) return point;
    point.p[k] = 0.5 * Vector3d(P(2, 1) - P(1, 2), P(0, 2) - P(2, 0), P(1, 0) - P(0, 1));
  }
  point.holds = true;
  return point;
}

ConstraintPacks::ConstraintPacks(const Problem& problem, const SplitProblem& split, int threads)
    : problem_(problem) {
  const int slots = static_cast<int>(split.slots.size());
  record_begin_.assign(slots + 1, 0);
  for (const SlotEnd& end : split.ends) ++record_begin_[end.slot + 1];
  std::partial_sum(record_begin_.begin(), record_begin_.end(), record_begin_.begin());
  std::vector<int> next_record = record_begin_;
  record_count_ = record_begin_.back();

  std::vector<int> order(problem.constraints.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<PointContact> points(order.size());
  std::vector<int> kinds(order.size());
  for (int i : order) {
    points[i] = as_point_contact(problem, split, i);
    const int law = points[i].holds ? 0 : is_contact(problem, i) ? 1 : 2;
    kinds[i] = 3 * split.end_count(i) + law;
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return kinds[a] < kinds[b]; });
  blocks_.reserve(18 * split.ends.size() / kLanes);
  slots_.reserve(2 * split.ends.size());
  records_.reserve(slots_.capacity());
  packs_.reserve(order.size() / kLanes + 2);
  e_.reserve(3 * packs_.capacity());
  mu_.reserve(packs_.capacity());
  std::vector<int> chosen;
  for (size_t k = 0; k < order.size(); ++k) {
    chosen.push_back(order[k]);
    const bool last = k + 1 == order.size() || kinds[order[k + 1]] != kinds[order[k]];
    if (chosen.size() < kLanes && !last) continue;
    append_pack(problem, split, chosen, points, next_record);
    chosen.clear();
  }
  tau_.assign(3 * packs_.size(), Lanes{});
  lambda_ = tau_;
  rho_.assign(packs_.size(), Lanes{});
  threads_ = std::clamp(pack_count() / kPacksPerThread, 1, std::max(threads, 1));
}

void ConstraintPacks::append_pack(const Problem& problem, const SplitProblem& split,
                                  const std::vector<int>& constraints,
                                  const std::vector<PointContact>& points,
                                  std::vector<int>& next_record) {
  const int spare_slot = static_cast<int>(split.slots.size());
  Pack pack;
  pack.ends = split.end_count(constraints.front());
  pack.block_begin = static_cast<int>(blocks_.size());
  pack.place_begin = static_cast<int>(slots_.size());
  pack.all_contacts = is_contact(problem, constraints.front());
  pack.all_points = points[constraints.front()].holds;
  blocks_.resize(blocks_.size() + (pack.all_points ? 9 + 3 * pack.ends : 18 * pack.ends), Lanes{});
  slots_.resize(slots_.size() + kLanes * pack.ends, spare_slot);
  records_.resize(slots_.size());
  e_.resize(e_.size() + 3, Lanes{});
  mu_.push_back(Lanes{});
  for (int lane = 0; lane < kLanes; ++lane) {
    pack.constraint[lane] = lane < static_cast<int>(constraints.size()) ? constraints[lane] : -1;
    const int i = pack.constraint[lane];
    if (i < 0) {
      for (int k = 0; k < pack.ends; ++k) {
        records_[pack.place_begin + kLanes * k + lane] = record_count_++;
      }
      continue;
    }
    const Constraint& constraint = problem.constraints[i];
    const Vector3d e = rows_of(constraint, problem.e);
    for (int r = 0; r < 3; ++r) e_[e_.size() - 3 + r][lane] = e[r];
    mu_.back()[lane] = constraint.mu;
    for (int k = 0; k < pack.ends; ++k) {
      const SlotEnd& end = split.ends[split.end_begin[i] + k];
      slots_[pack.place_begin + kLanes * k + lane] = end.slot;
      records_[pack.place_begin + kLanes * k + lane] = next_record[end.slot]++;
      for (int r = 0; r < constraint.rows && !pack.all_points; ++r) {
        for (int c = 0; c < 6; ++c) {
          blocks_[pack.block_begin + 18 * k + 6 * r + c][lane] = end.block(r, c);
        }
      }
    }
    if (!pack.all_points) continue;
    const PointContact& point = points[i];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) blocks_[pack.block_begin + 3 * r + c][lane] = point.R(r, c);
      for (int k = 0; k < pack.ends; ++k) {
        blocks_[pack.block_begin + 9 + 3 * k + r][lane] = point.p[k][r];
      }
    }
  }
  packs_.push_back(pack);
}

std::vector<Row6> ConstraintPacks::make_wrenches() const {
  return std::vector<Row6>(record_count_);
}

std::vector<Row6> ConstraintPacks::make_slots() const {
  return std::vector<Row6>(record_begin_.size());
}

void ConstraintPacks::set_rho(const VectorXd& rho) {
  for (int p = 0; p < pack_count(); ++p) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = packs_[p].constraint[lane];
      if (i >= 0) rho_[p][lane] = rho[i];
    }
  }
}

void ConstraintPacks::set_lambda(const VectorXd& lambda) {
  for (int p = 0; p < pack_count(); ++p) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = packs_[p].constraint[lane];
      if (i < 0) continue;
      const Vector3d value = rows_of(problem_.constraints[i], lambda);
      for (int r = 0; r < 3; ++r) lambda_[3 * p + r][lane] = value[r];
    }
  }
  for (size_t k = 0; k < tau_.size(); ++k) tau_[k] = -lambda_[k];
}

void ConstraintPacks::unpack(const std::vector<Lanes>& packed, VectorXd& rows) const {
  for (int p = 0; p < pack_count(); ++p) {
    const Lanes* x = &packed[3 * p];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = packs_[p].constraint[lane];
      if (i >= 0) set_rows(problem_.constraints[i], {x[0][lane], x[1][lane], x[2][lane]}, rows);
    }
  }
}

// c = R (v_1 + w_1 x p_1 - v_2 - w_2 x p_2)
inline void ConstraintPacks::point_velocity(const Pack& pack, const std::vector<Row6>& x,
                                            Lanes c[3]) const {
  const Lanes* R = &blocks_[pack.block_begin];
  Lanes sum[3] = {};
  for (int k = 0; k < pack.ends; ++k) {
    Lanes x_j[6], spin[3];
    load_transposed(x.data(), &slots_[pack.place_begin + kLanes * k], x_j);
    cross(&x_j[3], R + 9 + 3 * k, spin);
    for (int r = 0; r < 3; ++r) {
      const Lanes velocity = x_j[r] + spin[r];
      sum[r] = k == 0 ? velocity : sum[r] - velocity;
    }
  }
  for (int r = 0; r < 3; ++r) {
    c[r] = R[3 * r] * sum[0] + R[3 * r + 1] * sum[1] + R[3 * r + 2] * sum[2];
  }
}

// f = R^T q on the first body, -f on the second, with their torques.
inline void ConstraintPacks::write_point_wrench(const Pack& pack, const Lanes q[3],
                                                std::vector<Row6>& wrenches) const {
  const Lanes* R = &blocks_[pack.block_begin];
  Lanes w[6];
  for (int r = 0; r < 3; ++r) w[r] = R[r] * q[0] + R[3 + r] * q[1] + R[6 + r] * q[2];
  for (int k = 0; k < pack.ends; ++k) {
    if (k == 1) {
      for (int r = 0; r < 3; ++r) w[r] = -w[r];
    }
    cross(R + 9 + 3 * k, w, w + 3);
    store_transposed(w, wrenches.data(), &records_[pack.place_begin + kLanes * k]);
  }
}

inline void ConstraintPacks::relative_velocity(const Pack& pack, const std::vector<Row6>& x,
                                               Lanes c[3]) const {
  if (pack.all_points) return point_velocity(pack, x, c);
  c[0] = c[1] = c[2] = Lanes{};
  for (int k = 0; k < pack.ends; ++k) {
    const Lanes* J = &blocks_[pack.block_begin + 18 * k];
    Lanes x_j[6];
    load_transposed(x.data(), &slots_[pack.place_begin + kLanes * k], x_j);
    for (int r = 0; r < 3; ++r, J += 6) {  // two short sums: the processor can overlap them
      const Lanes linear = J[0] * x_j[0] + J[1] * x_j[1] + J[2] * x_j[2];
      const Lanes angular = J[3] * x_j[3] + J[4] * x_j[4] + J[5] * x_j[5];
      c[r] += linear + angular;
    }
  }
}

inline void ConstraintPacks::write_wrench(const Pack& pack, const Lanes q[3],
                                          std::vector<Row6>& wrenches) const {
  if (pack.all_points) return write_point_wrench(pack, q, wrenches);
  for (int k = 0; k < pack.ends; ++k) {
    const Lanes* J = &blocks_[pack.block_begin + 18 * k];
    Lanes w[6];
    for (int col = 0; col < 6; ++col) {
      w[col] = J[col] * q[0] + J[6 + col] * q[1] + J[12 + col] * q[2];
    }
    store_transposed(w, wrenches.data(), &records_[pack.place_begin + kLanes * k]);
  }
}

// Packs of anything but contacts, one by one.
void ConstraintPacks::apply_operators(int p, const Lanes s[3], Lanes lambda[3]) const {
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = packs_[p].constraint[lane];
    if (i < 0) continue;
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d value =
        apply_operator(constraint, ContactLaw::kStrict, rho_[p][lane],
                       rows_of(constraint, problem_.e), {s[0][lane], s[1][lane], s[2][lane]});
    for (int r = 0; r < 3; ++r) lambda[r][lane] = value[r];
  }
}

void ConstraintPacks::update(double relaxation, const std::vector<Row6>& x,
                             std::vector<Row6>& wrenches) {
  const int chunks = (pack_count() + kChunk - 1) / kChunk;
  parallel_for(chunks, threads_, [&](int chunk) {
    const int begin = chunk * kChunk;
    const int end = std::min(begin + kChunk, pack_count());
    Lanes s[3 * kChunk], q[3 * kChunk];
    for (int p = begin; p < end; ++p) lambda_star(p, x, &s[3 * (p - begin)]);
    for (int p = begin; p < end; ++p) {
      update_pack(p, relaxation, &s[3 * (p - begin)], &q[3 * (p - begin)]);
    }
    for (int p = begin; p < end; ++p) write_wrench(packs_[p], &q[3 * (p - begin)], wrenches);
  });
}

// s = -rho (J x + e) - tau
inline void ConstraintPacks::lambda_star(int p, const std::vector<Row6>& x, Lanes s[3]) const {
  Lanes c[3];
  relative_velocity(packs_[p], x, c);
  for (int r = 0; r < 3; ++r) s[r] = -rho_[p] * (c[r] + e_[3 * p + r]) - tau_[3 * p + r];
}

// lambda = T(s), tau and q.
inline void ConstraintPacks::update_pack(int p, double relaxation, const Lanes s[3], Lanes q[3]) {
  Lanes lambda[3] = {};
  if (packs_[p].all_contacts) {
    project_strict(mu_[p], s, lambda);  // [TRO25] (39)
  } else {
    apply_operators(p, s, lambda);  // [TRO25] (37), (38), [JOINT] (7), (9)
  }
  for (int r = 0; r < 3; ++r) {
    Lanes sigma = tau_[3 * p + r] + lambda[r];
    sigma = max_of(sigma, -sigma) < kVanished ? Lanes{} : sigma;
    q[r] = sigma + lambda[r];
    tau_[3 * p + r] = (1 - relaxation) * sigma - lambda[r];
    lambda_[3 * p + r] = lambda[r];
  }
}

void ConstraintPacks::write_q(std::vector<Row6>& wrenches) const {
  for (int p = 0; p < pack_count(); ++p) {
    Lanes q[3];
    for (int r = 0; r < 3; ++r) q[r] = tau_[3 * p + r] + 2 * lambda_[3 * p + r];
    write_wrench(packs_[p], q, wrenches);
  }
}

void ConstraintPacks::velocities(const std::vector<Row6>& x, VectorXd& Jv) const {
  for (int p = 0; p < pack_count(); ++p) {
    Lanes c[3];
    relative_velocity(packs_[p], x, c);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = packs_[p].constraint[lane];
      if (i < 0) continue;
      set_rows(problem_.constraints[i], {c[0][lane], c[1][lane], c[2][lane]}, Jv);
    }
  }
}

}  // namespace stiction
