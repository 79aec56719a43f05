// URDF files to Models: every link is a body, in depth-first order.
//
// The root link is fixed to the world unless the caller asks for a floating base. A root link
// called "world" is the world itself; then the links fixed to it are what a floating base frees.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "io/formats.h"
#include "io/urdf/context.h"
#include "io/urdf/geometry.h"
#include "io/urdf/joint.h"
#include "io/urdf/link_tree.h"

namespace stiction {
namespace {

constexpr double kDensity = 1000;  // kg/m^3, where mass comes from geoms: MuJoCo's default

/// boundmass, boundinertia and balanceinertia of the <mujoco> block, in MuJoCo's order.
void adjust_inertia(const UrdfCompiler& compiler, Body& body) {
  body.mass = std::max(body.mass, compiler.boundmass);
  if (compiler.boundinertia <= 0 && !compiler.balanceinertia) return;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(body.inertia);
  Eigen::Vector3d moments = principal.eigenvalues().cwiseMax(compiler.boundinertia);  // rising
  if (compiler.balanceinertia && moments[0] + moments[1] < moments[2]) {
    moments.setConstant(moments.mean());
  }
  body.inertia =
      principal.eigenvectors() * moments.asDiagonal() * principal.eigenvectors().transpose();
}

void read_inertial(UrdfContext& context, const XmlElement& link, Body& body) {
  const auto inertial = link.only_child("inertial");
  if (!inertial) return;
  context.note_unknown(*inertial, {}, {"origin", "mass", "inertia"});
  const Pose X_BI = read_origin(context, *inertial);
  body.com = X_BI.p;
  if (const auto mass = inertial->only_child("mass")) {
    context.note_unknown(*mass, {"value"}, {});
    body.mass = mass->required_number("value");
    if (body.mass < 0) mass->refuse("value", ">= 0");
  }
  const auto inertia = inertial->only_child("inertia");
  if (!inertia) return;
  context.note_unknown(*inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {});
  const double ixx = inertia->required_number("ixx");
  const double iyy = inertia->required_number("iyy");
  const double izz = inertia->required_number("izz");
  const double ixy = inertia->number("ixy").value_or(0);
  const double ixz = inertia->number("ixz").value_or(0);
  const double iyz = inertia->number("iyz").value_or(0);
  Eigen::Matrix3d I;
  I << ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz;
  const Eigen::Matrix3d R = X_BI.q.toRotationMatrix();
  body.inertia = R * I * R.transpose();
}

bool mass_from_geoms(const UrdfContext& context, const XmlElement& link) {
  const InertiaFromGeom rule = context.compiler.inertiafromgeom;
  return rule == InertiaFromGeom::kAlways ||
         (rule == InertiaFromGeom::kWhereMissing && !link.only_child("inertial"));
}

/// A name for the free joint that no joint of the file has.
std::string free_joint_name(const UrdfTree& tree) {
  std::string name = "floating_base";
  for (bool taken = true; taken;) {
    taken = false;
    for (const XmlElement& joint : tree.joints) taken = taken || joint.text("name") == name;
    if (taken) name += "_";
  }
  return name;
}

/// Turns the links of the tree into bodies, one by one, parents first.
class BodyMaker {
 public:
  BodyMaker(UrdfContext& context, const UrdfTree& tree) : context_(context), tree_(tree) {
    root_is_world_ = tree.links[0].name == "world";
    for (const UrdfLink& link : tree.links) {
      if (link.parent == 0 && is_floating_joint(tree.joints[link.joint])) floats_itself_ = true;
    }
  }

  void add_link(const UrdfLink& link) {
    context_.note_unknown(link.element, {"name", "type"},
                          {"inertial", "visual", "collision", "contact"});
    for (const XmlElement& contact : link.element.children("contact")) {
      context_.note(Severity::kPhysics, contact,
                    "contact parameters are an extension of Bullet and are ignored");
    }
    const bool is_root = link.parent < 0;
    if (is_root && root_is_world_) {
      bodies_.push_back(0);
      add_link_geoms(context_, link.element, 0, 0);
      if (link.element.only_child("inertial")) {
        context_.note(Severity::kCosmetic, link.element, "the world's inertia plays no part");
      }
      return;
    }
    if (link.name == "world") link.element.fail("is reserved for the root link");
    const int body = is_root ? add_body(link, 0, {}) : add_child(link);
    bodies_.push_back(body);
    if (is_root && context_.options.floating_base && !floats_itself_) {
      add_free_joint(free_joint_name(tree_), body);
    }
  }

 private:
  int add_body(const UrdfLink& link, int parent, const Pose& X_PB) {
    Body body;
    body.name = link.name;
    body.parent = parent;
    body.X_PB = X_PB;
    const bool from_geoms = mass_from_geoms(context_, link.element);
    if (!from_geoms) read_inertial(context_, link.element, body);
    const int index = context_.builder.add_body(body);
    context_.sources.add("body", index, link.element);
    add_link_geoms(context_, link.element, index, from_geoms ? kDensity : 0);
    adjust_inertia(context_.compiler, context_.builder.body(index));
    return index;
  }

  int add_child(const UrdfLink& link) {
    const XmlElement& joint = tree_.joints[link.joint];
    Pose X_PB = read_origin(context_, joint);
    int parent = bodies_[link.parent];
    const bool freed = root_is_world_ && link.parent == 0 && context_.options.floating_base &&
                       is_fixed_joint(joint);
    if (is_floating_joint(joint)) {
      // Free joints hang on the world; what is fixed to the world can be skipped.
      for (; parent != 0; parent = context_.builder.body(parent).parent) {
        const std::vector<Joint>& joints = context_.builder.model().joints;
        for (const Joint& above : joints) {
          if (above.body == parent) joint.refuse("type", "another one below a moving link");
        }
        X_PB = context_.builder.body(parent).X_PB * X_PB;
      }
    }
    const int body = add_body(link, parent, X_PB);
    if (freed) {
      add_free_joint(joint.required_text("name"), body);
    } else {
      add_urdf_joint(context_, joint, body);
    }
    return body;
  }

  void add_free_joint(const std::string& name, int body) {
    Joint joint;
    joint.name = name;
    joint.type = JointType::kFree;
    joint.body = body;
    context_.builder.add_joint(joint);
  }

  UrdfContext& context_;
  const UrdfTree& tree_;
  std::vector<int> bodies_;  // of the links so far
  bool root_is_world_ = false;
  bool floats_itself_ = false;
};

void note_missing_base(UrdfContext& context, const XmlElement& robot) {
  if (!context.options.floating_base) return;
  for (const Joint& joint : context.builder.model().joints) {
    if (joint.type == JointType::kFree) return;
  }
  context.note(Severity::kPhysics, robot,
               "no floating base: no link is fixed to the root link 'world'");
}

/// Elements beside links and joints: simulators' and controllers' own.
void note_other_elements(UrdfContext& context, const XmlElement& robot) {
  context.note_unknown(robot, {"name", "version"},
                       {"link", "joint", "material", "mujoco", "transmission", "gazebo", "sensor"});
  for (const XmlElement& element : robot.children("transmission")) {
    context.note(Severity::kPhysics, element, "no actuator is made of it");
  }
  for (const XmlElement& element : robot.children("sensor")) {
    context.note(Severity::kCosmetic, element, "is ignored");
  }
  for (const XmlElement& element : robot.children("gazebo")) {
    Severity severity = Severity::kCosmetic;
    std::string tags;
    for (const XmlElement& child : element.children()) {
      const std::string tag = child.tag();
      tags += (tags.empty() ? "" : ", ") + tag;
      if (tag != "material" && tag != "plugin" && tag != "sensor" && tag != "visual") {
        severity = Severity::kPhysics;
      }
    }
    context.note(severity, element,
                 "Gazebo's own, ignored: " + (tags.empty() ? "nothing in it" : tags));
  }
}

}  // namespace

Loaded load_urdf(const std::string& path, const LoadOptions& options) {
  const XmlDocument document(path);
  const XmlElement robot = document.root();
  if (robot.tag() != "robot") robot.fail("expected <robot>");
  refuse_xacro(robot);
  UrdfContext context(robot, options);
  read_extension(context, robot);
  read_materials(context, robot);
  const UrdfTree tree = read_link_tree(robot);
  BodyMaker bodies(context, tree);
  for (const UrdfLink& link : tree.links) bodies.add_link(link);
  add_mimics(context, tree);
  note_missing_base(context, robot);
  note_other_elements(context, robot);
  try {
    return {context.builder.build(), context.notes};
  } catch (const PartError& error) {
    context.sources.refuse(error, path);
  }
}

}  // namespace stiction
