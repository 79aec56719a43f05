#include "sim/frames.h"

#include <array>

#include "contact/jacobian.h"
#include "geometry/bounds.h"
#include "geometry/collide.h"
#include "math/spatial.h"
#include "sim/pivots.h"
#include "sim/simulation_impl.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// The bodies that a constraint ties, -1 for none: of welded ones the body that was named, not the
// one that carries it.
std::array<int, 2> tied_bodies(const Simulation::Impl& sim, const ConstraintSource& source) {
  switch (source.kind) {
    case SourceKind::kEquality: {
      const Equality& equality = sim.model.equalities[source.index];
      return {equality.object1, equality.object2};
    }
    case SourceKind::kSpring:
      return {sim.springs[source.index].body1, sim.springs[source.index].body2};
    case SourceKind::kRolling:
      return {sim.rolling[source.index].body, -1};
    default:
      return {-1, -1};
  }
}

// Contacts, connects, welds, springs and applied wrenches, per body about its tree's O.
std::vector<Vector6d> external_wrenches(const Simulation::Impl& sim) {
  std::vector<Vector6d> external(sim.model.bodies.size(), Vector6d::Zero());
  const auto add = [&](int body, const Vector3d& p_W, const Vector3d& force) {
    external[body] += wrench_at(p_W - sim.tree.p_WO[body], force);
  };
  for (const ContactForce& contact : sim.contacts) {
    add(contact.body1, contact.point_on(contact.body1), -contact.force_W);
    add(contact.body2, contact.point_on(contact.body2), contact.force_W);
  }
  for (size_t i = 0; i < sim.sources.size(); ++i) {
    if (sim.sources[i].kind == SourceKind::kContact) continue;
    const Constraint& constraint = sim.problem.constraints[i];
    if (sim.problem.ports[constraint.port_begin].body < 0) continue;  // on dofs
    const Vector3d lambda = rows_of(constraint, sim.solution.lambda) / sim.h;
    int next = constraint.port_begin;  // there is a port for each body that moves
    for (const int body : tied_bodies(sim, sim.sources[i])) {
      if (body < 0 || sim.structure.mover[body] < 0) continue;
      external[body] += sim.problem.ports[next++].block.transpose() * lambda;
    }
  }
  for (int b = 1; b < sim.wrenches.cols(); ++b) {
    add(b, sim.tree.p_WBcm[b], sim.wrenches.col(b).head<3>());
    external[b].tail<3>() += sim.wrenches.col(b).tail<3>();
  }
  return external;
}

}  // namespace

ObjectFrame object_frame(const Model& model, const TreeData& tree, ObjectType type, int object) {
  const auto on_body = [&](int body, const Pose& X_B) {
    return ObjectFrame{Pose{tree.p_WB[body], tree.q_WB[body]} * X_B, body};
  };
  switch (type) {
    case ObjectType::kBody:
      return on_body(object, Pose{model.bodies[object].com, Eigen::Quaterniond::Identity()});
    case ObjectType::kXBody:
      return on_body(object, Pose{});
    case ObjectType::kGeom:
      return on_body(model.geoms[object].body, model.geoms[object].X_BG);
    case ObjectType::kSite:
      return on_body(model.sites[object].body, model.sites[object].X_BS);
    case ObjectType::kCamera:
      return on_body(model.cameras[object].body, model.cameras[object].X_BC);
    default:
      return {};
  }
}

Vector6d point_velocity(const TreeData& tree, int body, const Vector3d& p_W) {
  return shift_twist(tree.V[body], p_W - tree.p_WO[body]);
}

BodyForces::BodyForces(Simulation::Impl& sim) {
  VectorXd qacc = sim.solution.v - sim.qvel_before;
  turn_arms(sim.structure, sim.tree, sim.h, qacc);
  qacc /= sim.h;
  VectorXd tau(sim.model.nv);
  inverse_dynamics(sim.model, qacc, sim.tree, tau);
  acceleration = sim.tree.acceleration;
  interaction = sim.tree.wrench;
  std::vector<Vector6d> external = external_wrenches(sim);
  for (int b = static_cast<int>(sim.model.bodies.size()) - 1; b > 0; --b) {
    interaction[b] -= external[b];
    const int parent = sim.model.bodies[b].parent;
    if (parent > 0) external[parent] += external[b];
  }
}

Vector6d BodyForces::point_acceleration(const Simulation::Impl& sim, int body,
                                        const Vector3d& p_W) const {
  const Model& model = sim.model;
  Vector6d a = Vector6d::Zero();
  if (model.options.gravity_enabled) a.head<3>() = -model.options.gravity;
  if (body == 0) return a;
  const Vector6d spatial = sim.tree.Vdot0[body] + acceleration[body];
  const Vector6d velocity = point_velocity(sim.tree, body, p_W);
  const Vector3d omega = velocity.tail<3>();
  a.head<3>() += spatial.head<3>() + spatial.tail<3>().cross(p_W - sim.tree.p_WO[body]) +
                 omega.cross(velocity.head<3>());
  a.tail<3>() = spatial.tail<3>();
  return a;
}

double touch_force(const Simulation::Impl& sim, int site) {
  const Site& where = sim.model.sites[site];
  const ObjectFrame frame = object_frame(sim.model, sim.tree, ObjectType::kSite, site);
  const Frame X_WS{frame.X_W.q.toRotationMatrix(), frame.X_W.p};
  const double size = extent(where.shape).radius();
  double sum = 0;
  for (const ContactForce& contact : sim.contacts) {
    const bool first = contact.body1 == where.body;
    if (!first && contact.body2 != where.body) continue;
    const Vector3d n = contact.R_CW.row(2);
    const double force = n.dot(contact.force_W);
    if (force <= 0) continue;
    // A ray from the contact out of the body, as a thin segment that is long enough.
    const Vector3d p = contact.point_on(where.body);
    const double length = 2 * size + (p - X_WS.p).norm();
    const Vector3d d = first ? n : -n;
    const Frame X_WR{Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), d).toRotationMatrix(),
                     p + 0.5 * length * d};
    std::vector<ContactPoint> points;
    collide(where.shape, X_WS, Shape(Capsule{0, 0.5 * length}), X_WR, 0, points);
    if (!points.empty()) sum += force;
  }
  return sum;
}

}  // namespace stiction
