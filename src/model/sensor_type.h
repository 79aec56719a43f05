// The types of sensors, which are MJCF's: what each reads from, how many numbers it gives.
#pragma once

#include <stiction/model.h>

#include <string>

namespace stiction {

struct SensorType {
  const char* name;
  ObjectType object;  ///< kNone: the state as a whole, or, of frames, whatever has a pose
  int dim;

  bool is_frame() const { return std::string(name).starts_with("frame"); }
  /// Accelerations are those in the world.
  bool may_have_reference() const { return is_frame() && !std::string(name).ends_with("acc"); }
};

/// Null if there is none of this name.
const SensorType* find_sensor_type(const std::string& name);
/// All names, separated by commas.
std::string sensor_type_names();

/// "joint", "site", ...: what messages call it, and the attribute by which MJCF refers to it.
const char* object_name(ObjectType type);
/// Whether objects of the type have a pose.
bool has_frame(ObjectType type);

}  // namespace stiction
