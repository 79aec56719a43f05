#include "io/urdf/context.h"

#include <algorithm>

namespace stiction {
namespace {

bool contains(std::initializer_list<const char*> names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const char* known) { return name == known; });
}

/// "$(optenv NAME default)" -> "default"; other text is returned as it is.
std::string optenv_default(const std::string& text) {
  const std::string_view opening = "$(optenv ";
  const std::size_t begin = text.find(opening);
  const std::size_t end = text.find(')', begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  const std::size_t name = begin + opening.size();
  const std::size_t value = std::min(text.find(' ', name), end);
  return text.substr(0, begin) + text.substr(value, end - value) + text.substr(end + 1);
}

}  // namespace

void UrdfContext::note_unknown(const XmlElement& element,
                               std::initializer_list<const char*> attributes,
                               std::initializer_list<const char*> children) {
  for (const auto& [name, value] : element.attributes()) {
    if (contains(attributes, name) || name.starts_with("xmlns")) continue;
    note(Severity::kPhysics, element, "attribute " + name + " is not known and is ignored");
  }
  for (const XmlElement& child : element.children()) {
    if (contains(children, child.tag())) continue;
    note(Severity::kPhysics, child, "is not known within <" + element.tag() + "> and is ignored");
  }
}

void refuse_xacro(const XmlElement& element) {
  const auto refuse = [&element]() {
    element.fail("this is a xacro file, expand it first: xacro " + element.file() +
                 " > robot.urdf");
  };
  if (element.tag().starts_with("xacro:")) refuse();
  for (const auto& [name, value] : element.attributes()) {
    if (value.find("${") != std::string::npos) refuse();
  }
  for (const XmlElement& child : element.children()) refuse_xacro(child);
}

Eigen::Vector3d read_vector(UrdfContext& context, const XmlElement& element, const char* attribute,
                            const Eigen::Vector3d& fallback) {
  const std::string text = element.text(attribute).value_or("");
  const std::string plain = optenv_default(text);
  if (plain == text) {
    const auto values = element.numbers(attribute, 3, 3);
    return values ? Eigen::Vector3d((*values)[0], (*values)[1], (*values)[2]) : fallback;
  }
  try {
    const std::vector<double> values = parse_numbers(plain);
    if (values.size() == 3) {
      context.note(Severity::kPhysics, element,
                   std::string(attribute) + " holds unexpanded xacro text '" + text +
                       "', its default is used");
      return {values[0], values[1], values[2]};
    }
  } catch (const InputError&) {
    // Told below, with the place.
  }
  element.refuse(attribute, "three numbers");
}

double read_not_negative(const XmlElement& element, const char* attribute) {
  const double value = element.number(attribute).value_or(0);
  if (value < 0) element.refuse(attribute, ">= 0");
  return value;
}

Pose read_origin(UrdfContext& context, const XmlElement& parent) {
  const auto origin = parent.only_child("origin");
  if (!origin) return {};
  context.note_unknown(*origin, {"xyz", "rpy"}, {});
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const Eigen::Vector3d rpy = read_vector(context, *origin, "rpy", zero);
  const Eigen::Quaterniond q = Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                               Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                               Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX());
  return {read_vector(context, *origin, "xyz", zero), q};
}

}  // namespace stiction
