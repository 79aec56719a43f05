#include <stiction/tree.h>

#include "tree/inertia.h"
#include "tree/springs.h"

namespace stiction {
namespace {

double spring_energy(const Model& model, const ConstVectorRef& qpos, const TreeData& data) {
  double sum = 0;
  for (int j : data.constants.sprung_joints) {
    const Joint& joint = model.joints[j];
    sum += 0.5 * joint.stiffness * spring_displacement(model, joint, qpos).squaredNorm();
  }
  for (const Tendon& tendon : model.tendons) {
    const double stretch = tendon_stretch(tendon, tendon_length(model, tendon, qpos));
    sum += 0.5 * tendon.stiffness * stretch * stretch;
  }
  return sum;
}

}  // namespace

Energy energy(const Model& model, const ConstVectorRef& qpos, const ConstVectorRef& qvel,
              const TreeData& data) {
  Energy energy;
  if (model.options.passive_enabled) energy.potential = spring_energy(model, qpos, data);
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    if (model.options.gravity_enabled) {
      energy.potential -= model.bodies[b].mass * model.options.gravity.dot(data.p_WBcm[b]);
    }
    energy.kinetic += 0.5 * data.V[b].dot(data.momentum[b]);
  }
  energy.kinetic += 0.5 * qvel.dot(data.constants.armature.cwiseProduct(qvel));
  for (const Tendon& tendon : model.tendons) {
    const double velocity = tendon_velocity(model, tendon, qvel);
    energy.kinetic += 0.5 * tendon.armature * velocity * velocity;
  }
  return energy;
}

Eigen::Vector3d center_of_mass(const Model& model, const TreeData& data) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double mass = 0;
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    sum += model.bodies[b].mass * data.p_WBcm[b];
    mass += model.bodies[b].mass;
  }
  return mass > 0 ? Eigen::Vector3d(sum / mass) : sum;
}

Vector6d momentum(const Model& model, const TreeData& data) {
  const Eigen::Vector3d p_Wcm = center_of_mass(model, data);
  Vector6d sum = Vector6d::Zero();
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    Vector6d h = data.momentum[b];
    h.tail<3>() += (data.p_WO[b] - p_Wcm).cross(h.head<3>());
    sum += h;
  }
  return sum;
}

}  // namespace stiction
