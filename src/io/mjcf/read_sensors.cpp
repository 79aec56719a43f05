// <sensor> and <keyframe>.
#include "io/mjcf/reader.h"

namespace stiction::mjcf {
namespace {

struct SensorRow {
  const char* tag;
  const char* attribute;  ///< that names the object; null for none
  ObjectType type;
  int dim;
};

constexpr SensorRow kSensors[] = {
    {"touch", "site", ObjectType::kSite, 1},
    {"accelerometer", "site", ObjectType::kSite, 3},
    {"velocimeter", "site", ObjectType::kSite, 3},
    {"gyro", "site", ObjectType::kSite, 3},
    {"force", "site", ObjectType::kSite, 3},
    {"torque", "site", ObjectType::kSite, 3},
    {"magnetometer", "site", ObjectType::kSite, 3},
    {"rangefinder", "site", ObjectType::kSite, 1},
    {"camprojection", "site", ObjectType::kSite, 2},
    {"jointpos", "joint", ObjectType::kJoint, 1},
    {"jointvel", "joint", ObjectType::kJoint, 1},
    {"jointactuatorfrc", "joint", ObjectType::kJoint, 1},
    {"jointlimitpos", "joint", ObjectType::kJoint, 1},
    {"jointlimitvel", "joint", ObjectType::kJoint, 1},
    {"jointlimitfrc", "joint", ObjectType::kJoint, 1},
    {"ballquat", "joint", ObjectType::kJoint, 4},
    {"ballangvel", "joint", ObjectType::kJoint, 3},
    {"tendonpos", "tendon", ObjectType::kTendon, 1},
    {"tendonvel", "tendon", ObjectType::kTendon, 1},
    {"tendonactuatorfrc", "tendon", ObjectType::kTendon, 1},
    {"tendonlimitpos", "tendon", ObjectType::kTendon, 1},
    {"tendonlimitvel", "tendon", ObjectType::kTendon, 1},
    {"tendonlimitfrc", "tendon", ObjectType::kTendon, 1},
    {"actuatorpos", "actuator", ObjectType::kActuator, 1},
    {"actuatorvel", "actuator", ObjectType::kActuator, 1},
    {"actuatorfrc", "actuator", ObjectType::kActuator, 1},
    {"subtreecom", "body", ObjectType::kBody, 3},
    {"subtreelinvel", "body", ObjectType::kBody, 3},
    {"subtreeangmom", "body", ObjectType::kBody, 3},
    {"clock", nullptr, ObjectType::kNone, 1},
    {"e_potential", nullptr, ObjectType::kNone, 1},
    {"e_kinetic", nullptr, ObjectType::kNone, 1},
    // Frames: the object's type is an attribute of its own.
    {"framepos", "objname", ObjectType::kNone, 3},
    {"framequat", "objname", ObjectType::kNone, 4},
    {"framexaxis", "objname", ObjectType::kNone, 3},
    {"frameyaxis", "objname", ObjectType::kNone, 3},
    {"framezaxis", "objname", ObjectType::kNone, 3},
    {"framelinvel", "objname", ObjectType::kNone, 3},
    {"frameangvel", "objname", ObjectType::kNone, 3},
    {"framelinacc", "objname", ObjectType::kNone, 3},
    {"frameangacc", "objname", ObjectType::kNone, 3},
};

const SensorRow* find_sensor(const std::string& tag) {
  for (const SensorRow& row : kSensors) {
    if (row.tag == tag) return &row;
  }
  return nullptr;
}

bool read_object_type(const Attributes& attributes, const char* name, ObjectType& type) {
  return attributes.read_keyword<ObjectType>(name, type,
                                             {{"body", ObjectType::kBody},
                                              {"xbody", ObjectType::kXBody},
                                              {"geom", ObjectType::kGeom},
                                              {"site", ObjectType::kSite},
                                              {"camera", ObjectType::kCamera}});
}

/// Bodies go by one name, whichever of their two frames is meant.
ObjectType named_as(ObjectType type) {
  return type == ObjectType::kXBody ? ObjectType::kBody : type;
}

}  // namespace

void Reader::read_sensors(const XmlElement& section) {
  for (const XmlElement& element : file_.children(section)) {
    const SensorRow* row = find_sensor(element.tag());
    if (!row) continue;
    const Attributes attributes = plain_attributes(element, "sensor");
    SensorSpec spec{{"", element, {}}, {}};
    Sensor& sensor = spec.sensor;
    attributes.read("name", spec.name);
    sensor.type = row->tag;
    sensor.dim = row->dim;
    attributes.read("cutoff", sensor.cutoff);
    attributes.read("noise", sensor.noise);
    sensor.object_type = row->type;
    const bool is_frame = row->attribute && row->type == ObjectType::kNone;
    if (is_frame && !read_object_type(attributes, "objtype", sensor.object_type)) {
      element.fail("attribute objtype is missing");
    }
    if (row->attribute) {
      spec.targets.emplace_back(named_as(sensor.object_type),
                                attributes.required_text(row->attribute));
    }
    if (is_frame && read_object_type(attributes, "reftype", sensor.ref_type)) {
      spec.targets.emplace_back(named_as(sensor.ref_type), attributes.required_text("refname"));
    }
    if (sensor.type == "camprojection") {
      sensor.ref_type = ObjectType::kCamera;
      spec.targets.emplace_back(ObjectType::kCamera, attributes.required_text("camera"));
    }
    for (const char* unsupported : {"magnetometer", "rangefinder", "camprojection"}) {
      if (sensor.type != unsupported) continue;
      coverage_.note(Severity::kPhysics, element, "this sensor is not supported; it reads zero");
    }
    spec_.referrers.sensors.push_back(std::move(spec));
  }
}

void Reader::read_keyframes(const XmlElement& section) {
  for (const XmlElement& element : file_.children(section)) {
    if (element.tag() != "key") continue;
    const Attributes attributes = plain_attributes(element, "key");
    KeySpec spec{.key = {}, .source = element};
    attributes.read("name", spec.key.name);
    attributes.read("time", spec.key.time);
    const auto read = [&](const char* name, Eigen::VectorXd& values) {
      attributes.given(name);
      const auto numbers = element.numbers(name, 0, SIZE_MAX);
      if (!numbers) return;
      values = Eigen::Map<const Eigen::VectorXd>(numbers->data(),
                                                 static_cast<Eigen::Index>(numbers->size()));
    };
    read("qpos", spec.key.qpos);
    read("qvel", spec.key.qvel);
    read("act", spec.key.act);
    read("ctrl", spec.key.ctrl);
    spec_.keys.push_back(std::move(spec));
  }
}

}  // namespace stiction::mjcf
