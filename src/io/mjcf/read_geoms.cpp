// Geoms, sites, cameras and lights.
#include "io/mjcf/reader.h"
#include "io/mjcf/shapes.h"

namespace stiction::mjcf {

void Reader::read_contact(const Attributes& attributes, Contact& contact) {
  attributes.read("contype", contact.contype);
  attributes.read("conaffinity", contact.conaffinity);
  attributes.read("condim", contact.condim);
  attributes.read("priority", contact.priority);
  attributes.read("friction", contact.friction, 1);
  attributes.read("margin", contact.margin);
  attributes.read("gap", contact.gap);
  const bool collides = contact.contype != 0 || contact.conaffinity != 0;
  check_condim(attributes, contact.condim, collides);
  if (collides && contact.margin != 0) note_margin(attributes.element());
  if (contact.friction.minCoeff() < 0) attributes.refuse("friction", "numbers >= 0");
}

void Reader::note_margin(const XmlElement& element) {
  coverage_.note(Severity::kPhysics, element,
                 "margin: bodies rest where they touch, not margin apart (nor margin - gap, as in "
                 "older versions of MuJoCo)");
}

void Reader::check_condim(const Attributes& attributes, int condim, bool collides) {
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
    attributes.refuse("condim", "1, 3, 4 or 6");
  }
  if (condim > 3 && collides) {
    coverage_.note(Severity::kPhysics, attributes.element(),
                   "condim " + std::to_string(condim) +
                       ": torsional and rolling friction are not simulated, sliding friction is");
  }
}

void Reader::read_geom_shape(const Attributes& attributes, GeomSpec& spec) {
  const XmlElement& element = attributes.element();
  const ShapeType type = read_shape_type(attributes);
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  double fitscale = 1;
  std::string mesh_name, field_name;
  attributes.read("size", size, 1);
  attributes.read("fitscale", fitscale);
  attributes.read("mesh", mesh_name);
  attributes.read("hfield", field_name);
  spec.geom.X_BG = read_pose(attributes, *compiler_);
  apply_fromto(attributes, type, spec.geom.X_BG, size);

  std::shared_ptr<const MeshAsset> mesh;
  if (!mesh_name.empty()) {
    const auto found = assets_.meshes.find(mesh_name);
    if (found == assets_.meshes.end()) element.fail("mesh '" + mesh_name + "' does not exist");
    mesh = found->second;
    if (attributes.given("fromto")) attributes.refuse("fromto", "none beside mesh");
  }
  if (type == ShapeType::kMesh || type == ShapeType::kSdf) {
    if (!mesh) element.fail("attribute mesh is missing");
    if (type == ShapeType::kSdf) {
      coverage_.note(Severity::kPhysics, element,
                     "type: signed distance fields collide as the convex hull of their mesh");
    }
    if (spec.shell) attributes.refuse("shellinertia", "inertia=\"shell\" of the mesh instead");
    spec.geom.shape = ConvexMesh{mesh->mesh};
    spec.mesh = mesh;
  } else if (type == ShapeType::kHeightField) {
    const auto found = assets_.height_fields.find(field_name);
    if (found == assets_.height_fields.end()) {
      if (field_name.empty()) element.fail("attribute hfield is missing");
      element.fail("hfield '" + field_name + "' does not exist");
    }
    spec.geom.shape = HeightField{found->second.grid};
    spec.elevation = found->second.elevation;
  } else if (mesh) {
    const Fit fit = fit_primitive(element, type, *mesh, compiler_->fitaabb);
    spec.geom.X_BG = spec.geom.X_BG * fit.X_MF;
    spec.geom.shape = primitive(attributes, type, fitscale * fit.size);
  } else {
    spec.geom.shape = primitive(attributes, type, size);
  }
}

void Reader::read_geom(const XmlElement& element, const DefaultClass& inherited, Content& content) {
  const Attributes attributes = attributes_of(element, "geom", "geom", inherited);
  GeomSpec spec{.geom = {}, .source = element, .mesh = {}, .material = {}, .mass = {}};
  attributes.read("name", spec.geom.name);
  attributes.read("group", spec.geom.group);
  read_contact(attributes, spec.geom.contact);
  double mass = 0;
  if (attributes.read_not_negative("mass", mass)) spec.mass = mass;
  attributes.read_not_negative("density", spec.density);
  attributes.read("shellinertia", spec.shell);
  read_geom_shape(attributes, spec);
  read_sdf(element, spec);
  spec.geom.contact.restitution = restitution_of(spec.geom.name);

  std::string material;
  if (attributes.read("material", material)) {
    const auto found = assets_.materials.find(material);
    if (found == assets_.materials.end())
      element.fail("material '" + material + "' does not exist");
    spec.material = found->second;
    spec.geom.rgba = found->second.rgba;
  }
  attributes.read("rgba", spec.geom.rgba);
  content.geoms.push_back(std::move(spec));
}

void Reader::read_site(const XmlElement& element, const DefaultClass& inherited, Content& content) {
  const Attributes attributes = attributes_of(element, "site", "site", inherited);
  SiteSpec spec{.site = {}, .source = element};
  attributes.read("name", spec.site.name);
  attributes.read("group", spec.site.group);
  attributes.read("rgba", spec.site.rgba);
  const ShapeType type = read_shape_type(attributes);
  if (type == ShapeType::kPlane) attributes.refuse("type", "another one for a site");
  Eigen::Vector3d size = Eigen::Vector3d::Constant(0.005);
  attributes.read("size", size, 1);
  spec.site.X_BS = read_pose(attributes, *compiler_);
  apply_fromto(attributes, type, spec.site.X_BS, size);
  spec.site.shape = primitive(attributes, type, size);
  content.sites.push_back(std::move(spec));
}

void Reader::read_camera(const XmlElement& element, const DefaultClass& inherited,
                         Content& content) {
  const Attributes attributes = attributes_of(element, "camera", "camera", inherited);
  CameraSpec spec{.camera = {}, .source = element};
  Camera& camera = spec.camera;
  attributes.read("name", camera.name);
  if (attributes.read("fovy", camera.fovy_deg) && camera.fovy_deg <= 0) {
    attributes.refuse("fovy", "> 0");
  }
  camera.X_BC = read_pose(attributes, *compiler_);
  content.cameras.push_back(std::move(spec));
}

void Reader::read_light(const XmlElement& element, const DefaultClass& inherited,
                        Content& content) {
  const Attributes attributes = attributes_of(element, "light", "light", inherited);
  LightSpec spec{.light = {}, .source = element};
  Light& light = spec.light;
  attributes.read("name", light.name);
  attributes.read("pos", light.pos);
  attributes.read("dir", light.dir);
  attributes.read("directional", light.directional);
  attributes.read_keyword<bool>(
      "type", light.directional,
      {{"spot", false}, {"directional", true}, {"point", false}, {"image", false}});
  if (!is_direction(light.dir.norm())) attributes.refuse("dir", "a length > 0 and < 1e100");
  light.dir.normalize();
  content.lights.push_back(std::move(spec));
}

}  // namespace stiction::mjcf
