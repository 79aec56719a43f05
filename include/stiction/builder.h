// Builds a Model in code. Bodies are added parents first; names may be empty, but two equal names
// of one kind are refused. `build` validates everything and throws InputError with the name and
// the number of the first thing that is wrong.
//
//   ModelBuilder builder("slope");
//   int box = builder.add_body({.name = "box", .X_PB = {.p = {0, 0, 0.1}}});
//   builder.add_joint({.name = "free", .type = JointType::kFree, .body = box});
//   builder.add_geom({.body = box, .shape = Box{{0.1, 0.1, 0.1}}}, 1000.0);
//   Model model = builder.build();
#pragma once

#include <stiction/model.h>

#include <string>

namespace stiction {

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "");

  Options& options() { return model_.options; }

  /// Each returns the index of what it added. Index and range fields that the builder owns
  /// (root, joint_begin, dof_begin, qpos_begin, ...) are filled in by `build`.
  int add_body(Body body);
  int add_joint(Joint joint);
  int add_geom(Geom geom);
  /// Also adds the geom's mass and inertia at this density (kg/m^3) to its body.
  int add_geom(Geom geom, double density);
  int add_site(Site site);
  int add_material(Material material);
  int add_camera(Camera camera);
  int add_light(Light light);
  int add_tendon(Tendon tendon);
  int add_actuator(Actuator actuator);
  int add_equality(Equality equality);
  int add_pair(ContactPair pair);
  void add_exclude(int body1, int body2);
  int add_sensor(Sensor sensor);
  int add_keyframe(Keyframe keyframe);

  /// What has been added so far, for loaders that refer back to it.
  const Model& model() const { return model_; }
  Body& body(int index) { return model_.bodies.at(index); }
  Joint& joint(int index) { return model_.joints.at(index); }

  /// Joints are sorted by body, offsets and qpos0 computed, everything validated.
  Model build() const;

 private:
  Model model_;
};

/// Throws InputError if anything in the model is inconsistent; `build` calls it.
void validate(const Model& model);

}  // namespace stiction
