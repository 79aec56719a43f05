// Reads one MJCF file (with its includes) into a Spec, section by section.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/mjcf/assets.h"
#include "io/mjcf/coverage.h"
#include "io/mjcf/defaults.h"
#include "io/mjcf/spec.h"

namespace stiction::mjcf {

class Reader {
 public:
  /// `depth` counts the models that attach one another.
  Reader(const std::string& path, Coverage& coverage, int depth = 0);

  /// Reads everything. The Spec refers to this reader's files, which must stay alive.
  const Spec& read();

  /// Of this file and of those that it attaches: notes for whatever was not read.
  void report_unread();

 private:
  // read_bodies.cpp
  void read_content(const XmlElement& section, const DefaultClass& inherited, BodySpec* owner,
                    Content& content);
  void read_body(const XmlElement& element, const DefaultClass& inherited, Content& content);
  void read_inertial(const XmlElement& element, BodySpec& owner);
  void read_joint(const XmlElement& element, const DefaultClass& inherited, Content& content);
  void read_free_joint(const XmlElement& element, Content& content);
  /// Stiffness and damping of joints and tendons.
  void read_gains(const XmlElement& element, const Attributes& attributes, double& stiffness,
                  double& damping);
  const DefaultClass& child_class(const Attributes& attributes, const DefaultClass& inherited);

  // read_geoms.cpp
  void read_geom(const XmlElement& element, const DefaultClass& inherited, Content& content);
  void read_geom_shape(const Attributes& attributes, GeomSpec& spec);
  void read_contact(const Attributes& attributes, Contact& contact);
  /// Fails unless it is one of MuJoCo's; notes what of it is not simulated.
  void check_condim(const Attributes& attributes, int condim, bool collides);
  void note_margin(const XmlElement& element);
  void read_site(const XmlElement& element, const DefaultClass& inherited, Content& content);
  void read_camera(const XmlElement& element, const DefaultClass& inherited, Content& content);
  void read_light(const XmlElement& element, const DefaultClass& inherited, Content& content);

  // read_sdf.cpp
  void read_custom(const XmlElement& section);
  void read_sdf(const XmlElement& element, GeomSpec& spec);
  void check_sdf_names() const;

  // read_restitution.cpp
  void read_restitutions(const XmlElement& section);
  double restitution_of(const std::string& geom);
  void check_restitution_names() const;

  // read_copies.cpp
  void read_models();
  void read_frame(const XmlElement& element, const DefaultClass& inherited, BodySpec* owner,
                  Content& content);
  void read_replicate(const XmlElement& element, const DefaultClass& inherited, BodySpec* owner,
                      Content& content);
  void read_attach(const XmlElement& element, Content& content);

  // read_constraints.cpp
  void read_contacts(const XmlElement& section);
  void read_equalities(const XmlElement& section);
  void read_body_equality(const Attributes& attributes, EqualitySpec& spec);
  void read_coordinate_equality(const Attributes& attributes, EqualitySpec& spec);
  void read_tendons(const XmlElement& section);
  void read_fixed_tendon(const XmlElement& element);
  void read_spatial_tendon(const XmlElement& element);

  // read_actuators.cpp
  void read_actuators(const XmlElement& section);

  // read_sensors.cpp
  void read_sensors(const XmlElement& section);
  void read_keyframes(const XmlElement& section);

  /// Calls read(section) for each top-level section with this tag.
  template <typename Read>
  void for_each_section(const char* tag, Read read) {
    for (const XmlElement& section : file_.sections(tag)) {
      coverage_.visit(section, tag);
      read(section);
    }
  }
  Attributes attributes_of(const XmlElement& element, const std::string& kind,
                           const std::string& default_tag, const DefaultClass& inherited) {
    return defaults_.attributes(element, kind, default_tag, inherited, coverage_);
  }
  /// Of an element that has no default class.
  Attributes plain_attributes(const XmlElement& element, const std::string& kind) {
    return Attributes({{element, &coverage_.visit(element, kind)}});
  }

  MjcfFile file_;
  Coverage& coverage_;
  int depth_;
  Defaults defaults_;
  std::shared_ptr<const CompilerSettings> compiler_;
  Assets assets_;
  struct SdfText {
    XmlElement source;
    std::string text;
    bool used = false;
  };
  std::map<std::string, SdfText> sdf_texts_;  // by the name of the geom
  struct Restitution {
    XmlElement source;
    double value;
    bool used;
  };
  std::map<std::string, Restitution> restitutions_;  // by the name of the geom, or for all
  std::vector<std::unique_ptr<Reader>> attached_;    // keeps their files
  std::map<std::string, const Spec*> models_;        // by the name that <attach> uses
  Spec spec_;
};

/// Appends the targets named by the attribute, if it is given.
bool read_target(const Attributes& attributes, const char* name, ObjectType type, Referrer& spec);

}  // namespace stiction::mjcf
