// A small robot to build and to damage.
#pragma once

#include <stiction/builder.h>

namespace stiction {

inline Body solid(const char* name, int parent = 0) {
  return {.name = name, .parent = parent, .mass = 2, .inertia = Eigen::Matrix3d::Identity()};
}

/// A free base, two hinged links added out of order, and one of everything that refers to them.
inline ModelBuilder robot() {
  ModelBuilder builder("robot");
  const int base = builder.add_body(solid("base"));
  const int thigh = builder.add_body(solid("thigh", base));
  const int shank = builder.add_body(solid("shank", thigh));
  builder.body(base).X_PB = {{1, 2, 3},
                             Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()))};
  const int knee = builder.add_joint({.name = "knee", .body = shank, .ref = 0.25});
  builder.add_joint({.name = "hip", .type = JointType::kBall, .body = thigh});
  builder.add_joint({.name = "root", .type = JointType::kFree, .body = base});
  const int tendon = builder.add_tendon({.name = "t", .joints = {knee}, .coefs = {2}});
  builder.add_site({.name = "foot", .body = shank, .shape = Sphere{0.01}});
  builder.add_geom({.name = "g", .body = shank, .shape = Sphere{0.1}});
  builder.add_actuator({.name = "motor", .target = knee});
  builder.add_actuator({.name = "pull",
                        .transmission = Transmission::kTendon,
                        .target = tendon,
                        .activation = Activation::kFilter});
  builder.add_equality({.name = "eq", .type = EqualityType::kJoint, .object1 = knee});
  builder.add_sensor(
      {.name = "s", .type = "jointpos", .object_type = ObjectType::kJoint, .object = knee});
  builder.add_keyframe({.name = "home"});
  return builder;
}

}  // namespace stiction
