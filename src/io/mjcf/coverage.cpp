#include "io/mjcf/coverage.h"

#include <cstdint>

namespace stiction::mjcf {

Kind& Coverage::visit(const XmlElement& element, const std::string& kind) {
  Kind& entry = kinds_[kind];
  entry.name = kind;
  visits_[element.id()] = {&entry, false};
  return entry;
}

Kind& Coverage::visit_default(const XmlElement& element, const std::string& kind) {
  Kind& entry = visit(element, kind);
  visits_[element.id()].is_default = true;
  return entry;
}

void Coverage::note(Severity severity, const XmlElement& element, const std::string& message) {
  notes_.push_back({severity, element.file(), element.line(), element.label(), message});
}

void Coverage::report_unread(MjcfFile& file) { report_unread(file, file.root(), ""); }

void Coverage::report_unread(MjcfFile& file, const XmlElement& element, const std::string& inside) {
  const auto found = visits_.find(element.id());
  if (found == visits_.end()) {
    const Reason reason = reason_for_element(element.tag(), inside);
    note(reason.severity, element, reason.text);
    return;
  }
  const Kind& kind = *found->second.kind;
  // Of classes that nothing uses, too.
  for (const std::string& name : kind.numbers) element.numbers(name.c_str(), 0, SIZE_MAX);
  const bool without_effect = found->second.is_default && kind.asked.empty();
  if (!without_effect) {
    for (const auto& [name, value] : element.attributes()) {
      if (kind.asked.contains(name)) continue;
      const Reason reason = reason_for_attribute(kind.name, name);
      note(reason.severity, element, name + ": " + reason.text);
    }
  }
  for (const XmlElement& child : file.children(element)) {
    report_unread(file, child, element.tag());
  }
}

}  // namespace stiction::mjcf
