#include "io/mjcf/compile.h"

#include <stiction/error.h>

#include <algorithm>
#include <set>

#include "io/mjcf/inertia.h"
#include "model/reference.h"
#include "model/sensor_type.h"

namespace stiction::mjcf {

void Compiler::define(ObjectType type, const std::string& name, int index,
                      const XmlElement& source) {
  if (name.empty()) return;
  if (!index_.emplace(Name{type, name}, index).second) {
    source.fail("the name '" + name + "' is used twice, expected one " + object_name(type) +
                " of it");
  }
}

int Compiler::find(const Name& name, const XmlElement& source) const {
  const auto found = index_.find(name);
  if (found == index_.end()) {
    source.fail(std::string(object_name(name.first)) + " '" + name.second + "' does not exist");
  }
  return found->second;
}

bool Compiler::resolve(const Referrer& spec, std::vector<int>& targets) {
  targets.clear();
  for (const Name& name : spec.targets) targets.push_back(find(name, spec.source));
  for (const int target : targets) {
    if (target != kLeftOut) continue;
    coverage_.note(Severity::kPhysics, spec.source, "refers to a spatial tendon; has no effect");
    return false;
  }
  return true;
}

Model Compiler::compile() {
  builder_ = ModelBuilder(spec_.name);
  builder_.options() = spec_.options;
  index_[{ObjectType::kBody, "world"}] = 0;
  add_content(spec_.world, 0);
  scale_total_mass();
  X_WB_ = reference_poses(builder_.model().bodies);
  const Referrers& referrers = spec_.referrers;
  for (const TendonSpec& item : referrers.tendons) add_tendon(item);
  for (const ActuatorSpec& item : referrers.actuators) add_actuator(item);
  for (const EqualitySpec& item : referrers.equalities) add_equality(item);
  for (const PairSpec& item : referrers.pairs) add_pair(item);
  std::set<std::string> names;
  for (const ExcludeSpec& item : referrers.excludes) {
    builder_.add_exclude(find(item.targets[0], item.source), find(item.targets[1], item.source));
    if (!item.name.empty() && !names.insert(item.name).second) {
      item.source.fail("the name '" + item.name + "' is used twice, expected one exclude of it");
    }
  }
  for (const SensorSpec& item : referrers.sensors) add_sensor(item);
  for (const KeySpec& item : spec_.keys) add_keyframe(item);

  // The builder names the part that it refuses; we know where it stands.
  try {
    Model model = builder_.build();
    resolve_damping_ratios(model);
    add_attached_keys(model);
    validate(model);
    note_explicit_servos(model);
    return model;
  } catch (const PartError& error) {
    sources_.refuse(error, path_);
  }
}

// Rather than that its mass is zero, which the file may say is not.
void Compiler::refuse_moving_surfaces(const BodySpec& spec) const {
  for (const GeomSpec& geom : spec.content.geoms) {
    if (!std::holds_alternative<MeshSurface>(geom.geom.shape)) continue;
    geom.source.fail(
        "is a surface of triangles, which is static and has no mass, but its body has "
        "a joint; grid makes a solid of the mesh");
  }
}

void Compiler::add_body(const BodySpec& spec, int parent) {
  Body body = spec.body;
  body.parent = parent;
  set_inertia(spec, body, coverage_);
  if (body.mass == 0 && !spec.content.joints.empty()) refuse_moving_surfaces(spec);
  const std::string name = body.name;
  const int index = builder_.add_body(std::move(body));
  define(ObjectType::kBody, name, index, spec.source);
  sources_.add("body", index, spec.source);
  add_content(spec.content, index);
}

void Compiler::add_content(const Content& content, int body) {
  for (const JointSpec& item : content.joints) {
    Joint joint = item.joint;
    joint.body = body;
    const int index = builder_.add_joint(std::move(joint));
    define(ObjectType::kJoint, item.joint.name, index, item.source);
    sources_.add("joint", index, item.source);
    joints_.push_back(&item);
  }
  for (const GeomSpec& item : content.geoms) {
    Geom geom = item.geom;
    geom.body = body;
    if (item.material) geom.material = material_index(*item.material);
    const int index = builder_.add_geom(std::move(geom));
    define(ObjectType::kGeom, item.geom.name, index, item.source);
    sources_.add("geom", index, item.source);
  }
  for (const SiteSpec& item : content.sites) {
    Site site = item.site;
    site.body = body;
    const int index = builder_.add_site(std::move(site));
    define(ObjectType::kSite, item.site.name, index, item.source);
    sources_.add("site", index, item.source);
  }
  for (const CameraSpec& item : content.cameras) {
    Camera camera = item.camera;
    camera.body = body;
    const int index = builder_.add_camera(std::move(camera));
    define(ObjectType::kCamera, item.camera.name, index, item.source);
    sources_.add("camera", index, item.source);
  }
  for (const LightSpec& item : content.lights) {
    Light light = item.light;
    light.body = body;
    sources_.add("light", builder_.add_light(std::move(light)), item.source);
  }
  for (const BodySpec& item : content.bodies) add_body(item, body);
}

int Compiler::material_index(const Material& material) {
  const std::vector<Material>& known = builder_.model().materials;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].name == material.name && known[i].rgba == material.rgba) {
      return static_cast<int>(i);
    }
  }
  // An attached model may have another material of the same name.
  Material copy = material;
  while (std::any_of(known.begin(), known.end(),
                     [&](const Material& other) { return other.name == copy.name; })) {
    copy.name += "'";
  }
  return builder_.add_material(std::move(copy));
}

void Compiler::scale_total_mass() {
  const double wanted = spec_.compiler->settotalmass;
  const double total = builder_.model().total_mass();
  if (wanted <= 0 || total <= 0) return;
  for (size_t i = 1; i < builder_.model().bodies.size(); ++i) {
    Body& body = builder_.body(static_cast<int>(i));
    body.mass *= wanted / total;
    body.inertia *= wanted / total;
  }
}

void Compiler::add_attached_keys(Model& model) const {
  for (const auto& [name, time] : spec_.attached_keys) {
    Keyframe key;
    key.name = name;
    key.time = time;
    key.qpos = model.qpos0;
    key.qvel = Eigen::VectorXd::Zero(model.nv);
    key.ctrl = Eigen::VectorXd::Zero(model.nu());
    key.act = Eigen::VectorXd::Zero(model.na);
    for (size_t j = 0; j < joints_.size(); ++j) {
      const auto state = joints_[j]->keys.find(name);
      if (state == joints_[j]->keys.end()) continue;
      const Joint& joint = model.joints[j];
      const std::vector<double>& qpos = state->second.qpos;
      const std::vector<double>& qvel = state->second.qvel;
      std::copy(qpos.begin(), qpos.end(), key.qpos.data() + joint.qpos_begin);
      std::copy(qvel.begin(), qvel.end(), key.qvel.data() + joint.dof_begin);
      if (joint.nq() == joint.nv()) continue;
      auto quaternion = key.qpos.segment<4>(joint.qpos_begin + joint.nq() - 4);
      if (quaternion.norm() > 0) quaternion.normalize();
    }
    for (size_t i = 0; i < actuators_.size(); ++i) {
      const auto state = actuators_[i]->keys.find(name);
      if (state == actuators_[i]->keys.end() || !state->second.ctrl) continue;
      key.ctrl[static_cast<Eigen::Index>(i)] = *state->second.ctrl;
    }
    model.keyframes.push_back(std::move(key));
  }
}

}  // namespace stiction::mjcf
