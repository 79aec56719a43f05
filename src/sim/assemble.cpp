#include "sim/assemble.h"

#include <algorithm>
#include <cmath>

#include "sim/equalities.h"
#include "sim/ports.h"
#include "sim/soft_rows.h"
#include "tree/springs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// A limit is a constraint once the joint could reach it within a step at this speed, rad/s or m/s.
constexpr double kLimitSpeed = 10;

// e_n: the distance that may be closed this step, as a velocity; a touching or overlapping contact
// may not close further (recovery is another matter), and one that hits now bounces.
double normal_bias(const ContactForce& contact, double approach, double h, bool soft) {
  if (soft) return contact.gap / h;
  const bool hits = contact.gap + h * approach < 0;
  if (contact.restitution > 0 && hits && approach < 0) return contact.restitution * approach;
  return std::max(contact.gap, 0.0) / h;
}

int end_row(const Problem& problem) {
  if (problem.constraints.empty()) return 0;
  return problem.constraints.back().row_begin + problem.constraints.back().rows;
}

void add_contacts(const Structure& structure, const TreeData& tree,
                  const std::vector<ContactForce>& contacts, double h, bool soft, Problem& problem,
                  std::vector<ConstraintSource>& sources) {
  for (int k = 0; k < static_cast<int>(contacts.size()); ++k) {
    const ContactForce& contact = contacts[k];
    double approach = 0;
    Constraint constraint;
    constraint.mu = contact.mu;
    constraint.port_begin = static_cast<int>(problem.ports.size());
    constraint.row_begin = 3 * k;
    for (const auto& [body, sign] :
         {std::pair(contact.body1, -1.0), std::pair(contact.body2, 1.0)}) {
      if (structure.mover[body] < 0) continue;
      problem.ports.push_back(point_port(structure, tree, body, contact.p_W, sign * contact.R_CW));
      approach += problem.ports.back().block.row(2).dot(tree.V[body]);
    }
    constraint.port_count = static_cast<int>(problem.ports.size()) - constraint.port_begin;
    problem.e.segment<3>(constraint.row_begin) << 0, 0, normal_bias(contact, approach, h, soft);
    problem.constraints.push_back(constraint);
    sources.push_back({SourceKind::kContact, k, 0, contact.id});
  }
}

// Adds a constraint of one row whose e is zero, but not its e: extend_e does, for many at once.
void add_row(Constraint constraint, const Port& port, const ConstraintSource& source,
             Problem& problem, std::vector<ConstraintSource>& sources) {
  constraint.rows = 1;
  constraint.row_begin = end_row(problem);
  constraint.port_begin = static_cast<int>(problem.ports.size());
  constraint.port_count = 1;
  problem.ports.push_back(port);
  problem.constraints.push_back(constraint);
  sources.push_back(source);
}

void extend_e(Problem& problem) {
  const Eigen::Index before = problem.e.size();
  problem.e.conservativeResize(end_row(problem));
  problem.e.tail(problem.e.size() - before).setZero();
}

bool in_reach(const Range& range, double position, double speed, double margin, double h) {
  const double reach = h * (kLimitSpeed + 2 * std::abs(speed)) + margin;
  return position - range.lower <= reach || range.upper - position <= reach;
}

Constraint limit_law(const Range& range, double position, double h) {
  Constraint constraint;
  constraint.type = ConstraintType::kJointLimit;
  constraint.lower = std::min((range.lower - position) / h, 0.0);
  constraint.upper = std::max((range.upper - position) / h, 0.0);
  return constraint;
}

ConstraintSource source_of(SourceKind kind, int index) {
  return {kind, index, 0, constraint_id(kind, index)};
}

// The rotation angle of a ball joint, and its rate: axis . omega in child axes.
void add_ball_limit(const Joint& joint, int index, const VectorXd& qpos, double h, Problem& problem,
                    std::vector<ConstraintSource>& sources) {
  const Eigen::Vector4d q = qpos.segment<4>(joint.qpos_begin);
  const double sign = q[0] < 0 ? -1 : 1;
  const double sine = q.tail<3>().norm();
  if (sine < 1e-12) return;
  const double angle = 2 * std::atan2(sine, sign * q[0]);
  const Vector3d axis = sign * q.tail<3>() / sine;
  const Range range{-kInfinity, joint.range.upper};
  if (!in_reach(range, angle, 0, joint.margin, h)) return;
  std::vector<int> dofs = {joint.dof_begin, joint.dof_begin + 1, joint.dof_begin + 2};
  std::vector<Vector3d> columns;
  for (int k = 0; k < 3; ++k) columns.emplace_back(axis[k], 0, 0);
  add_row(limit_law(range, angle, h), problem.dof_port(dofs, columns),
          source_of(SourceKind::kJointLimit, index), problem, sources);
}

void add_limits(const Model& model, const VectorXd& qpos, const VectorXd& qvel, double h,
                Problem& problem, std::vector<ConstraintSource>& sources) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.range.limited() || joint.type == JointType::kFree) continue;
    if (joint.type == JointType::kBall) {
      add_ball_limit(joint, j, qpos, h, problem, sources);
      continue;
    }
    const double position = qpos[joint.qpos_begin];
    if (!in_reach(joint.range, position, qvel[joint.dof_begin], joint.margin, h)) continue;
    add_row(limit_law(joint.range, position, h), problem.dof_port(joint.dof_begin),
            source_of(SourceKind::kJointLimit, j), problem, sources);
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const Tendon& tendon = model.tendons[t];
    if (!tendon.range.limited() || tendon.joints.empty()) continue;
    const double length = tendon_length(model, tendon, qpos);
    const double speed = tendon_velocity(model, tendon, qvel);
    if (!in_reach(tendon.range, length, speed, tendon.margin, h)) continue;
    add_row(limit_law(tendon.range, length, h), tendon_port(model, tendon, problem),
            source_of(SourceKind::kTendonLimit, t), problem, sources);
  }
}

void add_friction(const Model& model, double h, Problem& problem,
                  std::vector<ConstraintSource>& sources) {
  Constraint friction;
  friction.type = ConstraintType::kJointFriction;
  for (const Joint& joint : model.joints) {
    if (joint.frictionloss <= 0) continue;
    friction.bound = h * joint.frictionloss;
    for (int d = joint.dof_begin; d < joint.dof_begin + joint.nv(); ++d) {
      add_row(friction, problem.dof_port(d), source_of(SourceKind::kJointFriction, d), problem,
              sources);
    }
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const Tendon& tendon = model.tendons[t];
    if (tendon.frictionloss <= 0 || tendon.joints.empty()) continue;
    friction.bound = h * tendon.frictionloss;
    add_row(friction, tendon_port(model, tendon, problem),
            source_of(SourceKind::kTendonFriction, t), problem, sources);
  }
}

std::string quoted(const std::string& name, int index) {
  return name.empty() ? "#" + std::to_string(index) : "'" + name + "'";
}

}  // namespace

std::uint64_t constraint_id(SourceKind kind, int index, int part) {
  return (1ull << 63) | static_cast<std::uint64_t>(kind) << 56 |
         static_cast<std::uint64_t>(part) << 40 | static_cast<std::uint64_t>(index);
}

void assemble_constraints(const AssembleInput& input, const std::vector<ContactForce>& contacts,
                          Problem& problem, std::vector<ConstraintSource>& sources) {
  const Model& model = input.model;
  problem.constraints.clear();
  problem.ports.clear();
  problem.port_dofs.clear();
  problem.port_columns.clear();
  problem.e.resize(3 * static_cast<Eigen::Index>(contacts.size()));
  sources.clear();
  add_contacts(input.structure, input.tree, contacts, input.h, input.soft_contacts, problem,
               sources);
  if (model.options.limit_enabled) {
    add_limits(model, input.qpos, input.qvel, input.h, problem, sources);
  }
  if (model.options.frictionloss_enabled) add_friction(model, input.h, problem, sources);
  extend_e(problem);
  add_tendon_rows(input, problem, sources);
  add_springs(input, problem, sources);
  add_rolling(input, problem, sources);
  if (!model.options.equality_enabled) return;
  for (int q = 0; q < static_cast<int>(model.equalities.size()); ++q) {
    const size_t first = problem.constraints.size();
    add_equality(model, input.structure, input.tree, input.qpos, model.equalities[q], input.h,
                 input.recovery_speed, problem);
    for (size_t k = first; k < problem.constraints.size(); ++k) {
      const int part = static_cast<int>(k - first);
      sources.push_back(
          {SourceKind::kEquality, q, part, constraint_id(SourceKind::kEquality, q, part)});
    }
  }
}

std::string constraint_name(const Model& model, const std::vector<ContactForce>& contacts,
                            const ConstraintSource& source) {
  switch (source.kind) {
    case SourceKind::kContact: {
      const ContactForce& contact = contacts[source.index];
      return "contact " + model.geom_label(contact.geom1) + " - " + model.geom_label(contact.geom2);
    }
    case SourceKind::kJointLimit:
      return "limit of " + model.joint_label(model.joints[source.index]);
    case SourceKind::kTendonLimit:
      return "limit of tendon " + quoted(model.tendons[source.index].name, source.index);
    case SourceKind::kJointFriction:
      return "friction of dof " + std::to_string(source.index);
    case SourceKind::kTendonFriction:
      return "friction of tendon " + quoted(model.tendons[source.index].name, source.index);
    case SourceKind::kTendonDynamics:
      return "dynamics of tendon " + quoted(model.tendons[source.index].name, source.index);
    case SourceKind::kEquality:
      return "equality " + quoted(model.equalities[source.index].name, source.index);
    case SourceKind::kSpring:
      return "spring #" + std::to_string(source.index);
    case SourceKind::kRolling:
      return "rolling #" + std::to_string(source.index);
  }
  return "";
}

}  // namespace stiction
