// Forces that need no control: springs, dampers, gravity compensation, the medium.
#include <stiction/tree.h>

#include "tree/drag.h"
#include "tree/springs.h"

namespace stiction {
namespace {

void add_joint_forces(const Model& model, const ConstVectorRef& qpos, const ConstVectorRef& qvel,
                      const TreeConstants& constants, VectorRef qfrc) {
  for (int j : constants.sprung_joints) {
    const Joint& joint = model.joints[j];
    const Vector6d d = spring_displacement(model, joint, qpos);
    for (int k = 0; k < joint.nv(); ++k) qfrc[joint.dof_begin + k] -= joint.stiffness * d[k];
  }
  qfrc -= constants.damping.cwiseProduct(qvel);
}

void add_tendon_forces(const Model& model, const ConstVectorRef& qpos, const ConstVectorRef& qvel,
                       VectorRef qfrc) {
  for (const Tendon& tendon : model.tendons) {
    if (tendon.stiffness == 0 && tendon.damping == 0) continue;
    const double force =
        -tendon.stiffness * tendon_stretch(tendon, tendon_length(model, tendon, qpos)) -
        tendon.damping * tendon_velocity(model, tendon, qvel);
    for (size_t i = 0; i < tendon.joints.size(); ++i) {
      qfrc[model.joints[tendon.joints[i]].dof_begin] += tendon.coefs[i] * force;
    }
  }
}

void add_gravity_compensation(const Model& model, const TreeData& data, VectorRef qfrc) {
  for (int b : data.constants.compensated_bodies) {
    const Body& body = model.bodies[b];
    add_force(data, b, data.p_WBcm[b], -body.gravcomp * body.mass * model.options.gravity,
              Eigen::Vector3d::Zero(), qfrc);
  }
}

}  // namespace

void compute_passive_forces(const Model& model, const ConstVectorRef& qpos,
                            const ConstVectorRef& qvel, TreeData& data) {
  data.passive.setZero();
  data.passive_other.setZero();
  data.gravity_compensation.setZero();
  if (!model.options.passive_enabled) return;
  add_joint_forces(model, qpos, qvel, data.constants, data.passive);
  add_tendon_forces(model, qpos, qvel, data.passive);
  add_drag(model, data, data.passive_other);
  if (model.options.gravity_enabled && !data.constants.compensated_bodies.empty()) {
    add_gravity_compensation(model, data, data.gravity_compensation);
    for (const Joint& joint : model.joints) {  // or it counts as actuation
      if (joint.actuator_gravcomp) continue;
      data.passive_other.segment(joint.dof_begin, joint.nv()) +=
          data.gravity_compensation.segment(joint.dof_begin, joint.nv());
    }
  }
  data.passive += data.passive_other;
}

}  // namespace stiction
