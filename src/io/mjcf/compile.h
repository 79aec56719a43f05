// Spec to Model: names become indices, and what depends on the whole is computed.
#pragma once

#include <stiction/builder.h>

#include <map>
#include <string>
#include <vector>

#include "io/mjcf/coverage.h"
#include "io/mjcf/spec.h"
#include "io/sources.h"

namespace stiction::mjcf {

class Compiler {
 public:
  /// `path` is the main file, for messages.
  Compiler(const Spec& spec, const std::string& path, Coverage& coverage)
      : spec_(spec), path_(path), coverage_(coverage) {}

  Model compile();

 private:
  // compile.cpp
  void refuse_moving_surfaces(const BodySpec& spec) const;
  void add_body(const BodySpec& spec, int parent);
  void add_content(const Content& content, int body);
  int material_index(const Material& material);
  void scale_total_mass();
  void add_attached_keys(Model& model) const;
  /// Refuses a name that is taken.
  void define(ObjectType type, const std::string& name, int index, const XmlElement& source);
  int find(const Name& name, const XmlElement& source) const;
  /// Targets of an element; false (and a note) if one of them is a spatial tendon.
  bool resolve(const Referrer& spec, std::vector<int>& targets);

  // compile_referrers.cpp
  void add_tendon(const TendonSpec& spec);
  void add_actuator(const ActuatorSpec& spec);
  void add_equality(const EqualitySpec& spec);
  void add_pair(const PairSpec& spec);
  void add_keyframe(const KeySpec& spec);
  void add_sensor(const SensorSpec& spec);
  void inherit_range(const ActuatorSpec& spec, Actuator& actuator) const;
  void resolve_damping_ratios(Model& model) const;
  void note_explicit_servos(const Model& model) const;

  const Spec& spec_;
  std::string path_;
  Coverage& coverage_;
  ModelBuilder builder_;
  std::map<Name, int> index_;
  Sources sources_;
  std::vector<Pose> X_WB_;                      // at qpos0
  std::vector<const JointSpec*> joints_;        // in the order of the model
  std::vector<const ActuatorSpec*> actuators_;  // likewise
};

/// Stands for a spatial tendon in the index.
constexpr int kLeftOut = -2;

}  // namespace stiction::mjcf
