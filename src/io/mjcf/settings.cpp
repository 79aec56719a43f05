#include "io/mjcf/settings.h"

#include <cmath>
#include <numbers>

#include "model/checks.h"

namespace stiction::mjcf {
namespace {

void read_compiler_section(const Attributes& attributes, CompilerSettings& compiler) {
  attributes.read_keyword<bool>("angle", compiler.degree, {{"degree", true}, {"radian", false}});
  bool local = true;
  attributes.read_keyword<bool>("coordinate", local, {{"local", true}, {"global", false}});
  if (!local) attributes.refuse("coordinate", "local; global was dropped by MuJoCo 3, too");
  attributes.read("eulerseq", compiler.eulerseq);
  if (compiler.eulerseq.size() != 3 ||
      compiler.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos) {
    attributes.refuse("eulerseq", "three letters out of xyzXYZ");
  }
  attributes.read("autolimits", compiler.autolimits);
  if (attributes.read("assetdir", compiler.assetdir)) compiler.meshdir = compiler.assetdir;
  attributes.read("meshdir", compiler.meshdir);
  attributes.given("texturedir");  // textures are reported where they are used
  attributes.read("strippath", compiler.strippath);
  attributes.read("fitaabb", compiler.fitaabb);
  attributes.read_keyword<InertiaFromGeom>("inertiafromgeom", compiler.inertiafromgeom,
                                           {{"false", InertiaFromGeom::kFalse},
                                            {"true", InertiaFromGeom::kTrue},
                                            {"auto", InertiaFromGeom::kAuto}});
  Eigen::VectorXd range =
      Eigen::Vector2d(compiler.inertiagrouprange[0], compiler.inertiagrouprange[1]);
  if (attributes.read("inertiagrouprange", range)) {
    const std::vector<int> groups = *attributes.element().integers("inertiagrouprange");
    compiler.inertiagrouprange = {groups[0], groups[1]};
  }
  attributes.read_not_negative("boundmass", compiler.boundmass);
  attributes.read_not_negative("boundinertia", compiler.boundinertia);
  attributes.read("balanceinertia", compiler.balanceinertia);
  attributes.read("settotalmass", compiler.settotalmass);
}

void read_flags(const Attributes& attributes, Options& options, Coverage& coverage) {
  const auto flag = [&](const char* name, bool& enabled) {
    return attributes.read_keyword<bool>(name, enabled, {{"enable", true}, {"disable", false}});
  };
  flag("contact", options.contact_enabled);
  flag("limit", options.limit_enabled);
  flag("frictionloss", options.frictionloss_enabled);
  flag("equality", options.equality_enabled);
  bool constraint = true;
  flag("constraint", constraint);
  if (!constraint) {
    options.contact_enabled = options.limit_enabled = false;
    options.frictionloss_enabled = options.equality_enabled = false;
  }
  flag("gravity", options.gravity_enabled);
  flag("actuation", options.actuation_enabled);
  flag("clampctrl", options.clamp_ctrl_enabled);
  flag("filterparent", options.filter_parent_enabled);
  flag("passive", options.passive_enabled);
  bool spring = true, damper = true;
  flag("spring", spring);
  flag("damper", damper);
  if (!spring && !damper) options.passive_enabled = false;
  if (spring != damper) {
    coverage.note(Severity::kPhysics, attributes.element(),
                  "springs and dampers are only disabled together; both stay enabled");
  }
}

Eigen::Vector3d unit(const XmlElement& element, const char* name, const Eigen::Vector3d& v,
                     const char* expected) {
  const double length = v.norm();
  if (!is_direction(length)) element.refuse(name, expected);
  return v / length;
}

constexpr const char* kTwoAxes = "two directions that are not parallel";

/// The alternative to quat in one element, if it has one.
std::optional<Eigen::Quaterniond> read_alternative(const XmlElement& element,
                                                   const CompilerSettings& compiler) {
  int count = element.has("quat");
  std::optional<Eigen::Quaterniond> result;
  if (const auto v = element.numbers("axisangle", 4, 4)) {
    const Eigen::Vector3d axis =
        unit(element, "axisangle", {(*v)[0], (*v)[1], (*v)[2]}, "an axis of length > 0");
    result = Eigen::AngleAxisd(compiler.angle((*v)[3]), axis);
    ++count;
  }
  if (const auto v = element.numbers("euler", 3, 3)) {
    result = euler_rotation({(*v)[0], (*v)[1], (*v)[2]}, compiler);
    ++count;
  }
  if (const auto v = element.numbers("xyaxes", 6, 6)) {
    const Eigen::Vector3d x = unit(element, "xyaxes", {(*v)[0], (*v)[1], (*v)[2]}, kTwoAxes);
    const Eigen::Vector3d y_given{(*v)[3], (*v)[4], (*v)[5]};
    const Eigen::Vector3d y = unit(element, "xyaxes", y_given - x * x.dot(y_given), kTwoAxes);
    Eigen::Matrix3d R;
    R << x, y, x.cross(y);
    result = Eigen::Quaterniond(R);
    ++count;
  }
  if (const auto v = element.numbers("zaxis", 3, 3)) {
    result = rotation_to(
        unit(element, "zaxis", {(*v)[0], (*v)[1], (*v)[2]}, "a length > 0 and < 1e100"));
    ++count;
  }
  if (count > 1) {
    element.fail("has " + std::to_string(count) +
                 " orientations, expected one of quat, axisangle, euler, xyaxes, zaxis");
  }
  return result;
}

}  // namespace

bool is_direction(double length) { return length > 1e-14 && length < 1e100; }

double CompilerSettings::angle(double value) const {
  return degree ? value * std::numbers::pi / 180 : value;
}

CompilerSettings read_compiler(MjcfFile& file, Coverage& coverage) {
  CompilerSettings compiler;
  for (const XmlElement& section : file.sections("compiler")) {
    read_compiler_section(Attributes({{section, &coverage.visit(section, "compiler")}}), compiler);
  }
  return compiler;
}

Options read_options(MjcfFile& file, Coverage& coverage) {
  Options options;
  options.timestep = 0.002;
  for (const XmlElement& section : file.sections("option")) {
    const Attributes attributes({{section, &coverage.visit(section, "option")}});
    attributes.read("timestep", options.timestep);
    if (options.timestep <= 0) attributes.refuse("timestep", "> 0");
    for (const auto& [name, value] :
         {std::pair("gravity", &options.gravity), std::pair("wind", &options.wind)}) {
      attributes.read(name, *value);
      if (value->cwiseAbs().maxCoeff() > kLargest) attributes.refuse(name, kLargestText);
    }
    attributes.read_not_negative("density", options.density);
    attributes.read_not_negative("viscosity", options.viscosity);
    for (const XmlElement& child : file.children(section)) {
      if (child.tag() != "flag") continue;
      read_flags(Attributes({{child, &coverage.visit(child, "flag")}}), options, coverage);
    }
  }
  return options;
}

Eigen::Quaterniond euler_rotation(const Eigen::Vector3d& angles, const CompilerSettings& compiler) {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = compiler.eulerseq[static_cast<size_t>(i)];
    const bool fixed_axes = letter <= 'Z';
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(letter - (fixed_axes ? 'X' : 'x'));
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(compiler.angle(angles[i]), axis));
    q = fixed_axes ? turn * q : q * turn;
  }
  return q;
}

Eigen::Quaterniond rotation_to(const Eigen::Vector3d& z) {
  const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ().cross(z);
  const double sine = axis.norm();
  if (sine < 1e-10) {
    return z.z() > 0 ? Eigen::Quaterniond::Identity() : Eigen::Quaterniond(0, 1, 0, 0);
  }
  return Eigen::Quaterniond(Eigen::AngleAxisd(std::atan2(sine, z.z()), axis / sine));
}

Eigen::Quaterniond read_orientation(const Attributes& attributes,
                                    const CompilerSettings& compiler) {
  for (const char* name : {"axisangle", "euler", "xyaxes", "zaxis"}) attributes.given(name);
  std::optional<Eigen::Quaterniond> alternative;
  for (const Layer& layer : attributes.layers()) {
    const auto own = read_alternative(layer.element, compiler);
    if (own) alternative = own;
  }
  Eigen::VectorXd quat = Eigen::Vector4d(1, 0, 0, 0);
  attributes.read("quat", quat);
  if (alternative) return *alternative;
  if (!is_direction(quat.norm())) attributes.refuse("quat", "a length > 0 and < 1e100");
  return Eigen::Quaterniond(quat[0], quat[1], quat[2], quat[3]).normalized();
}

Pose read_pose(const Attributes& attributes, const CompilerSettings& compiler) {
  Pose pose;
  attributes.read("pos", pose.p);
  pose.q = read_orientation(attributes, compiler);
  return pose;
}

Range resolve_range(const Attributes& attributes, const char* name, Limited limited,
                    const Eigen::Vector2d& range, const CompilerSettings& compiler,
                    Coverage& coverage) {
  const bool given = range[0] != 0 || range[1] != 0;
  if (limited == Limited::kFalse || (limited == Limited::kAuto && !given)) return {};
  if (limited == Limited::kAuto && !compiler.autolimits) {
    attributes.refuse(name, "its 'limited' attribute beside it, as autolimits is false");
  }
  if (range[0] >= range[1]) {
    if (limited == Limited::kTrue) {
      if (!given)
        attributes.element().fail(std::string(name) + " is missing, expected two numbers");
      attributes.refuse(name, "a lower bound below the upper one");
    }
    coverage.note(Severity::kPhysics, attributes.element(),
                  std::string(name) + ": ignored, as in MuJoCo: lower bound is not below upper");
    return {};
  }
  return {range[0], range[1]};
}

}  // namespace stiction::mjcf
