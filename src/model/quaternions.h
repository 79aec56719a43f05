// Quaternions of models and of qpos.
#pragma once

#include <stiction/model.h>

#include <cmath>

namespace stiction {

inline bool is_nearly_unit(const Eigen::Quaterniond& q) { return std::abs(q.norm() - 1) <= 1e-6; }

/// Offset of the joint's quaternion in qpos, or -1.
inline int quaternion_begin(const Joint& joint) {
  if (joint.type == JointType::kFree) return joint.qpos_begin + 3;
  if (joint.type == JointType::kBall) return joint.qpos_begin;
  return -1;
}

/// Unit quaternions in qpos; zero ones are left alone.
inline void normalize_quaternions(const Model& model, Eigen::Ref<Eigen::VectorXd> qpos) {
  for (const Joint& joint : model.joints) {
    const int begin = quaternion_begin(joint);
    if (begin >= 0 && qpos.segment<4>(begin).norm() > 0) qpos.segment<4>(begin).normalize();
  }
}

}  // namespace stiction
