#include "contact/sweep_packs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "contact/residual.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// A pack costs as much as two or three constraints one by one. With fewer subsystems than
// kSubsystems no colour of contacts has many members, as most of them touch two.
constexpr size_t kFewest = 4;
constexpr size_t kSubsystems = 2 * kLanes;
constexpr int kDofsOfGrains = 7;  // per subsystem, at most
// Of places in w per lane: nine dofs of each of two robots take six.
constexpr int kMostQuads = 8;
constexpr int kColours = 64;

}  // namespace

bool is_of_grains(const Problem& problem) {
  return problem.n() <= kDofsOfGrains * static_cast<int>(problem.subsystems.size());
}

// Colours by first fit, in the order of the constraints. Those for whom there is none come last.
SweepPacks::SweepPacks(const Problem& problem, const RootRows& rows)
    : problem_(problem), rows_(rows) {
  alone_.reserve(rows.count());
  order_.reserve(rows.count());
  const size_t subsystems = problem.subsystems.size();
  const bool contacts_too = subsystems >= kSubsystems && is_of_grains(problem);
  std::vector<std::uint64_t> taken(subsystems, 0);
  std::vector<std::uint64_t> order;  // by colour, kind, quads and number
  order.reserve(rows.count());
  for (int i = 0; i < rows.count(); ++i) {
    const bool friction = problem.constraints[i].type == ConstraintType::kJointFriction;
    if (!contacts_too && !(friction && subsystems >= kFewest)) {
      add_alone(i);
      continue;
    }
    std::uint64_t seen = 0;
    rows.visit_subsystems(i, [&](int j) { seen |= taken[j]; });
    const int colour = std::countr_one(seen);
    if (colour < kColours) {
      rows.visit_subsystems(i, [&](int j) { taken[j] |= std::uint64_t{1} << colour; });
    }
    const Kind kind = colour < kColours ? kind_of(i) : Kind::kAlone;
    const int quads = kind == Kind::kAlone ? 0 : rows.quads(i);
    const auto key = static_cast<std::uint64_t>((colour * 4 + static_cast<int>(kind)) * 16 + quads);
    order.push_back(key << 32 | static_cast<std::uint64_t>(i));
  }
  std::sort(order.begin(), order.end());
  const auto group = [&](size_t k) { return order[k] >> 36; };  // colour and kind
  for (size_t k = 0; k < order.size();) {
    int members[kLanes];
    int count = 0;
    const size_t first = k;
    while (k < order.size() && count < kLanes && group(k) == group(first)) {
      members[count++] = static_cast<int>(order[k++] & 0xffffffff);
    }
    const Kind kind = static_cast<Kind>(group(first) % 4);
    if (kind == Kind::kAlone || count < static_cast<int>(kFewest)) {
      for (int n = 0; n < count; ++n) add_alone(members[n]);
    } else {
      add_pack(kind, members, count);
    }
  }
  size_ = whole_lanes(size_);
}

SweepPacks::Kind SweepPacks::kind_of(int i) const {
  if (rows_.quads(i) > kMostQuads || rows_.quads(i) == 0) return Kind::kAlone;
  switch (problem_.constraints[i].type) {
    case ConstraintType::kContact:
      return Kind::kContact;
    case ConstraintType::kJointFriction:
      return Kind::kJointFriction;
    default:
      return Kind::kAlone;
  }
}

void SweepPacks::add_alone(int i) {
  const Constraint& constraint = problem_.constraints[i];
  Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  if (constraint.rows == 1) {
    W(0, 0) = 1 / rows_.masses()[i];
  } else {
    W = made_regular(rows_.W(i));
  }
  alone_.push_back(
      {OneConstraint(constraint, rows_.e(i), W), 0, rows_.quads_of(i), i, constraint.rows, size_});
  order_.push_back(-static_cast<int>(alone_.size()));
  size_ += constraint.rows;
}

void SweepPacks::add_pack(Kind kind, const int* members, int count) {
  Pack pack{};
  pack.kind = kind;
  pack.rows = kind == Kind::kContact ? 3 : 1;
  pack.quads = rows_.quads(members[count - 1]);
  pack.place_begin = static_cast<int>(place_.size());
  pack.Z_begin = static_cast<int>(Z_.size());
  pack.law_begin = static_cast<int>(law_.size());
  pack.contacts = static_cast<int>(contacts_.size());
  pack.lambda_begin = size_;
  size_ += kLanes * pack.rows;
  place_.resize(place_.size() + kLanes * pack.quads, rows_.spare_place());
  Z_.resize(Z_.size() + kQuad * pack.rows * pack.quads, Lanes{});
  Lanes W[6] = {all_lanes(1), {}, all_lanes(1), {}, {}, all_lanes(1)};
  Lanes e[3] = {};
  Lanes m = all_lanes(1);
  Lanes mu = {};
  Lanes bound = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = lane < count ? members[lane] : -1;
    pack.constraint[lane] = i;
    if (i < 0) continue;
    rows_.copy_to_lane(i, lane, &place_[pack.place_begin], &Z_[pack.Z_begin]);
    const Eigen::Matrix3d W_i = made_regular(rows_.W(i));
    for (int r = 0, k = 0; r < 3; ++r) {
      e[r][lane] = rows_.e(i)[r];
      for (int c = 0; c <= r; ++c, ++k) W[k][lane] = W_i(r, c);
    }
    m[lane] = rows_.masses()[i];
    mu[lane] = problem_.constraints[i].mu;
    bound[lane] = problem_.constraints[i].bound;
  }
  if (kind == Kind::kContact) {
    law_.insert(law_.end(), {e[0], e[1], e[2], m, mu});
    contacts_.emplace_back(W, mu);
  } else {
    law_.insert(law_.end(), {e[0], m, 1 / W[0], bound});
  }
  order_.push_back(static_cast<int>(packs_.size()));
  packs_.push_back(pack);
}

template <class Visit>
void SweepPacks::visit_rows(const Visit& visit) const {
  for (const Alone& alone : alone_) {
    const Constraint& constraint = problem_.constraints[alone.constraint];
    for (int r = 0; r < constraint.rows; ++r) {
      visit(alone.lambda_begin + r, constraint.row_begin + r);
    }
  }
  for (const Pack& pack : packs_) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (pack.constraint[lane] < 0) continue;
      const int row = problem_.constraints[pack.constraint[lane]].row_begin;
      for (int r = 0; r < pack.rows; ++r) visit(pack.lambda_begin + kLanes * r + lane, row + r);
    }
  }
}

VectorXd SweepPacks::pack(const VectorXd& lambda) const {
  VectorXd packed = VectorXd::Zero(size_);
  visit_rows([&](int place, int row) { packed[place] = lambda[row]; });
  return packed;
}

void SweepPacks::unpack(const VectorXd& packed, VectorXd& lambda) const {
  visit_rows([&](int place, int row) { lambda[row] = packed[place]; });
}

VectorXd SweepPacks::packed_weights() const {
  VectorXd weights(problem_.n_c());
  for (int i = 0; i < rows_.count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    weights.segment(constraint.row_begin, constraint.rows).setConstant(1 / rows_.masses()[i]);
  }
  return pack(weights);
}

void SweepPacks::sweep(VectorXd& packed, VectorXd& w) {
  for (const int k : order_) {
    if (k >= 0) {
      sweep_pack(packs_[k], packed.data() + packs_[k].lambda_begin, w);
      continue;
    }
    Alone& alone = alone_[-1 - k];
    double* const lambda = packed.data() + alone.lambda_begin;
    if (alone.rows == 1) {
      sweep_row(alone, *lambda, w.data());
    } else {
      sweep_alone(alone, lambda, w.data());
    }
  }
}

inline void SweepPacks::sweep_row(const Alone& alone, double& lambda, double* w) const {
  const auto [Z, place, count] = alone.quads;
  Quad sum = {};
  for (int k = 0; k < count; ++k) sum += quad_at(Z[k].x) * quad_at(w + place[k]);
  const double before = lambda;
  lambda = alone.one.solve_row(alone.one.e()[0] + sum_of_quad(sum), before);
  const double change = lambda - before;
  if (change == 0) return;
  for (int k = 0; k < count; ++k) quad_at(w + place[k]) += change * quad_at(Z[k].x);
}

void SweepPacks::sweep_alone(Alone& alone, double* lambda, double* w) const {
  const auto [Z, place, count] = alone.quads;
  const Vector3d& e = alone.one.e();
  const Vector3d before(lambda[0], lambda[1], lambda[2]);
  Quad n = {};
  for (int k = 0; k < count; ++k) n += quad_at(Z[3 * k + 2].x) * quad_at(w + place[k]);
  const double u_n = e[2] + sum_of_quad(n);
  if (alone.one.is_contact() && before[2] == 0 && u_n >= 0) return;  // stays open
  Quad t_1 = {};
  Quad t_2 = {};
  for (int k = 0; k < count; ++k) {
    const Quad& w_k = quad_at(w + place[k]);
    t_1 += quad_at(Z[3 * k].x) * w_k;
    t_2 += quad_at(Z[3 * k + 1].x) * w_k;
  }
  const Vector3d u(e[0] + sum_of_quad(t_1), e[1] + sum_of_quad(t_2), u_n);
  const Vector3d after = alone.one.solve(u, before, alone.gamma);
  const double change[3] = {after[0] - before[0], after[1] - before[1], after[2] - before[2]};
  if (change[0] == 0 && change[1] == 0 && change[2] == 0) return;
  for (int r = 0; r < 3; ++r) lambda[r] = after[r];
  for (int k = 0; k < count; ++k) {
    quad_at(w + place[k]) += change[0] * quad_at(Z[3 * k].x) + change[1] * quad_at(Z[3 * k + 1].x) +
                             change[2] * quad_at(Z[3 * k + 2].x);
  }
}

// u = Z w + e
inline void SweepPacks::velocity(const Pack& pack, const Lanes* x, Lanes u[3]) const {
  for (int r = 0; r < pack.rows; ++r) u[r] = law_[pack.law_begin + r];
  const Lanes* Z = &Z_[pack.Z_begin];
  const int components = kQuad * pack.quads;
  if (pack.rows == 1) {
    for (int k = 0; k < components; ++k) u[0] += Z[k] * x[k];
    return;
  }
  for (int k = 0; k < components; ++k, Z += 3) {
    for (int r = 0; r < 3; ++r) u[r] += Z[r] * x[k];
  }
}

void SweepPacks::sweep_pack(const Pack& pack, double* lambda, VectorXd& w) {
  Lanes x[kQuad * kMostQuads];
  Lanes u[3], before[3], after[3];
  const int* place = &place_[pack.place_begin];
  for (int q = 0; q < pack.quads; ++q) load_quads(w.data(), place + kLanes * q, x + kQuad * q);
  velocity(pack, x, u);
  for (int r = 0; r < pack.rows; ++r) before[r] = after[r] = load_lanes(lambda + kLanes * r);
  const Lanes* Z = &Z_[pack.Z_begin];
  const int components = kQuad * pack.quads;
  if (pack.kind == Kind::kJointFriction) {
    const Lanes* law = &law_[pack.law_begin];
    after[0] = max_of(min_of(before[0] - law[2] * u[0], law[3]), -law[3]);
    const Lanes change = after[0] - before[0];
    for (int k = 0; k < components; ++k) x[k] += Z[k] * change;
  } else {
    contacts_[pack.contacts].solve(u, after);
    const Lanes change[3] = {after[0] - before[0], after[1] - before[1], after[2] - before[2]};
    for (int k = 0; k < components; ++k, Z += 3) {
      x[k] += Z[0] * change[0] + Z[1] * change[1] + Z[2] * change[2];
    }
  }
  for (int r = 0; r < pack.rows; ++r) store_lanes(after[r], lambda + kLanes * r);
  for (int q = 0; q < pack.quads; ++q) store_quads(x + kQuad * q, w.data(), place + kLanes * q);
}

// |natural map / m|^2.
double SweepPacks::defect(const Alone& alone, const double* lambda, const VectorXd& w) const {
  const int i = alone.constraint;
  const bool single = alone.rows == 1;
  const Vector3d lambda_i(lambda[0], single ? 0 : lambda[1], single ? 0 : lambda[2]);
  const double m = rows_.masses()[i];
  const Vector3d Jv = rows_.velocity(i, w) - rows_.e(i);
  return squared_natural_map(problem_.constraints[i], m, lambda_i, Jv, rows_.e(i)) / (m * m);
}

double SweepPacks::defect(const Pack& pack, const double* lambda, const VectorXd& w) const {
  Lanes x[kQuad * kMostQuads];
  Lanes u[3];
  const int* place = &place_[pack.place_begin];
  for (int q = 0; q < pack.quads; ++q) load_quads(w.data(), place + kLanes * q, x + kQuad * q);
  velocity(pack, x, u);
  const Lanes* law = &law_[pack.law_begin];
  const Lanes m = law[pack.rows];
  Lanes sum = {};
  if (pack.kind == Kind::kJointFriction) {
    const Lanes l = load_lanes(lambda);
    const Lanes change = (l - max_of(min_of(l - m * u[0], law[3]), -law[3])) / m;
    sum = change * change;
  } else {
    Lanes l[3], s[3], T[3];
    for (int r = 0; r < 3; ++r) {
      l[r] = load_lanes(lambda + kLanes * r);
      s[r] = l[r] - m * u[r];
    }
    project_strict(law[4], s, T);
    for (int r = 0; r < 3; ++r) sum += (l[r] - T[r]) * (l[r] - T[r]);
    sum /= m * m;
  }
  return sum_of(sum);
}

double SweepPacks::residual(const VectorXd& packed, const VectorXd& w) const {
  double sum = 0;
  for (const Alone& alone : alone_) sum += defect(alone, packed.data() + alone.lambda_begin, w);
  for (const Pack& pack : packs_) sum += defect(pack, packed.data() + pack.lambda_begin, w);
  return std::sqrt(sum) / std::max(1, rows_.count());
}

}  // namespace stiction
