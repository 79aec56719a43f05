// Poses, joint columns, inertias; then twists and their rates.
#include <stiction/tree.h>

#include <cmath>

#include "math/rotation.h"
#include "math/spatial.h"
#include "tree/inertia.h"

namespace stiction {
namespace {

Eigen::Quaterniond unit_quaternion(const double* wxyz) {
  return Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized();
}

/// A body while its joints are applied one after the other: each turns or moves it from where the
/// previous one left it, in its axes of that moment.
struct MovingBody {
  Eigen::Vector3d p;
  Eigen::Quaterniond q;

  /// Turns by q_J about the point `anchor` of the body and returns where that point is.
  Eigen::Vector3d turn(const Eigen::Quaterniond& q_J, const Eigen::Vector3d& anchor) {
    if (anchor.isZero(0)) {
      q = q * q_J;
      return p;
    }
    const Eigen::Vector3d p_WA = p + q * anchor;
    q = q * q_J;
    p = p_WA - q * anchor;
    return p_WA;
  }
};

/// Columns of a rotation about three body axes through a point at r from O.
void set_ball_columns(const Eigen::Quaterniond& q, const Eigen::Vector3d& r, int dof,
                      Matrix6Xd& S) {
  const Eigen::Matrix3d R = q.toRotationMatrix();
  for (int k = 0; k < 3; ++k) {
    S.col(dof + k).head<3>() = r.cross(R.col(k));
    S.col(dof + k).tail<3>() = R.col(k);
  }
}

/// Moves the body by the joint's position and writes the joint's columns about p_WO.
void apply_joint(const Joint& joint, const double* q_J, const Eigen::Vector3d& p_WO,
                 MovingBody& body, Matrix6Xd& S) {
  const int dof = joint.dof_begin;
  switch (joint.type) {
    case JointType::kFree:
      S.block<6, 3>(0, dof).setIdentity();
      set_ball_columns(body.q, body.p - p_WO, dof + 3, S);
      break;
    case JointType::kBall: {
      const Eigen::Vector3d p_WA = body.turn(unit_quaternion(q_J), joint.anchor);
      set_ball_columns(body.q, p_WA - p_WO, dof, S);
      break;
    }
    case JointType::kSlide: {
      const Eigen::Vector3d axis = body.q * joint.axis;
      body.p += (*q_J - joint.ref) * axis;
      S.col(dof) << axis, 0, 0, 0;
      break;
    }
    case JointType::kHinge: {
      const double half = 0.5 * (*q_J - joint.ref);
      const Eigen::Vector3d v = std::sin(half) * joint.axis;
      const Eigen::Vector3d p_WA = body.turn({std::cos(half), v.x(), v.y(), v.z()}, joint.anchor);
      const Eigen::Vector3d axis = body.q * joint.axis;
      S.col(dof).head<3>() = (p_WA - p_WO).cross(axis);
      S.col(dof).tail<3>() = axis;
      break;
    }
  }
}

/// Where the body would be with its joints at their reference positions; a free joint says it all.
MovingBody start_of(const Model& model, const Body& body, const ConstVectorRef& qpos,
                    const TreeData& data) {
  if (body.joint_count == 1 && model.joints[body.joint_begin].type == JointType::kFree) {
    const double* q_J = qpos.data() + model.joints[body.joint_begin].qpos_begin;
    return {{q_J[0], q_J[1], q_J[2]}, unit_quaternion(q_J + 3)};
  }
  return {data.p_WB[body.parent] + data.R_WB[body.parent] * body.X_PB.p,
          data.q_WB[body.parent] * body.X_PB.q};
}

}  // namespace

void update_kinematics(const Model& model, const ConstVectorRef& qpos, TreeData& data) {
  const int n = static_cast<int>(model.bodies.size());
  for (int b = 1; b < n; ++b) {
    const Body& body = model.bodies[b];
    const bool is_root = body.root == b;
    MovingBody moving = start_of(model, body, qpos, data);
    Eigen::Vector3d p_WO = is_root ? moving.p : data.p_WO[body.root];
    for (int j = body.joint_begin; j < body.joint_begin + body.joint_count; ++j) {
      const Joint& joint = model.joints[j];
      apply_joint(joint, qpos.data() + joint.qpos_begin, p_WO, moving, data.S);
    }
    if (is_root) {  // the reference point goes along with the root
      const Eigen::Vector3d d = moving.p - p_WO;
      for (int i = body.dof_begin; i < body.dof_begin + body.dof_count; ++i) {
        data.S.col(i) = shift_twist(data.S.col(i), d);
      }
      p_WO = moving.p;
    }
    data.p_WB[b] = moving.p;
    data.q_WB[b] = moving.q;
    const Eigen::Matrix3d R = moving.q.toRotationMatrix();
    data.R_WB[b] = R;
    data.p_WO[b] = p_WO;
    data.p_WBcm[b] = moving.p + R * body.com;
    data.inertia[b] = make_inertia(body.mass, data.p_WBcm[b] - p_WO, body.inertia, R);
  }
}

void update_velocity(const Model& model, const ConstVectorRef& qvel, TreeData& data) {
  const int n = static_cast<int>(model.bodies.size());
  for (int b = 1; b < n; ++b) {
    const Body& body = model.bodies[b];
    Vector6d V = data.V[body.parent];
    Vector6d Vdot0 = data.Vdot0[body.parent];
    for (int j = body.joint_begin; j < body.joint_begin + body.joint_count; ++j) {
      const Joint& joint = model.joints[j];
      int dof = joint.dof_begin;
      const int end = dof + joint.nv();
      if (joint.type == JointType::kFree) {  // world axes: these columns do not turn
        V.head<3>() += qvel.segment<3>(dof);
        dof += 3;
      }
      Vector6d joint_twist = data.S.col(dof) * qvel[dof];
      for (int i = dof + 1; i < end; ++i) joint_twist += data.S.col(i) * qvel[i];
      // Columns are carried by the frame before the joint; for several columns, which turn with
      // the joint itself, the difference joint_twist x joint_twist is zero.
      Vdot0 += cross_motion(V, joint_twist);
      V += joint_twist;
    }
    data.V[b] = V;
    data.momentum[b] = data.inertia[b] * V;
    data.Vdot0[b] = Vdot0;
  }
}

}  // namespace stiction
