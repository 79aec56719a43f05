// Sensors: that there is such a type, that it reads from what it can read from, and that its place
// in sensordata has the right size.
#include "model/checks.h"
#include "model/sensor_type.h"

namespace stiction {
namespace {

size_t count_of(const Model& model, ObjectType type) {
  switch (type) {
    case ObjectType::kNone:
      return 0;
    case ObjectType::kBody:
    case ObjectType::kXBody:
      return model.bodies.size();
    case ObjectType::kJoint:
      return model.joints.size();
    case ObjectType::kGeom:
      return model.geoms.size();
    case ObjectType::kSite:
      return model.sites.size();
    case ObjectType::kCamera:
      return model.cameras.size();
    case ObjectType::kTendon:
      return model.tendons.size();
    case ObjectType::kActuator:
      return model.actuators.size();
  }
  return 0;
}

void check_object(const Model& model, const Part& where, const char* role, ObjectType type,
                  int index) {
  if (type != ObjectType::kNone) {
    const std::string what = std::string(role) + " " + object_name(type);
    check_index(where, what.c_str(), index, count_of(model, type));
  } else if (index != -1) {
    refuse(where, std::string(role) + " is " + std::to_string(index) + " of no type, expected -1");
  }
}

void check_type(const Part& where, const Sensor& sensor, const SensorType& type) {
  const std::string of = std::string(" for ") + type.name;
  if (sensor.dim != type.dim) {
    refuse(where,
           "dim is " + std::to_string(sensor.dim) + ", expected " + std::to_string(type.dim) + of);
  }
  const std::string given = object_name(sensor.object_type);
  if (type.is_frame()) {
    if (!has_frame(sensor.object_type)) {
      refuse(where, "object type is " + given + ", expected body, geom, site or camera" + of);
    }
  } else if (sensor.object_type != type.object) {
    refuse(where, "object type is " + given + ", expected " + object_name(type.object) + of);
  }
  const std::string reference = object_name(sensor.ref_type);
  const bool has_reference = sensor.ref_type != ObjectType::kNone;
  if (sensor.type == "camprojection") {
    if (sensor.ref_type != ObjectType::kCamera) {
      refuse(where, "reference type is " + reference + ", expected camera" + of);
    }
  } else if (has_reference && !type.may_have_reference()) {
    refuse(where, "reference type is " + reference + ", expected none" + of);
  } else if (has_reference && !has_frame(sensor.ref_type)) {
    refuse(where, "reference type is " + reference + ", expected body, geom, site or camera" + of);
  }
}

void check_joint_of(const Model& model, const Part& where, const Sensor& sensor) {
  const Joint& joint = model.joints[sensor.object];
  if (sensor.type.starts_with("ball")) {
    if (joint.type != JointType::kBall) {
      refuse(where,
             model.joint_label(joint) + " is no ball joint, expected one for " + sensor.type);
    }
  } else if (joint.nv() != 1) {
    refuse(where, model.joint_label(joint) +
                      " is neither hinge nor slide, expected one of them for " + sensor.type);
  }
}

}  // namespace

void validate_sensor(const Model& model, const Part& where, const Sensor& sensor) {
  const SensorType* type = find_sensor_type(sensor.type);
  if (!type) {
    refuse(where, "type is '" + sensor.type + "', expected one of " + sensor_type_names());
  }
  check_type(where, sensor, *type);
  check_object(model, where, "object", sensor.object_type, sensor.object);
  check_object(model, where, "reference", sensor.ref_type, sensor.ref);
  if (type->object == ObjectType::kJoint) check_joint_of(model, where, sensor);
  const bool limited =
      sensor.object_type == ObjectType::kTendon
          ? model.tendons[sensor.object].range.limited()
          : sensor.object_type != ObjectType::kJoint || model.joints[sensor.object].range.limited();
  if (!limited && sensor.type.find("limit") != std::string::npos) {
    refuse(where, std::string(object_name(sensor.object_type)) + " " +
                      std::to_string(sensor.object) + " has no range, expected one for " +
                      sensor.type);
  }
  check_not_negative(where, "cutoff", sensor.cutoff);
  check_not_negative(where, "noise", sensor.noise);
}

}  // namespace stiction
