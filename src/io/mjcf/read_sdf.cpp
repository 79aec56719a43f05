// <custom><text name="stiction:sdf:GEOM" data="..."/></custom>: a signed distance solid, or a
// surface of triangles, in place of a geom's shape (docs/sdf.md).
#include <stiction/error.h>
#include <stiction/sdf.h>

#include <filesystem>

#include "io/mjcf/reader.h"

namespace stiction::mjcf {
namespace {

constexpr const char* kOurs = "stiction:";
constexpr const char* kPrefix = "stiction:sdf:";

}  // namespace

void Reader::read_custom(const XmlElement& section) {
  for (const XmlElement& element : section.children()) {
    if (element.tag() != "text") continue;
    const std::string name = element.text("name").value_or("");
    if (name.starts_with(kOurs) && !name.starts_with(kPrefix)) {
      element.fail("name is '" + name + "', expected '" + kPrefix + "' and the name of a geom");
    }
    if (!name.starts_with(kPrefix)) continue;
    coverage_.visit(section, "custom");
    std::string text, given;
    const Attributes attributes = plain_attributes(element, "text");
    attributes.read("name", given);
    attributes.read("data", text);
    sdf_texts_.insert_or_assign(name.substr(std::string(kPrefix).size()), SdfText{element, text});
  }
}

void Reader::read_sdf(const XmlElement& element, GeomSpec& spec) {
  const auto found = sdf_texts_.find(spec.geom.name);
  if (spec.geom.name.empty() || found == sdf_texts_.end()) return;
  SdfText& asked = found->second;
  asked.used = true;
  const TriangleMesh* mesh = spec.mesh ? spec.mesh->mesh.get() : nullptr;
  if (asked.text == "surface") {
    if (!mesh) asked.source.fail("surface needs a mesh, and geom '" + found->first + "' has none");
    if (const std::string fault = mesh_fault(*mesh); fault.starts_with("inside out")) {
      coverage_.note(Severity::kPhysics, element,
                     "mesh '" + mesh->name + "' is " + fault +
                         ": what comes from outside is not touched, only its front is");
    }
    spec.geom.shape = MeshSurface{spec.mesh->mesh};
    spec.mesh = nullptr;
    return;
  }
  try {
    const std::string folder = std::filesystem::path(file_.path()).parent_path().string();
    spec.geom.shape = SdfSolid{describe_sdf(spec.geom.name, asked.text, mesh, folder)};
  } catch (const InputError& error) {
    asked.source.fail(error.what());
  }
  spec.mesh = nullptr;
}

void Reader::check_sdf_names() const {
  for (const auto& [name, asked] : sdf_texts_) {
    if (!asked.used) asked.source.fail("geom '" + name + "' does not exist");
  }
}

}  // namespace stiction::mjcf
