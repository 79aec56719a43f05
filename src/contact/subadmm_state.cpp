#include "contact/subadmm_state.h"

#include <algorithm>
#include <cmath>

#include "contact/operators.h"

namespace stiction {

using Eigen::Vector3d;
using Eigen::VectorXd;

void set_slots(const Problem& problem, const SplitProblem& split, const VectorXd& v,
               std::vector<Row6>& x) {
  Matrix6Xd V(6, problem.bodies.size());
  body_twists(problem, v, V);
  for (size_t s = 0; s < split.slots.size(); ++s) {
    const Slot& slot = split.slots[s];
    for (int k = 0; k < 6; ++k) {
      if (slot.body >= 0) x[s].x[k] = V(k, slot.body);
      if (slot.body < 0) x[s].x[k] = k < slot.dof_count ? v[slot.dofs[k]] : 0;
    }
  }
}

SubAdmmMeter::SubAdmmMeter(const Problem& problem, const SplitProblem& split,
                           const ConstraintPacks& constraints, Monitor& monitor)
    : problem_(problem),
      split_(split),
      constraints_(constraints),
      monitor_(monitor),
      lambda_(VectorXd::Zero(problem.n_c())),
      Jx_(lambda_),
      tau_(lambda_),
      y_(Eigen::Matrix3Xd::Zero(3, split.ends.size())) {}

const VectorXd& SubAdmmMeter::lambda() {
  constraints_.get_lambda(lambda_);
  return lambda_;
}

bool SubAdmmMeter::should_stop(int iteration, int factorizations) {
  return monitor_.should_stop(lambda(), iteration, factorizations);
}

std::pair<double, double> SubAdmmMeter::imbalance(const std::vector<Row6>& x, const VectorXd& rho) {
  constraints_.velocities(x, Jx_);
  const VectorXd& Jv = monitor_.evaluator().Jv();
  double primal = 0, dual = 0;
  for (int i = 0; i < rho.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d e = rows_of(constraint, problem_.e);
    const Vector3d lambda = rows_of(constraint, lambda_);
    const Vector3d Jx = rows_of(constraint, Jx_);
    const Vector3d T =
        apply_operator(constraint, ContactLaw::kStrict, rho[i], e, lambda - rho[i] * (Jx + e));
    primal = std::max(primal, (lambda - T).norm() / rho[i]);
    dual = std::max(dual, (Jx - rows_of(constraint, Jv)).norm());
  }
  return {primal, dual};
}

double SubAdmmMeter::y_change(const std::vector<Row6>& x, const Penalty& penalty) {
  constraints_.get_tau(tau_);
  double sum = 0;
  for (int i = 0; i < penalty.weights().size(); ++i) {
    const Vector3d tau = rows_of(problem_.constraints[i], tau_) / penalty.weights()[i];
    for (int k = split_.end_begin[i]; k < split_.end_begin[i + 1]; ++k) {
      const SlotEnd& end = split_.ends[k];
      const double beta = penalty.beta()[split_.slots[end.slot].subsystem];
      const Vector3d y =
          end.block * Eigen::Map<const Vector6d>(x[end.slot].x) + tau / beta;  // [ICRA23] (18)
      sum += (y - y_.col(k)).squaredNorm();
      y_.col(k) = y;
    }
  }
  return std::sqrt(sum) / std::max<double>(1, static_cast<double>(penalty.weights().size()));
}

Acceleration::Acceleration(int memory, ConstraintPacks& constraints, std::vector<Row6>& x)
    : constraints_(constraints),
      x_(x),
      active_(memory > 0),
      anderson_(active_ ? static_cast<int>(8 * x.size() + kLanes * constraints.tau().size()) : 0,
                active_ ? std::min(memory, 16) : 1) {
  if (!active_) return;
  weight_.setOnes(static_cast<int>(8 * x.size() + kLanes * constraints.tau().size()));
  state_ = weight_;
  image_ = weight_;
}

void Acceleration::restart(const SubsystemBlocks& subsystems, const Penalty& penalty) {
  if (!active_) return;
  started_ = false;
  anderson_.reset();
  const int slots = static_cast<int>(x_.size()) - 1;  // the last row is for unused lanes
  weight_.setOnes();
  for (int s = 0; s < slots; ++s) {
    const Vector6d diagonal = subsystems.N(s).diagonal();
    for (int k = 0; k < 6; ++k) {
      if (diagonal[k] > 0) weight_[8 * s + k] = std::sqrt(diagonal[k]);
    }
  }
  double sum = 0;
  for (double rho : penalty.rho()) sum += rho;
  const double mean = sum / static_cast<double>(penalty.rho().size());
  weight_.tail(weight_.size() - 8 * (slots + 1)).setConstant(1 / std::sqrt(mean));
}

void Acceleration::get_state(VectorXd& state) const {
  const int rows = static_cast<int>(8 * x_.size());
  const std::vector<Lanes>& tau = constraints_.tau();
  std::memcpy(state.data(), x_.data(), sizeof(double) * rows);
  std::memcpy(state.data() + rows, tau.data(), sizeof(Lanes) * tau.size());
  state.array() *= weight_.array();
}

void Acceleration::apply() {
  if (!active_) return;
  get_state(image_);
  if (started_) {
    anderson_.accelerate(state_, image_);
    state_.array() = image_.array() / weight_.array();
    const int rows = static_cast<int>(8 * x_.size());
    std::vector<Lanes>& tau = constraints_.tau();
    std::memcpy(static_cast<void*>(x_.data()), state_.data(), sizeof(double) * rows);
    std::memcpy(tau.data(), state_.data() + rows, sizeof(Lanes) * tau.size());
  }
  state_ = image_;
  started_ = true;
}

}  // namespace stiction
