#include "sim/recovery_problem.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr double kGivingWay = 0.01;
constexpr double kHopeless = 0.5;

}  // namespace

RecoveryProblem::RecoveryProblem(const Problem& step, const VectorXd& Jv, double h, double share,
                                 double fastest)
    : step_(step),
      Jv_(Jv),
      h_(h),
      share_(share),
      fastest_(fastest),
      factor_(step),
      Y_(Eigen::Matrix4Xd::Zero(4, step.n())) {
  result_.subsystems = step.subsystems;
  result_.bodies = step.bodies;
  result_.sparse_blocks = step.sparse_blocks;
  result_.port_dofs = step.port_dofs;
  result_.port_columns = step.port_columns;
  e_.reserve(step.constraints.size());
}

double RecoveryProblem::speed_of(double depth) {
  const double speed = std::min(share_ * depth / h_, fastest_);
  largest_speed_ = std::max(largest_speed_, speed);
  return speed;
}

void RecoveryProblem::add(const Constraint& constraint, double gap_now, bool to_be_recovered,
                          double heaviest) {
  Constraint copy = constraint;
  const int row = constraint.row_begin;
  switch (constraint.type) {
    case ConstraintType::kContact: {
      const double gap = gap_now + h_ * Jv_[row + 2];
      const double depth = -gap - kRecoverySlop;
      copy.type = ConstraintType::kUnilateral;
      copy.rows = 1;
      if (depth > 0 && to_be_recovered) {
        const double R = compliance(constraint, heaviest);
        const double speed = speed_of(depth);
        if (R > 0) push_deep(copy, 2, -speed, speed, R);  // else nothing moves it
      } else {
        push(copy, 2, std::max(gap, 0.0) / h_);
      }
      break;
    }
    case ConstraintType::kJointLimit: {
      copy.lower = std::min(constraint.lower - Jv_[row], 0.0);
      copy.upper = std::max(constraint.upper - Jv_[row], 0.0);
      const double depth = -gap_now - kRecoverySlop;
      if (depth > 0 && to_be_recovered) {  // outside: back to the limit that is at hand
        const bool below = constraint.lower == 0;
        const double speed = speed_of(depth);
        (below ? copy.lower : copy.upper) = below ? speed : -speed;
        push_deep(copy, 0, 0, speed, compliance(constraint, heaviest));
      } else {
        push(copy, 0, 0);
      }
      break;
    }
    case ConstraintType::kUnilateral:
      push(copy, 0, std::max(step_.e[row] + Jv_[row], 0.0));
      break;
    case ConstraintType::kEquality:
      push(copy, 0, 0);
      break;
    case ConstraintType::kJointFriction:
    case ConstraintType::kSoft:
      break;
  }
  ++added_;
}

// Of all rows that the constraint has in the step.
double RecoveryProblem::compliance(const Constraint& constraint, double heaviest) {
  factor_.root_columns(constraint, Y_, slots_);
  double trace = 0;
  for (const int slot : slots_) {
    trace += Y_.col(slot).head<3>().squaredNorm();
    Y_.col(slot).setZero();
  }
  const double own = trace / constraint.rows;
  return kGivingWay * (heaviest > 0 ? std::min(own, 1 / heaviest) : own);
}

// The constraint with its ports, whose rows begin at `from` of the old ones.
void RecoveryProblem::push(Constraint constraint, int from, double offset) {
  const int ports = constraint.port_begin;
  constraint.row_begin = static_cast<int>(e_.size());
  constraint.port_begin = static_cast<int>(result_.ports.size());
  for (int p = 0; p < constraint.port_count; ++p) {
    Port port = step_.ports[ports + p];
    if (from > 0) {
      port.block.row(0) = port.block.row(from);
      port.block.bottomRows<2>().setZero();
    }
    result_.ports.push_back(port);
  }
  e_.insert(e_.end(), constraint.rows, offset);
  result_.constraints.push_back(constraint);
}

// The slack is a subsystem of one dof, by a body without inertia.
void RecoveryProblem::push_deep(Constraint constraint, int from, double offset, double speed,
                                double R) {
  push(constraint, from, offset);
  const int dof = step_.n() + static_cast<int>(slacks_.size());
  slacks_.push_back({added_, speed, 1 / R});
  ProblemBody body;
  body.dof_begin = dof;
  body.dof_count = 1;
  result_.subsystems.push_back({.dof_begin = dof,
                                .dof_count = 1,
                                .body_begin = static_cast<int>(result_.bodies.size()),
                                .body_count = 1});
  result_.bodies.push_back(body);
  result_.ports.push_back(result_.dof_port(dof));
  ++result_.constraints.back().port_count;
}

std::vector<int> RecoveryProblem::hopeless(const VectorXd& solution) const {
  std::vector<int> found;
  for (size_t k = 0; k < slacks_.size(); ++k) {
    const double gave_way = std::abs(solution[step_.n() + static_cast<Eigen::Index>(k)]);
    if (gave_way > kHopeless * slacks_[k].speed) found.push_back(slacks_[k].constraint);
  }
  return found;
}

const Problem& RecoveryProblem::finish() {
  const int n = step_.n();
  const int slacks = static_cast<int>(slacks_.size());
  result_.S.setZero(6, n + slacks);
  result_.S.leftCols(n) = step_.S;
  result_.D.resize(n + slacks);
  result_.D.head(n) = step_.D;
  for (int k = 0; k < slacks; ++k) result_.D[n + k] = slacks_[k].mass;
  result_.b.setZero(n + slacks);
  result_.e = Eigen::Map<const VectorXd>(e_.data(), static_cast<Eigen::Index>(e_.size()));
  return result_;
}

}  // namespace stiction
