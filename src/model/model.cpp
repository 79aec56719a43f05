#include <stiction/model.h>

namespace stiction {
namespace {

template <typename Item>
int index_by_name(const std::vector<Item>& items, const std::string& name) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

double Model::total_mass() const {
  double mass = 0;
  for (const Body& body : bodies) mass += body.mass;
  return mass;
}

int Model::body_index(const std::string& item) const { return index_by_name(bodies, item); }
int Model::joint_index(const std::string& item) const { return index_by_name(joints, item); }
int Model::geom_index(const std::string& item) const { return index_by_name(geoms, item); }
int Model::site_index(const std::string& item) const { return index_by_name(sites, item); }
int Model::actuator_index(const std::string& item) const { return index_by_name(actuators, item); }
int Model::equality_index(const std::string& item) const { return index_by_name(equalities, item); }
int Model::keyframe_index(const std::string& item) const { return index_by_name(keyframes, item); }

std::string Model::body_label(int body) const {
  const std::string& given = bodies[body].name;
  return given.empty() ? "body #" + std::to_string(body) : "body '" + given + "'";
}

std::string Model::joint_label(const Joint& joint) const {
  return "joint " + (joint.name.empty() ? "of " + body_label(joint.body) : "'" + joint.name + "'");
}

std::string Model::geom_label(int geom) const {
  const std::string& given = geoms[geom].name;
  return given.empty() ? body_label(geoms[geom].body) : "'" + given + "'";
}

}  // namespace stiction
