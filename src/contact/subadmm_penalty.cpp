#include "contact/subadmm_penalty.h"

#include <algorithm>
#include <cmath>

#include "contact/jacobian.h"
#include "contact/subadmm.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

// A new beta is worth a factorization when it differs by more than this.
constexpr double kWorthwhile = 1.3;
// Largest step of (44), so that one bad measurement cannot ruin beta.
constexpr double kLargestStep = 10;

// Geometric mean of the contacts' masses, or of all constraints' where there is no contact.
double mean_mass(const Problem& problem, const VectorXd& masses) {
  double contacts = 0, all = 0;  // sums of logarithms
  int contact_count = 0;
  for (int i = 0; i < masses.size(); ++i) {
    const double log_mass = std::log(masses[i]);
    all += log_mass;
    if (problem.constraints[i].type != ConstraintType::kContact) continue;
    contacts += log_mass;
    ++contact_count;
  }
  if (contact_count > 0) return std::exp(contacts / contact_count);
  return masses.size() == 0 ? 1 : std::exp(all / static_cast<double>(masses.size()));
}

// Traces per subsystem of sum_b J_b^T H_b J_b; H becomes the composites.
VectorXd tree_traces(const Problem& problem, std::vector<Matrix6d>& H) {
  VectorXd of_dof = VectorXd::Zero(problem.n());
  for (int b = static_cast<int>(problem.bodies.size()) - 1; b >= 0; --b) {
    const ProblemBody& body = problem.bodies[b];
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      of_dof[d] = problem.S.col(d).dot(H[b] * problem.S.col(d));
    }
    if (body.parent >= 0) H[body.parent] += H[b];
  }
  VectorXd traces(static_cast<int>(problem.subsystems.size()));
  for (int j = 0; j < traces.size(); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    traces[j] = of_dof.segment(subsystem.dof_begin, subsystem.dof_count).sum();
  }
  return traces;
}

// Tr(A_j) / Tr(J_j^T J_j), [ICRA23] (23).
VectorXd trace_ratios(const Problem& problem, const SplitProblem& split, const VectorXd& weights) {
  std::vector<Matrix6d> H, JtJ(problem.bodies.size(), Matrix6d::Zero());
  for (const ProblemBody& body : problem.bodies) H.push_back(body.H);
  VectorXd of_dofs = VectorXd::Zero(static_cast<int>(problem.subsystems.size()));
  for (int i = 0; i < weights.size(); ++i) {
    for (int k = split.end_begin[i]; k < split.end_begin[i + 1]; ++k) {
      const SlotEnd& end = split.ends[k];
      const Slot& slot = split.slots[end.slot];
      if (slot.body >= 0) {
        JtJ[slot.body] += weights[i] * end.block.transpose() * end.block;
      } else {
        of_dofs[slot.subsystem] += weights[i] * end.block.squaredNorm();
      }
    }
  }
  VectorXd A = tree_traces(problem, H);
  const VectorXd J = tree_traces(problem, JtJ) + of_dofs;
  for (int j = 0; j < A.size(); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    A[j] += problem.D.segment(subsystem.dof_begin, subsystem.dof_count).sum();
    if (subsystem.sparse >= 0) A[j] += problem.sparse_blocks[subsystem.sparse].diagonal().sum();
    A[j] = J[j] > 0 ? A[j] / J[j] : 1;
  }
  return A;
}

}  // namespace

Penalty::Penalty(const Problem& problem, const SplitProblem& split, const VectorXd& masses,
                 const SubAdmmOptions& options)
    : problem_(problem),
      split_(split),
      open_weight_(options.open_weight),
      next_recount_(options.first_recount),
      gamma_(options.gamma),
      factor_(options.beta_factor),
      weights_(VectorXd::Ones(masses.size())),
      slot_mass_(static_cast<int>(split.slots.size())),
      slot_count_(slot_mass_.size()),
      shape_(VectorXd::Ones(static_cast<int>(problem.subsystems.size()))),
      beta_(shape_),
      rho_(masses.size()) {
  const double mean = mean_mass(problem, masses);
  for (int i = 0; i < masses.size(); ++i) {
    const bool contact = problem.constraints[i].type == ConstraintType::kContact;
    if (!contact || options.effective_masses) weights_[i] = masses[i] / mean;
  }
  for (int s = 0; s < slot_mass_.size(); ++s) {
    const int body = split.slots[s].body;
    slot_mass_[s] = body >= 0 ? problem.bodies[body].H.diagonal().head<3>().mean() : mean;
    if (!(slot_mass_[s] > 0)) slot_mass_[s] = mean;
  }
  if (options.per_subsystem_beta) {
    shape_ = trace_ratios(problem, split, weights_);
  } else {
    density_ = pseudodensity(nullptr);
  }
  set_scale(factor_ * density_);
}

// Geometric mean over bodies of mass / number of contacts.
double Penalty::pseudodensity(const VectorXd* lambda) {
  slot_count_.setZero();
  for (int i = 0; i < weights_.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const bool open =
        lambda != nullptr && (*lambda)[constraint.row_begin + constraint.rows - 1] == 0;
    for (int k = split_.end_begin[i]; k < split_.end_begin[i + 1]; ++k) {
      slot_count_[split_.ends[k].slot] += open ? open_weight_ : 1;
    }
  }
  double log_sum = 0, product = 1;
  for (int s = 0; s < slot_mass_.size(); ++s) {
    product *= slot_mass_[s] / slot_count_[s];
    if (product > 1e100 || product < 1e-100 || s + 1 == slot_mass_.size()) {  // few logarithms
      log_sum += std::log(product);
      product = 1;
    }
  }
  return slot_mass_.size() == 0 ? 1 : std::exp(log_sum / static_cast<double>(slot_mass_.size()));
}

void Penalty::set_scale(double scale) {
  beta_ = scale * shape_;
  for (int i = 0; i < rho_.size(); ++i) {
    double sum = 0;
    for (int k = split_.end_begin[i]; k < split_.end_begin[i + 1]; ++k) {
      sum += 1 / (weights_[i] * beta_[split_.slots[split_.ends[k].slot].subsystem]);
    }
    rho_[i] = 1 / sum;
  }
}

bool Penalty::is_recount_due(int iterations) {
  if (next_recount_ == 0 || iterations != next_recount_) return false;
  next_recount_ *= 2;
  return true;
}

bool Penalty::recount(const VectorXd& lambda) {
  const double density = pseudodensity(&lambda);
  const double ratio = density / density_;
  if (ratio < kWorthwhile && ratio > 1 / kWorthwhile) return false;
  density_ = density;
  set_scale(factor_ * density_);
  return true;
}

bool Penalty::balance(double primal, double dual) {
  if (!(primal > gamma_ * dual || dual > gamma_ * primal)) return false;
  if (!(primal > 0 && dual > 0)) return false;
  factor_ *= std::clamp(std::sqrt(primal / dual), 1 / kLargestStep, kLargestStep);  // [TRO25] (44)
  set_scale(factor_ * density_);
  return true;
}

}  // namespace stiction
