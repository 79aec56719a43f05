// <sensor> and <keyframe>.
#include "io/mjcf/reader.h"
#include "model/sensor_type.h"

namespace stiction::mjcf {
namespace {

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
    const SensorType* type = find_sensor_type(element.tag());
    if (!type) continue;
    const Attributes attributes = plain_attributes(element, "sensor");
    SensorSpec spec{{"", element, {}}, {}};
    Sensor& sensor = spec.sensor;
    attributes.read("name", spec.name);
    sensor.type = type->name;
    sensor.dim = type->dim;
    attributes.read_not_negative("cutoff", sensor.cutoff);
    attributes.read_not_negative("noise", sensor.noise);
    sensor.object_type = type->object;
    if (type->is_frame() && !read_object_type(attributes, "objtype", sensor.object_type)) {
      element.fail("attribute objtype is missing");
    }
    if (sensor.object_type != ObjectType::kNone) {
      const char* attribute = type->is_frame() ? "objname" : object_name(type->object);
      spec.targets.emplace_back(named_as(sensor.object_type), attributes.required_text(attribute));
    }
    if (type->is_frame() && !type->may_have_reference() && attributes.given("reftype")) {
      attributes.refuse("reftype", "none: accelerations are those in the world");
    }
    if (type->may_have_reference()) {
      const bool has_type = read_object_type(attributes, "reftype", sensor.ref_type);
      const bool has_name = attributes.given("refname");
      if (has_name && !has_type) attributes.refuse("refname", "reftype beside it");
      if (has_type) {
        spec.targets.emplace_back(named_as(sensor.ref_type), attributes.required_text("refname"));
      }
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
