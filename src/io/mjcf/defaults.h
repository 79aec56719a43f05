// Default classes. A nested class starts as a copy of its parent at the place where it is first
// opened, so settings that a later <default> adds to the parent do not reach it: MuJoCo's rule.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/mjcf/attributes.h"

namespace stiction::mjcf {

/// Settings by the tag that they are for; those of all actuators share the tag "actuator".
struct DefaultClass {
  std::map<std::string, std::vector<Layer>> layers;
};

bool is_actuator_tag(const std::string& tag);

class Defaults {
 public:
  Defaults() { classes_["main"]; }

  void read(MjcfFile& file, Coverage& coverage);

  const DefaultClass& main() const { return classes_.at("main"); }
  /// `by` is the element that uses the class, for the message.
  const DefaultClass& find(const std::string& name, const XmlElement& by) const;

  /// The element's attributes on top of those of its class: the one that it names, or `inherited`.
  Attributes attributes(const XmlElement& element, const std::string& kind,
                        const std::string& default_tag, const DefaultClass& inherited,
                        Coverage& coverage) const;

 private:
  void read_class(MjcfFile& file, Coverage& coverage, const XmlElement& section,
                  const std::string& parent);

  std::map<std::string, DefaultClass> classes_;
};

}  // namespace stiction::mjcf
