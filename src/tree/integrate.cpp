// Positions are integrated where they live: vectors by addition, quaternions by q <- q exp(h w)
// with w in body axes.
#include <stiction/tree.h>

#include "math/rotation.h"
#include "tree/springs.h"

namespace stiction {
namespace {

void turn(const Eigen::Vector3d& w, int begin, VectorRef qpos) {
  const Eigen::Quaterniond q = (quaternion_at(qpos, begin) * exp_rotation(w)).normalized();
  qpos.segment<4>(begin) << q.w(), q.vec();
}

Eigen::Vector3d turn_between(const ConstVectorRef& q0, const ConstVectorRef& q1, int begin) {
  return log_rotation(quaternion_at(q0, begin).conjugate() * quaternion_at(q1, begin));
}

}  // namespace

void integrate_positions(const Model& model, const ConstVectorRef& qvel, double h, VectorRef qpos) {
  for (const Joint& joint : model.joints) {
    const int q = joint.qpos_begin, v = joint.dof_begin;
    switch (joint.type) {
      case JointType::kFree:
        qpos.segment<3>(q) += h * qvel.segment<3>(v);
        turn(h * qvel.segment<3>(v + 3), q + 3, qpos);
        break;
      case JointType::kBall:
        turn(h * qvel.segment<3>(v), q, qpos);
        break;
      case JointType::kSlide:
      case JointType::kHinge:
        qpos[q] += h * qvel[v];
        break;
    }
  }
}

Eigen::VectorXd position_difference(const Model& model, const ConstVectorRef& q0,
                                    const ConstVectorRef& q1) {
  Eigen::VectorXd difference(model.nv);
  for (const Joint& joint : model.joints) {
    const int q = joint.qpos_begin, v = joint.dof_begin;
    switch (joint.type) {
      case JointType::kFree:
        difference.segment<3>(v) = q1.segment<3>(q) - q0.segment<3>(q);
        difference.segment<3>(v + 3) = turn_between(q0, q1, q + 3);
        break;
      case JointType::kBall:
        difference.segment<3>(v) = turn_between(q0, q1, q);
        break;
      case JointType::kSlide:
      case JointType::kHinge:
        difference[v] = q1[q] - q0[q];
        break;
    }
  }
  return difference;
}

}  // namespace stiction
