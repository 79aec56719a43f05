// Joints, and the order that ModelBuilder gives them.
#include <cmath>

#include "model/checks.h"

namespace stiction {
namespace {

bool is_rotation(const Joint& joint) {
  return joint.type == JointType::kBall || joint.type == JointType::kHinge;
}

/// Hinges about one line or slides along one direction: only the sum of their rates moves the body,
/// in whatever position, and without armature their mass matrix is singular.
bool same_motion(const Joint& a, const Joint& b) {
  if (a.type != b.type || a.axis.cross(b.axis).norm() > 1e-9 || a.armature + b.armature > 0) {
    return false;
  }
  const Eigen::Vector3d between = b.anchor - a.anchor;
  return a.type == JointType::kSlide ||
         (a.type == JointType::kHinge && a.axis.cross(between).norm() <= 1e-9 * between.norm());
}

/// What the joints before it in its body forbid: that velocities are not unique.
void check_joints_beside(const Model& model, const Part& where, const Joint& joint) {
  const Body& body = model.bodies[joint.body];
  if (joint.type == JointType::kFree && (body.parent != 0 || body.joint_count != 1)) {
    refuse(where, "is free, expected the only joint of a child of the world");
  }
  if (body.dof_count > 6) {
    refuse(where, "is one of " + std::to_string(body.dof_count) + " degrees of freedom of " +
                      model.body_label(joint.body) + ", expected at most 6");
  }
  for (int j = body.joint_begin; j < where.index; ++j) {
    const Joint& before = model.joints[j];
    if (before.type == JointType::kBall && is_rotation(joint)) {
      refuse(where, "turns a body that " + model.joint_label(before) +
                        " lets turn freely, expected no hinge or ball after a ball");
    }
    if (j + 1 == where.index && same_motion(before, joint)) {
      refuse(where, "moves its body as " + model.joint_label(before) +
                        " does, expected another axis, or armature");
    }
  }
}

void check_equal(const Part& where, const char* what, int value, int expected) {
  if (value == expected) return;
  refuse(where, std::string(what) + " is " + std::to_string(value) + ", expected " +
                    std::to_string(expected) + ", which ModelBuilder finds");
}

}  // namespace

void validate_joint(const Model& model, const Part& where, const Joint& joint) {
  check_joints_beside(model, where, joint);
  check_finite(where, "anchor", joint.anchor);
  check_finite(where, "axis", joint.axis);
  const bool has_axis = joint.type == JointType::kHinge || joint.type == JointType::kSlide;
  if (has_axis && std::abs(joint.axis.norm() - 1) > 1e-6) {
    refuse(where, "axis has length " + text(joint.axis.norm()) + ", expected 1");
  }
  check_range(where, "range", joint.range);
  if (joint.type == JointType::kFree && joint.range.limited()) {
    refuse(where, "range is [" + text(joint.range.lower) + ", " + text(joint.range.upper) +
                      "], expected none of a free joint");
  }
  if (joint.type == JointType::kBall) {
    if (joint.range.lower != 0 && joint.range.lower != -kInfinity) {
      refuse(where, "range begins with " + text(joint.range.lower) + ", expected 0 for a ball joint");
    }
    if (joint.range.upper < 0) {
      refuse(where, "range ends with " + text(joint.range.upper) + ", expected an angle >= 0");
    }
  }
  check_range(where, "actuator force range", joint.actuator_force_range);
  check_finite(where, "margin", joint.margin);
  check_finite(where, "ref", joint.ref);
  check_finite(where, "springref", joint.springref);
  check_not_negative(where, "stiffness", joint.stiffness);
  check_not_negative(where, "damping", joint.damping);
  check_not_negative(where, "armature", joint.armature);
  check_not_negative(where, "frictionloss", joint.frictionloss);
}

void validate_order(const Model& model) {
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Part where{"joint", k, model.joints[k].name};
    check_index(where, "body", model.joints[k].body, model.bodies.size());
    if (model.joints[k].body == 0) refuse(where, "belongs to the world, which does not move");
  }
  int j = 0, q = 0, v = 0;
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i) {
    const Body& body = model.bodies[i];
    const Part where{"body", i, body.name};
    check_equal(where, "joint_begin", body.joint_begin, j);
    check_equal(where, "dof_begin", body.dof_begin, v);
    check_equal(where, "root", body.root, i == 0 || body.parent == 0 ? i : model.bodies[body.parent].root);
    for (; j < static_cast<int>(model.joints.size()) && model.joints[j].body == i; ++j) {
      const Joint& joint = model.joints[j];
      const Part which{"joint", j, joint.name};
      check_equal(which, "qpos_begin", joint.qpos_begin, q);
      check_equal(which, "dof_begin", joint.dof_begin, v);
      q += joint.nq();
      v += joint.nv();
    }
    check_equal(where, "joint_count", body.joint_count, j - body.joint_begin);
    check_equal(where, "dof_count", body.dof_count, v - body.dof_begin);
  }
  const Part whole{"model", -1};
  check_equal(whole, "number of joints in order of their bodies", j,
              static_cast<int>(model.joints.size()));
  check_equal(whole, "nq", model.nq, q);
  check_equal(whole, "nv", model.nv, v);
  check_equal(whole, "size of qpos0", static_cast<int>(model.qpos0.size()), q);
  check_finite(whole, "qpos0", model.qpos0);
  int na = 0;
  for (const Actuator& actuator : model.actuators) na += actuator.activation != Activation::kNone;
  check_equal(whole, "na", model.na, na);
}

}  // namespace stiction
