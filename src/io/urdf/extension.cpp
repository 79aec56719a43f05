// MuJoCo's extension of URDF: a <mujoco> block with <compiler> and <option>.
#include "io/urdf/context.h"
#include "model/checks.h"

namespace stiction {
namespace {

bool is_true(const XmlElement& element, const std::string& name, const std::string& value) {
  if (value != "true" && value != "false") element.refuse(name.c_str(), "true or false");
  return value == "true";
}

InertiaFromGeom inertia_from_geom(const XmlElement& element, const std::string& value) {
  if (value == "false") return InertiaFromGeom::kNever;
  if (value == "auto") return InertiaFromGeom::kWhereMissing;
  if (value == "true") return InertiaFromGeom::kAlways;
  element.refuse("inertiafromgeom", "true, false or auto");
}

void read_compiler(UrdfContext& context, const XmlElement& element) {
  UrdfCompiler& compiler = context.compiler;
  for (const auto& [name, value] : element.attributes()) {
    if (name == "meshdir" || name == "assetdir") {
      compiler.has_meshdir = true;
      compiler.meshdir = value;
    } else if (name == "strippath") {
      compiler.strippath = is_true(element, name, value);
    } else if (name == "discardvisual") {
      compiler.discardvisual = is_true(element, name, value);
    } else if (name == "balanceinertia") {
      compiler.balanceinertia = is_true(element, name, value);
    } else if (name == "boundmass") {
      compiler.boundmass = read_not_negative(element, "boundmass");
    } else if (name == "boundinertia") {
      compiler.boundinertia = read_not_negative(element, "boundinertia");
    } else if (name == "inertiafromgeom") {
      compiler.inertiafromgeom = inertia_from_geom(element, value);
    } else if (name == "fusestatic") {
      if (is_true(element, name, value)) {
        context.note(Severity::kCosmetic, element,
                     "fusestatic: every link stays a body of its own, the motion is the same");
      }
    } else if (name == "angle") {
      if (value != "radian") {
        context.note(Severity::kPhysics, element, "angle: URDF angles are always in radians");
      }
    } else {
      context.note(Severity::kPhysics, element, "attribute " + name + " is ignored");
    }
  }
}

void read_option(UrdfContext& context, const XmlElement& element) {
  Options& options = context.builder.options();
  options.timestep = element.number("timestep").value_or(options.timestep);
  if (options.timestep <= 0) element.refuse("timestep", "> 0");
  if (options.timestep > kLargest) element.refuse("timestep", kLargestText);
  options.gravity = read_vector(context, element, "gravity", options.gravity);
  if (options.gravity.cwiseAbs().maxCoeff() > kLargest) element.refuse("gravity", kLargestText);
  context.note_unknown(element, {"timestep", "gravity"}, {});
}

}  // namespace

void read_extension(UrdfContext& context, const XmlElement& robot) {
  for (const XmlElement& block : robot.children("mujoco")) {
    for (const XmlElement& child : block.children()) {
      if (child.tag() == "compiler") {
        read_compiler(context, child);
      } else if (child.tag() == "option") {
        read_option(context, child);
      } else {
        context.note(Severity::kPhysics, child, "is ignored within <mujoco>");
      }
    }
  }
}

}  // namespace stiction
