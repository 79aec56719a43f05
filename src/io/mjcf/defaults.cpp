#include "io/mjcf/defaults.h"

#include <set>

namespace stiction::mjcf {

bool is_actuator_tag(const std::string& tag) {
  static const std::set<std::string> tags = {"general",  "motor",    "position",
                                             "velocity", "damper",   "cylinder",
                                             "muscle",   "adhesion", "intvelocity"};
  return tags.contains(tag);
}

void Defaults::read(MjcfFile& file, Coverage& coverage) {
  for (const XmlElement& section : file.sections("default")) {
    read_class(file, coverage, section, "");
  }
}

void Defaults::read_class(MjcfFile& file, Coverage& coverage, const XmlElement& section,
                          const std::string& parent) {
  coverage.visit(section, "default").asked.insert("class");
  std::string name = "main";
  if (!parent.empty()) {
    name = section.required_text("class");
  } else if (section.text("class").value_or("main") != "main") {
    section.refuse("class", "main, the name of the outermost class");
  }
  if (name.empty()) section.refuse("class", "a name");
  const bool reopened = classes_.contains(name);
  if (reopened && !parent.empty()) section.refuse("class", "another name: it is taken");
  if (!reopened) {
    const DefaultClass inherited = classes_.at(parent);
    classes_[name] = inherited;
  }

  DefaultClass& settings = classes_.at(name);
  static const std::set<std::string> tags = {"mesh", "material", "joint",    "geom",  "site",
                                             "pair", "camera",   "equality", "light", "tendon"};
  const std::vector<XmlElement> children = file.children(section);
  for (const XmlElement& child : children) {
    const std::string tag = child.tag();
    if (!is_actuator_tag(tag) && !tags.contains(tag)) continue;
    Kind& kind = coverage.visit_default(child, tag);
    settings.layers[is_actuator_tag(tag) ? "actuator" : tag].push_back({child, &kind});
  }
  for (const XmlElement& child : children) {
    if (child.tag() == "default") read_class(file, coverage, child, name);
  }
}

const DefaultClass& Defaults::find(const std::string& name, const XmlElement& by) const {
  const auto found = classes_.find(name);
  if (found == classes_.end()) by.fail("default class '" + name + "' does not exist");
  return found->second;
}

Attributes Defaults::attributes(const XmlElement& element, const std::string& kind,
                                const std::string& default_tag, const DefaultClass& inherited,
                                Coverage& coverage) const {
  Kind& own_kind = coverage.visit(element, kind);
  own_kind.asked.insert("class");
  const std::optional<std::string> name = element.text("class");
  const DefaultClass& settings = name ? find(*name, element) : inherited;
  std::vector<Layer> layers;
  const auto found = settings.layers.find(default_tag);
  if (found != settings.layers.end()) layers = found->second;
  layers.push_back({element, &own_kind});
  return Attributes(std::move(layers));
}

}  // namespace stiction::mjcf
