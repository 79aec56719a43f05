// <custom><numeric name="stiction:restitution:GEOM" data="0.8"/></custom>: the restitution of a
// geom, of which MJCF knows nothing; without a name, that of all other geoms.
#include "io/mjcf/reader.h"

namespace stiction::mjcf {
namespace {

const std::string kKey = "stiction:restitution";

}  // namespace

void Reader::read_restitutions(const XmlElement& section) {
  for (const XmlElement& element : section.children()) {
    const std::string name = element.text("name").value_or("");
    if (element.tag() != "numeric" || !name.starts_with("stiction:")) continue;
    if (name != kKey && !name.starts_with(kKey + ':')) {
      element.fail("name is '" + name + "', expected " + kKey + " or " + kKey + ":GEOM");
    }
    coverage_.visit(section, "custom");
    const Attributes attributes = plain_attributes(element, "numeric");
    std::string given;
    double value = 0;
    attributes.read("name", given);
    if (!attributes.read("data", value)) element.fail("attribute data is missing");
    if (!(value >= 0 && value <= 1)) element.refuse("data", "a restitution from 0 to 1");
    const std::string geom = name == kKey ? "" : name.substr(kKey.size() + 1);
    restitutions_.insert_or_assign(geom, Restitution{element, value, geom.empty()});
  }
}

double Reader::restitution_of(const std::string& geom) {
  const auto own = restitutions_.find(geom);
  const auto found = own != restitutions_.end() ? own : restitutions_.find("");
  if (found == restitutions_.end()) return 0;
  found->second.used = true;
  return found->second.value;
}

void Reader::check_restitution_names() const {
  for (const auto& [name, restitution] : restitutions_) {
    if (!restitution.used) restitution.source.fail("geom '" + name + "' does not exist");
  }
}

}  // namespace stiction::mjcf
