// Joints, and the order that ModelBuilder gives them.
#include <cmath>

#include "model/checks.h"

namespace stiction {
namespace {

/// Whether the line of a hinge passes through a point; both in the body's frame.
bool passes(const Joint& hinge, const Eigen::Vector3d& point) {
  const Eigen::Vector3d between = point - hinge.anchor;
  return hinge.axis.cross(between).norm() <= 1e-9 * between.norm();
}

/// Whether a joint and the next one of its body can undo each other, in whatever position: slides
/// along one direction, rotations about one line. Without armature the mass matrix is singular.
bool undo_each_other(const Joint& a, const Joint& b) {
  if (a.armature + b.armature > 0) return false;
  const bool parallel = a.axis.cross(b.axis).norm() <= 1e-9;
  if (a.type == JointType::kSlide) return b.type == JointType::kSlide && parallel;
  if (a.type == JointType::kBall && b.type == JointType::kBall) return true;
  if (a.type == JointType::kBall) return b.type == JointType::kHinge && passes(b, a.anchor);
  if (b.type == JointType::kBall) return passes(a, b.anchor);
  return b.type == JointType::kHinge && parallel && passes(a, b.anchor);
}

/// What the other joints of its body forbid.
void check_joints_beside(const Model& model, const Part& where, const Joint& joint) {
  const Body& body = model.bodies[joint.body];
  if (joint.type == JointType::kFree && (body.parent != 0 || body.joint_count != 1)) {
    refuse(where, "is free, expected the only joint of a child of the world");
  }
  int dofs = joint.armature > 0 ? 0 : joint.nv();
  for (int j = body.joint_begin; j < where.index; ++j) {
    const Joint& before = model.joints[j];
    if (before.armature == 0) dofs += before.nv();
    if (j + 1 == where.index && undo_each_other(before, joint)) {
      refuse(where, "moves its body as " + model.joint_label(before) +
                        " does, expected another axis or anchor, or armature");
    }
  }
  if (dofs > 6) {
    refuse(where, "is the last of " + std::to_string(dofs) + " degrees of freedom of " +
                      model.body_label(joint.body) + ", expected at most 6 without armature");
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
      refuse(where,
             "range begins with " + text(joint.range.lower) + ", expected 0 for a ball joint");
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
    check_equal(where, "root", body.root,
                i == 0 || body.parent == 0 ? i : model.bodies[body.parent].root);
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
