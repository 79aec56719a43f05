#include "tree/transmission.h"

#include <cmath>

#include "math/rotation.h"
#include "math/spatial.h"
#include "tree/springs.h"

namespace stiction {
namespace {

Pose site_pose(const Site& site, const TreeData& data) {
  return Pose{data.p_WB[site.body], data.q_WB[site.body]} * site.X_BS;
}

/// The last dof that moves both bodies, or -1.
int common_dof(const TreeData& data, int body1, int body2) {
  int i = data.layout.last_dof[body1], j = data.layout.last_dof[body2];
  while (i != j) (i > j ? i : j) = data.layout.dof_parent[std::max(i, j)];
  return i;
}

/// Moment::stretch of gear . phi: of what the gear has along and across phi, by squares.
double stretch_of(const Eigen::Vector3d& gear, const Eigen::Vector3d& phi) {
  constexpr double kMost = 100;  // at half a turn it is infinite, and phi changes its sign
  const double angle = phi.norm();
  const double along = gear.dot(phi);
  if (angle == 0 || gear.isZero(0)) return 1;
  const double across = 1 - along * along / (angle * angle * gear.squaredNorm());
  const double most = angle < kMost * std::sin(angle) ? angle / std::sin(angle) : kMost;
  return 1 + across * (most - 1);
}

Moment joint_moment(const Model& model, const Actuator& actuator, const ConstVectorRef& qpos) {
  const Joint& joint = model.joints[actuator.target];
  Moment moment;
  moment.dof_begin = joint.dof_begin;
  moment.dof_count = joint.nv();
  // The gear of a turning joint is in child axes, or in the parent's and then turned back.
  const auto child_axes = [&](const Eigen::Vector3d& gear, const Eigen::Quaterniond& q) {
    return actuator.transmission == Transmission::kJointInParent
               ? Eigen::Vector3d(q.conjugate() * gear)
               : gear;
  };
  const int begin = joint.qpos_begin;
  switch (joint.type) {
    case JointType::kFree:
      moment.has_length = false;
      moment.on_dofs << actuator.gear.head<3>(),
          child_axes(actuator.gear.tail<3>(), quaternion_at(qpos, begin + 3));
      break;
    case JointType::kBall: {
      const Eigen::Quaterniond q = quaternion_at(qpos, begin);
      moment.on_dofs.head<3>() = child_axes(actuator.gear.head<3>(), q);
      const Eigen::Vector3d phi = log_rotation(q);
      moment.length = phi.dot(moment.on_dofs.head<3>());
      moment.stretch = stretch_of(moment.on_dofs.head<3>(), phi);
      break;
    }
    case JointType::kSlide:
    case JointType::kHinge:
      moment.on_dofs[0] = actuator.gear[0];
      moment.length = actuator.gear[0] * qpos[begin];
      break;
  }
  return moment;
}

Moment tendon_moment(const Model& model, const Actuator& actuator, const ConstVectorRef& qpos) {
  Moment moment;
  moment.tendon = actuator.target;
  moment.tendon_gear = actuator.gear[0];
  moment.length = actuator.gear[0] * tendon_length(model, model.tendons[actuator.target], qpos);
  return moment;
}

/// A wrench fixed in the site's axes; with a reference site, in its axes and against its body.
Moment site_moment(const Model& model, const Actuator& actuator, const TreeData& data) {
  const Site& site = model.sites[actuator.target];
  const Pose X_WS = site_pose(site, data);
  const bool has_ref = actuator.ref_site >= 0;
  const Pose X_WR = has_ref ? site_pose(model.sites[actuator.ref_site], data) : X_WS;
  const Eigen::Vector3d force = X_WR.q * actuator.gear.head<3>();
  const Eigen::Vector3d torque = X_WR.q * actuator.gear.tail<3>();
  const auto wrench = [&](const Eigen::Vector3d& p_W, int body) {
    Vector6d w = wrench_at(p_W - data.p_WO[body], force);
    w.tail<3>() += torque;
    return w;
  };
  Moment moment;
  moment.bodies[0] = site.body;
  moment.wrenches[0] = wrench(X_WS.p, site.body);
  moment.has_length = has_ref;
  if (!has_ref) return moment;
  const int ref_body = model.sites[actuator.ref_site].body;
  moment.bodies[1] = ref_body;
  moment.wrenches[1] = -wrench(X_WR.p, ref_body);
  moment.common = common_dof(data, site.body, ref_body);
  const Eigen::Vector3d phi = log_rotation(X_WR.q.conjugate() * X_WS.q);
  moment.length = force.dot(X_WS.p - X_WR.p) + actuator.gear.tail<3>().dot(phi);
  moment.stretch = stretch_of(actuator.gear.tail<3>(), phi);
  return moment;
}

/// A rod of given length from the crank's pin to a slider that moves along the slider site's z axis
/// a: with v from slider site to pin, length = a.v - sqrt((a.v)^2 + rod^2 - v.v).
Moment slider_crank_moment(const Model& model, const Actuator& actuator, const TreeData& data) {
  const Site& crank = model.sites[actuator.target];
  const Site& slider = model.sites[actuator.ref_site];
  const Pose X_WC = site_pose(crank, data), X_WS = site_pose(slider, data);
  const Eigen::Vector3d axis = X_WS.q * Eigen::Vector3d::UnitZ();
  const Eigen::Vector3d v = X_WC.p - X_WS.p;
  const double av = axis.dot(v);
  const double det = av * av + actuator.crank_length * actuator.crank_length - v.squaredNorm();
  const double gear = actuator.gear[0];
  Moment moment;
  Eigen::Vector3d dl_dv = axis, dl_da = v;
  moment.length = gear * av;
  if (det > 0) {  // else the rod does not reach
    const double root = std::sqrt(det);
    moment.length -= gear * root;
    dl_dv = (1 - av / root) * axis + v / root;
    dl_da = (1 - av / root) * v;
  }
  moment.bodies = {crank.body, slider.body};
  moment.common = common_dof(data, crank.body, slider.body);
  moment.wrenches[0] = gear * wrench_at(X_WC.p - data.p_WO[crank.body], dl_dv);
  moment.wrenches[1] = -gear * wrench_at(X_WS.p - data.p_WO[slider.body], dl_dv);
  moment.wrenches[1].tail<3>() += gear * axis.cross(dl_da);
  return moment;
}

/// The joint of one dof that the actuator drives, or null.
const Joint* scalar_joint(const Model& model, const Actuator& actuator) {
  if (actuator.transmission != Transmission::kJoint &&
      actuator.transmission != Transmission::kJointInParent) {
    return nullptr;
  }
  const Joint& joint = model.joints[actuator.target];
  return joint.nv() == 1 ? &joint : nullptr;
}

/// Calls visit(dof, moment on it) for the moment's dofs.
template <typename Visit>
void for_each_dof(const Model& model, const Moment& moment, const TreeData& data, Visit visit) {
  for (int k = 0; k < moment.dof_count; ++k) visit(moment.dof_begin + k, moment.on_dofs[k]);
  if (moment.tendon >= 0) {
    const Tendon& tendon = model.tendons[moment.tendon];
    for (size_t i = 0; i < tendon.joints.size(); ++i) {
      visit(model.joints[tendon.joints[i]].dof_begin, moment.tendon_gear * tendon.coefs[i]);
    }
  }
  for (int side = 0; side < 2 && moment.bodies[side] >= 0; ++side) {
    for (int i = data.layout.last_dof[moment.bodies[side]]; i > moment.common;
         i = data.layout.dof_parent[i]) {
      visit(i, data.S.col(i).dot(moment.wrenches[side]));
    }
  }
}

}  // namespace

Moment actuator_moment(const Model& model, const Actuator& actuator, const ConstVectorRef& qpos,
                       const TreeData& data) {
  switch (actuator.transmission) {
    case Transmission::kJoint:
    case Transmission::kJointInParent:
      return joint_moment(model, actuator, qpos);
    case Transmission::kTendon:
      return tendon_moment(model, actuator, qpos);
    case Transmission::kSite:
      return site_moment(model, actuator, data);
    case Transmission::kSliderCrank:
      return slider_crank_moment(model, actuator, data);
    case Transmission::kBody:
    case Transmission::kNone:
      break;
  }
  return {};
}

double moment_velocity(const Model& model, const Moment& moment, const ConstVectorRef& qvel,
                       const TreeData& data) {
  double velocity = 0;
  for_each_dof(model, moment, data, [&](int i, double m) { velocity += m * qvel[i]; });
  return velocity;
}

std::vector<DofMoment> moment_on_dofs(const Model& model, const Moment& moment,
                                      const TreeData& data) {
  std::vector<DofMoment> list;
  for_each_dof(model, moment, data, [&list](int i, double m) {
    if (m != 0) list.push_back({i, m});
  });
  return list;
}

void add_moment(const Model& model, const Moment& moment, double force, const TreeData& data,
                VectorRef qfrc) {
  for_each_dof(model, moment, data, [&](int i, double m) { qfrc[i] += force * m; });
}

ActuatorMotion actuator_motion(const Model& model, const Actuator& actuator,
                               const ConstVectorRef& qpos, const ConstVectorRef& qvel,
                               const TreeData& data) {
  if (const Joint* joint = scalar_joint(model, actuator)) {
    return {actuator.gear[0] * qpos[joint->qpos_begin], actuator.gear[0] * qvel[joint->dof_begin]};
  }
  const Moment moment = actuator_moment(model, actuator, qpos, data);
  return {moment.length, moment_velocity(model, moment, qvel, data)};
}

void add_actuator_force(const Model& model, const Actuator& actuator, const ConstVectorRef& qpos,
                        double force, const TreeData& data, VectorRef qfrc) {
  if (const Joint* joint = scalar_joint(model, actuator)) {
    qfrc[joint->dof_begin] += force * actuator.gear[0];
    return;
  }
  add_moment(model, actuator_moment(model, actuator, qpos, data), force, data, qfrc);
}

}  // namespace stiction
