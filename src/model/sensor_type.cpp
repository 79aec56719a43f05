#include "model/sensor_type.h"

namespace stiction {
namespace {

constexpr SensorType kTypes[] = {
    {"touch", ObjectType::kSite, 1},
    {"accelerometer", ObjectType::kSite, 3},
    {"velocimeter", ObjectType::kSite, 3},
    {"gyro", ObjectType::kSite, 3},
    {"force", ObjectType::kSite, 3},
    {"torque", ObjectType::kSite, 3},
    {"magnetometer", ObjectType::kSite, 3},
    {"rangefinder", ObjectType::kSite, 1},
    {"camprojection", ObjectType::kSite, 2},
    {"jointpos", ObjectType::kJoint, 1},
    {"jointvel", ObjectType::kJoint, 1},
    {"jointactuatorfrc", ObjectType::kJoint, 1},
    {"jointlimitpos", ObjectType::kJoint, 1},
    {"jointlimitvel", ObjectType::kJoint, 1},
    {"jointlimitfrc", ObjectType::kJoint, 1},
    {"ballquat", ObjectType::kJoint, 4},
    {"ballangvel", ObjectType::kJoint, 3},
    {"tendonpos", ObjectType::kTendon, 1},
    {"tendonvel", ObjectType::kTendon, 1},
    {"tendonactuatorfrc", ObjectType::kTendon, 1},
    {"tendonlimitpos", ObjectType::kTendon, 1},
    {"tendonlimitvel", ObjectType::kTendon, 1},
    {"tendonlimitfrc", ObjectType::kTendon, 1},
    {"actuatorpos", ObjectType::kActuator, 1},
    {"actuatorvel", ObjectType::kActuator, 1},
    {"actuatorfrc", ObjectType::kActuator, 1},
    {"subtreecom", ObjectType::kBody, 3},
    {"subtreelinvel", ObjectType::kBody, 3},
    {"subtreeangmom", ObjectType::kBody, 3},
    {"clock", ObjectType::kNone, 1},
    {"e_potential", ObjectType::kNone, 1},
    {"e_kinetic", ObjectType::kNone, 1},
    {"framepos", ObjectType::kNone, 3},
    {"framequat", ObjectType::kNone, 4},
    {"framexaxis", ObjectType::kNone, 3},
    {"frameyaxis", ObjectType::kNone, 3},
    {"framezaxis", ObjectType::kNone, 3},
    {"framelinvel", ObjectType::kNone, 3},
    {"frameangvel", ObjectType::kNone, 3},
    {"framelinacc", ObjectType::kNone, 3},
    {"frameangacc", ObjectType::kNone, 3},
};

}  // namespace

const SensorType* find_sensor_type(const std::string& name) {
  for (const SensorType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::string sensor_type_names() {
  std::string names;
  for (const SensorType& type : kTypes)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

const char* object_name(ObjectType type) {
  switch (type) {
    case ObjectType::kBody:
    case ObjectType::kXBody:
      return "body";
    case ObjectType::kJoint:
      return "joint";
    case ObjectType::kGeom:
      return "geom";
    case ObjectType::kSite:
      return "site";
    case ObjectType::kCamera:
      return "camera";
    case ObjectType::kTendon:
      return "tendon";
    case ObjectType::kActuator:
      return "actuator";
    case ObjectType::kNone:
      break;
  }
  return "none";
}

bool has_frame(ObjectType type) {
  return type == ObjectType::kBody || type == ObjectType::kXBody || type == ObjectType::kGeom ||
         type == ObjectType::kSite || type == ObjectType::kCamera;
}

}  // namespace stiction
