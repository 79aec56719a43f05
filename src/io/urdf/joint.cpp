#include "io/urdf/joint.h"

#include <array>

namespace stiction {
namespace {

constexpr std::array kTypes{"fixed",    "revolute", "continuous", "prismatic",
                            "floating", "planar",   "spherical",  "ball"};

std::string joint_type(const XmlElement& joint) {
  const std::string type = joint.required_text("type");
  for (const char* known : kTypes) {
    if (type == known) return type;
  }
  joint.refuse("type", "fixed, revolute, continuous, prismatic, floating, planar or spherical");
}

Eigen::Vector3d read_axis(UrdfContext& context, const XmlElement& joint) {
  const auto element = joint.only_child("axis");
  if (!element) return Eigen::Vector3d::UnitX();
  context.note_unknown(*element, {"xyz"}, {});
  const Eigen::Vector3d axis = read_vector(context, *element, "xyz", Eigen::Vector3d::UnitX());
  const double length = axis.norm();
  if (!(length > 1e-10 && length < 1e10)) element->refuse("xyz", "a direction, of length > 0");
  return axis / length;
}

void read_range(UrdfContext& context, const XmlElement& joint, Joint& result) {
  const auto limit = joint.only_child("limit");
  const auto lower = limit ? limit->number("lower") : std::nullopt;
  const auto upper = limit ? limit->number("upper") : std::nullopt;
  if (!lower && !upper) {
    context.note(Severity::kPhysics, joint, "no lower and upper limit: the joint is not limited");
    return;
  }
  result.range = {lower.value_or(0), upper.value_or(0)};
  if (result.range.lower > result.range.upper) {
    limit->refuse(lower ? "lower" : "upper",
                  "lower <= upper; " + (lower && upper ? "upper is '" + *limit->text("upper") + "'"
                                                       : std::string("the other one is 0")));
  }
}

void read_limit(UrdfContext& context, const XmlElement& joint, const std::string& type,
                Joint& result) {
  if (type == "revolute" || type == "prismatic") read_range(context, joint, result);
  const auto limit = joint.only_child("limit");
  if (!limit) return;
  context.note_unknown(*limit, {"lower", "upper", "effort", "velocity"}, {});
  const double effort = read_not_negative(*limit, "effort");
  if (effort > 0) result.actuator_force_range = {-effort, effort};
  if (read_not_negative(*limit, "velocity") != 0) {
    context.note(Severity::kPhysics, *limit,
                 "velocity " + *limit->text("velocity") + " is not enforced");
  }
}

void read_dynamics(UrdfContext& context, const XmlElement& joint, Joint& result) {
  const auto dynamics = joint.only_child("dynamics");
  if (!dynamics) return;
  context.note_unknown(*dynamics, {"damping", "friction"}, {});
  result.damping = read_not_negative(*dynamics, "damping");
  result.frictionloss = read_not_negative(*dynamics, "friction");
}

void note_rest(UrdfContext& context, const XmlElement& joint) {
  context.note_unknown(joint, {"name", "type"},
                       {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic",
                        "safety_controller", "calibration"});
  for (const char* tag : {"safety_controller", "calibration"}) {
    for (const XmlElement& element : joint.children(tag)) {
      context.note(Severity::kCosmetic, element, "is for controllers and is ignored");
    }
  }
}

void add_joint(UrdfContext& context, const XmlElement& element, const Joint& joint) {
  context.sources.add("joint", context.builder.add_joint(joint), element);
}

void add_planar_joint(UrdfContext& context, const XmlElement& element, const Joint& joint) {
  const auto R = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), joint.axis);
  Joint part = joint;
  part.actuator_force_range = {};
  part.type = JointType::kSlide;
  part.name = joint.name + "_x";
  part.axis = R * Eigen::Vector3d::UnitX();
  add_joint(context, element, part);
  part.name = joint.name + "_y";
  part.axis = R * Eigen::Vector3d::UnitY();
  add_joint(context, element, part);
  part.type = JointType::kHinge;
  part.name = joint.name + "_yaw";
  part.axis = joint.axis;
  add_joint(context, element, part);
}

/// The joint of this name, which must be a hinge or a slide; -1 if it is fixed.
int scalar_joint(const UrdfContext& context, const XmlElement& mimic, const UrdfTree& tree,
                 const std::string& name) {
  const Model& model = context.builder.model();
  const int index = model.joint_index(name);
  if (index < 0) {
    for (const XmlElement& joint : tree.joints) {
      if (joint.text("name") == name && is_fixed_joint(joint)) return -1;
    }
    mimic.fail("there is no hinge or slide joint '" + name + "'");
  }
  if (model.joints[index].nq() != 1) mimic.fail("joint '" + name + "' is neither hinge nor slide");
  return index;
}

}  // namespace

bool is_fixed_joint(const XmlElement& joint) { return joint_type(joint) == "fixed"; }
bool is_floating_joint(const XmlElement& joint) { return joint_type(joint) == "floating"; }

void add_urdf_joint(UrdfContext& context, const XmlElement& element, int body) {
  const std::string type = joint_type(element);
  note_rest(context, element);
  if (type == "fixed") return;
  Joint joint;
  joint.name = element.required_text("name");
  joint.body = body;
  read_dynamics(context, element, joint);
  read_limit(context, element, type, joint);
  if (type == "floating") {
    joint.type = JointType::kFree;
  } else if (type == "spherical" || type == "ball") {
    joint.type = JointType::kBall;
  } else {
    joint.type = type == "prismatic" ? JointType::kSlide : JointType::kHinge;
    joint.axis = read_axis(context, element);
  }
  if (type == "planar") {
    add_planar_joint(context, element, joint);
  } else {
    add_joint(context, element, joint);
  }
}

void add_mimics(UrdfContext& context, const UrdfTree& tree) {
  for (const XmlElement& joint : tree.joints) {
    const auto mimic = joint.only_child("mimic");
    if (!mimic) continue;
    context.note_unknown(*mimic, {"joint", "multiplier", "offset"}, {});
    Equality equality;
    equality.type = EqualityType::kJoint;
    equality.object1 = scalar_joint(context, *mimic, tree, joint.required_text("name"));
    equality.object2 = scalar_joint(context, *mimic, tree, mimic->required_text("joint"));
    equality.polycoef = {mimic->number("offset").value_or(0),
                         mimic->number("multiplier").value_or(1), 0, 0, 0};
    if (equality.object1 < 0 || equality.object2 < 0) {
      context.note(Severity::kPhysics, *mimic, "a fixed joint takes part: ignored");
    } else if (equality.object1 == equality.object2) {
      mimic->refuse("joint", "another joint: it mimics itself");
    } else {
      context.sources.add("equality", context.builder.add_equality(equality), *mimic);
    }
  }
}

}  // namespace stiction
