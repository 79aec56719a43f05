// What the parts of the URDF reader share while one file is read.
#pragma once

#include <stiction/builder.h>
#include <stiction/files.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "io/sources.h"
#include "io/xml.h"

namespace stiction {

enum class InertiaFromGeom { kNever, kWhereMissing, kAlways };

/// <mujoco><compiler .../></mujoco>, MuJoCo's extension of URDF. What the file leaves unsaid is as
/// plain URDF has it: links without <inertial> are massless, visuals are kept.
struct UrdfCompiler {
  bool has_meshdir = false;
  std::string meshdir;
  bool strippath = true;  ///< with meshdir: only the file name of a mesh counts
  bool discardvisual = false;
  bool balanceinertia = false;  ///< inertias that break A + B >= C get their mean instead
  double boundmass = 0;
  double boundinertia = 0;
  InertiaFromGeom inertiafromgeom = InertiaFromGeom::kNever;
};

struct UrdfContext {
  UrdfContext(const XmlElement& robot, const LoadOptions& load_options)
      : options(load_options), builder(robot.text("name").value_or("")) {}

  const LoadOptions& options;
  UrdfCompiler compiler;
  ModelBuilder builder;
  Sources sources;
  std::vector<Note> notes;
  std::map<std::string, int> materials;  ///< by name, index in the model
  std::map<std::string, std::shared_ptr<const TriangleMesh>> meshes;  ///< by path and scale
  std::set<std::string> geom_names;

  void note(Severity severity, const XmlElement& element, const std::string& message) {
    notes.push_back({severity, element.file(), element.line(), element.label(), message});
  }
  /// Notes the attributes and children that are not among those given.
  void note_unknown(const XmlElement& element, std::initializer_list<const char*> attributes,
                    std::initializer_list<const char*> children);
};

/// Throws if the file is a xacro macro file, saying how to expand it.
void refuse_xacro(const XmlElement& robot);

/// Three numbers; $(optenv NAME default) left over from xacro counts as its default, with a note.
Eigen::Vector3d read_vector(UrdfContext& context, const XmlElement& element, const char* attribute,
                            const Eigen::Vector3d& fallback);
/// 0 if the attribute is absent.
double read_not_negative(const XmlElement& element, const char* attribute);
/// <origin xyz rpy> within the element: rotations about the fixed axes x, y, z in turn.
Pose read_origin(UrdfContext& context, const XmlElement& parent);

/// Reads the <mujoco> blocks into context.compiler and the model's options.
void read_extension(UrdfContext& context, const XmlElement& robot);

}  // namespace stiction
