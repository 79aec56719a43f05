#include "sim/limits.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "sim/ports.h"
#include "sim/rows.h"
#include "tree/springs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// A limit is a constraint once the joint could reach it within a step at this speed, rad/s or m/s.
constexpr double kLimitSpeed = 10;
// What may be overrun unseen, rad or m: no more than what is recovered, and of ball joints what
// their linear row leaves.
constexpr double kOverrunJoint = 1e-9;
constexpr double kOverrunBall = 4e-6;

// A joint or tendon with limits.
struct Limited {
  SourceKind kind;
  int index;
  Range range;  ///< less the margin
  double position;
};

// MuJoCo's soft limits push from `margin` before the bound on, and come to rest there. Where
// margins overlap they balance in the middle.
Range within_margin(const Range& range, double margin) {
  const double middle = 0.5 * (range.lower + range.upper);
  const bool overlap = range.lower + margin > range.upper - margin;
  if (overlap) return {middle, middle};
  return {range.lower + margin, range.upper - margin};
}

struct Angle {
  double value;
  Vector3d axis;  ///< zero where it has none
};

Angle angle_of(const Eigen::Quaterniond& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  const double sine = q.vec().norm();
  if (sine < 1e-12) return {0, Vector3d::Zero()};
  return {2 * std::atan2(sine, sign * q.w()), sign * q.vec() / sine};
}

Eigen::Quaterniond ball_of(const Joint& joint, const VectorXd& qpos) {
  const auto q = qpos.segment<4>(joint.qpos_begin);
  return {q[0], q[1], q[2], q[3]};
}

Limited limited_joint(const Model& model, const VectorXd& qpos, int index) {
  const Joint& joint = model.joints[index];
  const SourceKind kind = SourceKind::kJointLimit;
  if (joint.type == JointType::kBall) {
    const double upper = std::max(joint.range.upper - joint.margin, 0.0);
    return {kind, index, {-kInfinity, upper}, angle_of(ball_of(joint, qpos)).value};
  }
  return {kind, index, within_margin(joint.range, joint.margin), qpos[joint.qpos_begin]};
}

Limited limited_tendon(const Model& model, const VectorXd& qpos, int index) {
  const Tendon& tendon = model.tendons[index];
  return {SourceKind::kTendonLimit, index, within_margin(tendon.range, tendon.margin),
          tendon_length(model, tendon, qpos)};
}

bool is_ball(const Model& model, const Limited& limited) {
  return limited.kind == SourceKind::kJointLimit &&
         model.joints[limited.index].type == JointType::kBall;
}

template <class Visit>
void visit_limits(const Model& model, const VectorXd& qpos, const Visit& visit) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.range.limited() || joint.type == JointType::kFree) continue;
    visit(limited_joint(model, qpos, j));
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const Tendon& tendon = model.tendons[t];
    if (tendon.range.limited() && !tendon.joints.empty()) visit(limited_tendon(model, qpos, t));
  }
}

// The rate of the position under v; of a ball joint, the largest that it may have.
double rate_of(const Model& model, const Limited& limited, const VectorXd& v) {
  if (limited.kind == SourceKind::kTendonLimit) {
    return tendon_velocity(model, model.tendons[limited.index], v);
  }
  const int dof = model.joints[limited.index].dof_begin;
  return is_ball(model, limited) ? v.segment<3>(dof).norm() : v[dof];
}

bool in_reach(const AssembleInput& input, const Limited& limited) {
  const double speed = std::max(std::abs(rate_of(input.model, limited, input.qvel)),
                                std::abs(rate_of(input.model, limited, input.expected)));
  const double reach = input.h * (kLimitSpeed + 2 * speed);
  return limited.position - limited.range.lower <= reach ||
         limited.range.upper - limited.position <= reach;
}

Constraint limit_law(const Range& range, double position, double h) {
  Constraint constraint;
  constraint.type = ConstraintType::kJointLimit;
  constraint.lower = std::min((range.lower - position) / h, 0.0);
  constraint.upper = std::max((range.upper - position) / h, 0.0);
  return constraint;
}

// Where a ball joint is after the step with velocity v.
Angle end_of_ball(const AssembleInput& input, const Limited& limited, const VectorXd& v) {
  const Joint& joint = input.model.joints[limited.index];
  return angle_of(ball_of(joint, input.qpos) *
                  exp_rotation(input.h * v.segment<3>(joint.dof_begin)));
}

// Outside, further out is forbidden, and the way back is for the recovery.
double furthest(const Limited& ball) { return std::max(ball.range.upper, ball.position); }

// angle(h omega) ~ angle_end + h axis_end . (omega - omega_expected)
void add_ball_limit(const AssembleInput& input, const Limited& limited, Problem& problem,
                    std::vector<ConstraintSource>& sources) {
  const Joint& joint = input.model.joints[limited.index];
  const Vector3d omega = input.expected.segment<3>(joint.dof_begin);
  const Angle end = end_of_ball(input, limited, input.expected);
  if (end.axis.isZero(0)) return;
  std::vector<int> dofs = {joint.dof_begin, joint.dof_begin + 1, joint.dof_begin + 2};
  std::vector<Vector3d> columns;
  for (int k = 0; k < 3; ++k) columns.emplace_back(end.axis[k], 0, 0);
  Constraint row;
  row.type = ConstraintType::kJointLimit;
  row.lower = -kInfinity;
  row.upper = (furthest(limited) - end.value) / input.h + end.axis.dot(omega);
  add_row(row, problem.dof_port(dofs, columns), limited.kind, limited.index, problem, sources);
}

}  // namespace

void add_limits(const AssembleInput& input, Problem& problem,
                std::vector<ConstraintSource>& sources) {
  const Model& model = input.model;
  visit_limits(model, input.qpos, [&](const Limited& limited) {
    if (!in_reach(input, limited)) return;
    if (limited.kind == SourceKind::kTendonLimit) {
      add_row(limit_law(limited.range, limited.position, input.h),
              tendon_port(model, model.tendons[limited.index], problem), limited.kind,
              limited.index, problem, sources);
    } else if (is_ball(model, limited)) {
      add_ball_limit(input, limited, problem, sources);
    } else {
      add_row(limit_law(limited.range, limited.position, input.h),
              problem.dof_port(model.joints[limited.index].dof_begin), limited.kind, limited.index,
              problem, sources);
    }
  });
}

bool passes_a_limit(const AssembleInput& input, const VectorXd& v) {
  if (!input.model.options.limit_enabled) return false;
  bool passes = false;
  visit_limits(input.model, input.qpos, [&](const Limited& limited) {
    if (passes) return;
    if (is_ball(input.model, limited)) {
      passes = end_of_ball(input, limited, v).value > furthest(limited) + kOverrunBall;
      return;
    }
    if (in_reach(input, limited)) return;
    const double next = limited.position + input.h * rate_of(input.model, limited, v);
    passes =
        next < limited.range.lower - kOverrunJoint || next > limited.range.upper + kOverrunJoint;
  });
  return passes;
}

double limit_gap(const Model& model, const VectorXd& qpos, const ConstraintSource& limit) {
  const Limited limited = limit.kind == SourceKind::kTendonLimit
                              ? limited_tendon(model, qpos, limit.index)
                              : limited_joint(model, qpos, limit.index);
  return std::min(limited.position - limited.range.lower, limited.range.upper - limited.position);
}

}  // namespace stiction
