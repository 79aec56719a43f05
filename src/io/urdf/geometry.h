// <visual> and <collision> of a link: shapes, meshes and colours.
#pragma once

#include "io/urdf/context.h"

namespace stiction {

/// Named colours, those of <robot> and those that a <visual> defines on its way.
void read_materials(UrdfContext& context, const XmlElement& robot);

/// Geoms of the body: collisions in group 0; visuals in group 1, touching nothing. A mesh that is
/// missing or bad is an error in a collision and a cosmetic note in a visual. `density` is that of
/// the collision geoms if the body's mass is to come from them, else 0.
void add_link_geoms(UrdfContext& context, const XmlElement& link, int body, double density);

/// The file that a mesh's `filename` means, empty if there is none:
///   package://NAME/REST (also model://): NAME in options.package_paths, then in ROS_PACKAGE_PATH,
///     then beside or above the URDF file;
///   file://PATH; PATH: absolute, in the <mujoco> block's meshdir, or relative to the URDF file.
std::string find_mesh(const UrdfContext& context, const XmlElement& element,
                      const std::string& filename);

}  // namespace stiction
