#include <stiction/tree.h>

#include <algorithm>

#include "tree/drag.h"

namespace stiction {
namespace {

TreeLayout make_layout(const Model& model) {
  TreeLayout layout;
  layout.dof_body.resize(model.nv);
  layout.dof_parent.resize(model.nv);
  layout.last_dof.assign(model.bodies.size(), -1);
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    int previous = layout.last_dof[body.parent];
    for (int i = body.dof_begin; i < body.dof_begin + body.dof_count; ++i) {
      layout.dof_body[i] = static_cast<int>(b);
      layout.dof_parent[i] = previous;
      previous = i;
    }
    layout.last_dof[b] = previous;
  }
  layout.row_begin.push_back(0);
  for (int i = 0; i < model.nv; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(layout.col.size());
    for (int j = i; j >= 0; j = layout.dof_parent[j]) layout.col.push_back(j);
    std::reverse(layout.col.begin() + begin, layout.col.end());
    layout.row_begin.push_back(static_cast<int>(layout.col.size()));
  }
  return layout;
}

TreeConstants make_constants(const Model& model) {
  TreeConstants constants;
  constants.armature = constants.damping = constants.stiffness = Eigen::VectorXd::Zero(model.nv);
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    constants.armature.segment(joint.dof_begin, joint.nv()).setConstant(joint.armature);
    constants.damping.segment(joint.dof_begin, joint.nv()).setConstant(joint.damping);
    constants.stiffness.segment(joint.dof_begin, joint.nv()).setConstant(joint.stiffness);
    const int index = static_cast<int>(j);
    if (joint.stiffness != 0) constants.sprung_joints.push_back(index);
    if (joint.nv() == 1 && joint.actuator_force_range.limited()) {
      constants.clamped_joints.push_back(index);
    }
  }
  for (size_t b = 1; b < model.bodies.size(); ++b) {
    if (model.bodies[b].gravcomp != 0) constants.compensated_bodies.push_back(static_cast<int>(b));
  }
  return constants;
}

}  // namespace

TreeData::TreeData(const Model& model)
    : layout(make_layout(model)),
      constants(make_constants(model)),
      drag_boxes(make_drag_boxes(model)) {
  const size_t n = model.bodies.size();
  const int nv = model.nv;
  R_WB.assign(n, Eigen::Matrix3d::Identity());
  q_WB.assign(n, Eigen::Quaterniond::Identity());
  p_WB.assign(n, Eigen::Vector3d::Zero());
  p_WBcm.assign(n, Eigen::Vector3d::Zero());
  p_WO.assign(n, Eigen::Vector3d::Zero());
  S = Matrix6Xd::Zero(6, nv);
  inertia.resize(n);
  V.assign(n, Vector6d::Zero());
  momentum.assign(n, Vector6d::Zero());
  Vdot0.assign(n, Vector6d::Zero());
  M = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(layout.col.size()));
  composite.resize(n);
  L = M;
  D_inv = Eigen::VectorXd::Zero(nv);
  bias = Eigen::VectorXd::Zero(nv);
  passive = Eigen::VectorXd::Zero(nv);
  passive_other = Eigen::VectorXd::Zero(nv);
  gravity_compensation = Eigen::VectorXd::Zero(nv);
  actuator_force = Eigen::VectorXd::Zero(model.nu());
  actuation = Eigen::VectorXd::Zero(nv);
  wrench.assign(n, Vector6d::Zero());
  acceleration.assign(n, Vector6d::Zero());
  articulated.assign(n, Matrix6d::Zero());
  U = Matrix6Xd::Zero(6, nv);
  U_inv = Eigen::VectorXd::Zero(nv);
  work = Eigen::VectorXd::Zero(nv);
}

Matrix6d SpatialInertia::matrix() const {
  Matrix6d A = Matrix6d::Zero();
  A.diagonal().head<3>().setConstant(m);
  A.block<3, 3>(3, 0) << 0, -mc.z(), mc.y(), mc.z(), 0, -mc.x(), -mc.y(), mc.x(), 0;
  A.block<3, 3>(0, 3) = A.block<3, 3>(3, 0).transpose();
  A.block<3, 3>(3, 3) << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  return A;
}

}  // namespace stiction
