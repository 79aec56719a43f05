#include "io/urdf/geometry.h"

#include <algorithm>
#include <optional>

#include "io/mesh_file.h"

namespace stiction {
namespace {

std::optional<Eigen::Vector4d> read_color(UrdfContext& context, const XmlElement& material) {
  context.note_unknown(material, {"name"}, {"color", "texture"});
  for (const XmlElement& texture : material.children("texture")) {
    context.note(Severity::kCosmetic, texture, "textures are not drawn");
  }
  const auto color = material.only_child("color");
  if (!color) return std::nullopt;
  const auto rgba = color->numbers("rgba", 4, 4);
  if (!rgba) color->fail("attribute rgba is missing");
  return Eigen::Vector4d((*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]);
}

void define_material(UrdfContext& context, const XmlElement& element) {
  const std::string name = element.text("name").value_or("");
  const auto rgba = read_color(context, element);
  if (name.empty() || !rgba || context.materials.contains(name)) return;
  Material material;
  material.name = name;
  material.rgba = *rgba;
  context.materials[name] = context.builder.add_material(material);
}

/// The colour given on the spot, else that of the name.
void apply_material(UrdfContext& context, const XmlElement& visual, Geom& geom) {
  const auto element = visual.only_child("material");
  if (!element) return;
  const auto named = context.materials.find(element->text("name").value_or(""));
  if (const auto color = element->only_child("color")) {
    const std::vector<double> rgba = *color->numbers("rgba", 4, 4);
    geom.rgba = {rgba[0], rgba[1], rgba[2], rgba[3]};
  } else if (named != context.materials.end()) {
    geom.rgba = context.builder.model().materials[named->second].rgba;
  } else {
    context.note(Severity::kCosmetic, *element, "this material has no colour");
    return;
  }
  if (named != context.materials.end() &&
      context.builder.model().materials[named->second].rgba == geom.rgba) {
    geom.material = named->second;
  }
}

TriangleMesh scaled(TriangleMesh mesh, const Eigen::Vector3d& scale) {
  for (Eigen::Vector3d& p : mesh.vertices) p = p.cwiseProduct(scale);
  if (scale.prod() < 0) {  // mirrored: turn the triangles outwards again
    for (Eigen::Vector3i& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  return mesh;
}

ConvexMesh read_mesh(UrdfContext& context, const XmlElement& element) {
  const std::string filename = element.required_text("filename");
  const Eigen::Vector3d scale = read_vector(context, element, "scale", Eigen::Vector3d::Ones());
  if ((scale.array() == 0).any()) element.refuse("scale", "no zeros");
  const std::string path = find_mesh(context, element, filename);
  if (path.empty()) element.fail("mesh file '" + filename + "' not found");
  std::shared_ptr<const TriangleMesh>& mesh =
      context.meshes[path + " " + element.text("scale").value_or("")];
  if (!mesh) {
    try {
      mesh = std::make_shared<TriangleMesh>(scaled(load_mesh_file(path), scale));
    } catch (const InputError& error) {
      element.fail(error.what());
    }
  }
  return {mesh};
}

double read_size(const XmlElement& element, const char* attribute) {
  const double size = element.required_number(attribute);
  if (!(size > 0)) element.refuse(attribute, "> 0");
  return size;
}

Shape read_shape(UrdfContext& context, const XmlElement& parent) {
  const auto geometry = parent.only_child("geometry");
  if (!geometry) parent.fail("<geometry> is missing");
  const std::vector<XmlElement> shapes = geometry->children();
  if (shapes.size() != 1) {
    geometry->fail("has " + std::to_string(shapes.size()) + " shapes, expected 1");
  }
  const XmlElement& element = shapes[0];
  const std::string tag = element.tag();
  if (tag == "box") {
    context.note_unknown(element, {"size"}, {});
    const auto size = element.numbers("size", 3, 3);
    if (!size) element.fail("attribute size is missing");
    if (!(std::min({(*size)[0], (*size)[1], (*size)[2]}) > 0)) {
      element.refuse("size", "three numbers > 0");
    }
    return Box{Eigen::Vector3d((*size)[0], (*size)[1], (*size)[2]) / 2};
  }
  if (tag == "sphere") {
    context.note_unknown(element, {"radius"}, {});
    return Sphere{read_size(element, "radius")};
  }
  if (tag == "cylinder" || tag == "capsule") {
    context.note_unknown(element, {"radius", "length"}, {});
    const double radius = read_size(element, "radius");
    const double half_length = read_size(element, "length") / 2;
    if (tag == "cylinder") return Cylinder{radius, half_length};
    return Capsule{radius, half_length};
  }
  if (tag == "mesh") {
    context.note_unknown(element, {"filename", "scale"}, {});
    return read_mesh(context, element);
  }
  element.fail("is no shape, expected box, sphere, cylinder, capsule or mesh");
}

/// Names need not be unique in URDF; only the first of a name keeps it.
std::string unique_name(UrdfContext& context, const XmlElement& element) {
  const std::string name = element.text("name").value_or("");
  return context.geom_names.insert(name).second ? name : "";
}

void add_collision(UrdfContext& context, const XmlElement& element, int body, double density) {
  context.note_unknown(element, {"name"}, {"origin", "geometry"});
  Geom geom;
  geom.name = unique_name(context, element);
  geom.body = body;
  geom.X_BG = read_origin(context, element);
  geom.shape = read_shape(context, element);
  const int index =
      density > 0 ? context.builder.add_geom(geom, density) : context.builder.add_geom(geom);
  context.sources.add("geom", index, element);
}

void add_visual(UrdfContext& context, const XmlElement& element, int body) {
  context.note_unknown(element, {"name"}, {"origin", "geometry", "material"});
  Geom geom;
  geom.body = body;
  geom.X_BG = read_origin(context, element);
  geom.contact.contype = 0;
  geom.contact.conaffinity = 0;
  geom.group = 1;
  try {
    geom.shape = read_shape(context, element);
  } catch (const InputError& error) {  // of no consequence to the motion
    const std::string place = element.file() + ":";
    context.note(Severity::kCosmetic, element,
                 "not drawn: line " + std::string(error.what()).substr(place.size()));
    return;
  }
  geom.name = unique_name(context, element);
  apply_material(context, element, geom);
  context.sources.add("geom", context.builder.add_geom(geom), element);
}

}  // namespace

void read_materials(UrdfContext& context, const XmlElement& robot) {
  for (const XmlElement& material : robot.children("material")) define_material(context, material);
  for (const XmlElement& link : robot.children("link")) {
    for (const XmlElement& visual : link.children("visual")) {
      for (const XmlElement& material : visual.children("material")) {
        define_material(context, material);
      }
    }
  }
}

void add_link_geoms(UrdfContext& context, const XmlElement& link, int body, double density) {
  for (const XmlElement& collision : link.children("collision")) {
    add_collision(context, collision, body, density);
  }
  if (context.compiler.discardvisual) return;
  for (const XmlElement& visual : link.children("visual")) add_visual(context, visual, body);
}

}  // namespace stiction
