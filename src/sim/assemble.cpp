#include "sim/assemble.h"

#include <algorithm>
#include <cmath>

#include "sim/check_input.h"
#include "sim/equalities.h"
#include "sim/frames.h"
#include "sim/limits.h"
#include "sim/ports.h"
#include "sim/rows.h"
#include "sim/soft_rows.h"
#include "tree/springs.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kMostWidening = 3e-6;  // m; overlaps above 4e-6 m are recovered

// How far balls of two bodies that go round each other part within the step, m: their centres, d
// apart, move along the tangent, (h w_t)^2 / (2 d) out of the circle. Left to the next step these
// gaps, of nanometres in a pile that creeps, ask of jammed grains what only contacts that open can
// give. w_t is that of the step's start: what then stops overlaps by as much, so it is limited.
double widening(const ContactForce& contact, const AssembleInput& input) {
  const Geom& first = input.model.geoms[contact.geom1];
  const Geom& second = input.model.geoms[contact.geom2];
  if (!std::holds_alternative<Sphere>(first.shape)) return 0;
  if (!std::holds_alternative<Sphere>(second.shape)) return 0;
  const TreeData& tree = input.tree;
  const auto centre = [&](const Geom& geom) -> Vector3d {
    return tree.p_WB[geom.body] + tree.R_WB[geom.body] * geom.X_BG.p;
  };
  const Vector3d d = centre(second) - centre(first);
  const Vector3d w = (point_velocity(tree, second.body, centre(second)) -
                      point_velocity(tree, first.body, centre(first)))
                         .head<3>();
  const double sag = input.h * input.h * w.cross(d).squaredNorm() / (2 * std::pow(d.norm(), 3));
  return sag < kMostWidening ? sag : 0;
}

// e_n: the distance that may be closed this step, as a velocity; a touching or overlapping contact
// may not close further (recovery is another matter). One that is open by less than the tolerance
// shows touches: a bar on a hinge that is jammed could not close it without slip, so that rounding
// would ask for what friction forbids, and impulses that cancel each other grow without bound.
double normal_bias(const ContactForce& contact, const AssembleInput& input) {
  if (input.soft_contacts) return contact.gap / input.h;
  const double closing = (contact.gap + widening(contact, input)) / input.h;
  return closing > input.tolerance ? closing : 0;
}

void add_contacts(const AssembleInput& input, const std::vector<ContactForce>& contacts,
                  Problem& problem, std::vector<ConstraintSource>& sources) {
  const Structure& structure = input.structure;
  for (int k = 0; k < static_cast<int>(contacts.size()); ++k) {
    const ContactForce& contact = contacts[k];
    Constraint constraint;
    constraint.mu = contact.mu;
    constraint.port_begin = static_cast<int>(problem.ports.size());
    constraint.row_begin = 3 * k;
    for (const auto& [body, sign] :
         {std::pair(contact.body1, -1.0), std::pair(contact.body2, 1.0)}) {
      if (structure.mover[body] < 0) continue;
      problem.ports.push_back(
          point_port(structure, input.tree, body, contact.point_on(body), sign * contact.R_CW));
    }
    constraint.port_count = static_cast<int>(problem.ports.size()) - constraint.port_begin;
    problem.e.segment<3>(constraint.row_begin) << 0, 0, normal_bias(contact, input);
    problem.constraints.push_back(constraint);
    sources.push_back({SourceKind::kContact, k, 0, contact.id});
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
      add_row(friction, problem.dof_port(d), SourceKind::kJointFriction, d, problem, sources);
    }
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const Tendon& tendon = model.tendons[t];
    if (tendon.frictionloss <= 0 || tendon.joints.empty()) continue;
    friction.bound = h * tendon.frictionloss;
    add_row(friction, tendon_port(model, tendon, problem), SourceKind::kTendonFriction, t, problem,
            sources);
  }
}

std::string quoted(const std::string& name, int index) {
  return name.empty() ? "#" + std::to_string(index) : "'" + name + "'";
}

}  // namespace

Vector3d ContactForce::point_on(int body) const {
  return p_W + (body == body1 ? -0.5 : 0.5) * apart_W;
}

void assemble_constraints(const AssembleInput& input, const std::vector<ContactForce>& contacts,
                          Problem& problem, std::vector<ConstraintSource>& sources, VectorXd& phi) {
  const Model& model = input.model;
  problem.constraints.clear();
  problem.ports.clear();
  problem.port_dofs.clear();
  problem.port_columns.clear();
  problem.e.resize(3 * static_cast<Eigen::Index>(contacts.size()));
  sources.clear();
  add_contacts(input, contacts, problem, sources);
  if (model.options.limit_enabled) add_limits(input, problem, sources);
  if (model.options.frictionloss_enabled) add_friction(model, input.h, problem, sources);
  extend_e(problem);
  add_tendon_rows(input, problem, sources);
  add_servo_rows(input, problem, sources);
  add_springs(input, problem, sources);
  add_rolling(input, problem, sources);
  phi.resize(0);
  if (!model.options.equality_enabled) return;
  const Eigen::Index other_rows = problem.e.size();
  for (int q = 0; q < static_cast<int>(model.equalities.size()); ++q) {
    if (!input.eq_active[q]) continue;
    const size_t first = problem.constraints.size();
    add_equality(model, input.structure, input.tree, input.qpos, model.equalities[q], problem);
    for (size_t k = first; k < problem.constraints.size(); ++k) {
      const int part = static_cast<int>(k - first);
      sources.push_back(
          {SourceKind::kEquality, q, part, constraint_id(SourceKind::kEquality, q, part)});
    }
  }
  phi = problem.e.tail(problem.e.size() - other_rows);
  problem.e.tail(phi.size()).setZero();
}

std::string contact_name(const Model& model, const ContactForce& contact) {
  return "contact " + model.geom_label(contact.geom1) + " - " + model.geom_label(contact.geom2);
}

std::string constraint_name(const Model& model, const std::vector<ContactForce>& contacts,
                            const ConstraintSource& source) {
  switch (source.kind) {
    case SourceKind::kContact:
      return contact_name(model, contacts[source.index]);
    case SourceKind::kJointLimit:
      return "limit of " + model.joint_label(model.joints[source.index]);
    case SourceKind::kTendonLimit:
      return "limit of tendon " + quoted(model.tendons[source.index].name, source.index);
    case SourceKind::kJointFriction:
      return "friction of " + joint_label_at(model, &Joint::dof_begin, source.index);
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
    case SourceKind::kServo:
      return "actuator " + quoted(model.actuators[source.index].name, source.index);
  }
  return "";
}

}  // namespace stiction
