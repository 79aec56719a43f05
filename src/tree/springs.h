// Where springs and tendons stand: shared by their forces and their energy.
#pragma once

#include <stiction/tree.h>

#include "math/rotation.h"

namespace stiction {

inline Eigen::Quaterniond quaternion_at(const ConstVectorRef& qpos, int begin) {
  return Eigen::Quaterniond(qpos[begin], qpos[begin + 1], qpos[begin + 2], qpos[begin + 3])
      .normalized();
}

/// How far the joint is from its spring's rest, in its dofs; the first joint.nv() entries count.
inline Vector6d spring_displacement(const Model& model, const Joint& joint,
                                    const ConstVectorRef& qpos) {
  Vector6d d = Vector6d::Zero();
  const int q = joint.qpos_begin;
  const auto turn = [&](int begin) {
    return log_rotation(quaternion_at(model.qpos0, begin).conjugate() * quaternion_at(qpos, begin));
  };
  switch (joint.type) {
    case JointType::kFree:
      d.head<3>() = qpos.segment<3>(q) - model.qpos0.segment<3>(q);
      d.tail<3>() = turn(q + 3);
      break;
    case JointType::kBall:
      d.head<3>() = turn(q);
      break;
    case JointType::kSlide:
    case JointType::kHinge:
      d[0] = qpos[q] - joint.springref;
      break;
  }
  return d;
}

inline double tendon_length(const Model& model, const Tendon& tendon, const ConstVectorRef& qpos) {
  double length = 0;
  for (size_t i = 0; i < tendon.joints.size(); ++i) {
    length += tendon.coefs[i] * qpos[model.joints[tendon.joints[i]].qpos_begin];
  }
  return length;
}

inline double tendon_velocity(const Model& model, const Tendon& tendon,
                              const ConstVectorRef& qvel) {
  double velocity = 0;
  for (size_t i = 0; i < tendon.joints.size(); ++i) {
    velocity += tendon.coefs[i] * qvel[model.joints[tendon.joints[i]].dof_begin];
  }
  return velocity;
}

/// Beyond the dead band of rest lengths.
inline double tendon_stretch(const Tendon& tendon, double length) {
  const Range& rest = tendon.spring_length;
  return length > rest.upper ? length - rest.upper : length < rest.lower ? length - rest.lower : 0;
}

}  // namespace stiction
