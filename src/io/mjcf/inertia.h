// Mass and inertia of a body by MuJoCo's rules: from <inertial>, or from the geoms.
#pragma once

#include "io/mjcf/coverage.h"
#include "io/mjcf/spec.h"

namespace stiction::mjcf {

/// Sets mass, com and inertia of `body`, which is described by `spec`; notes meshes that are
/// weighed although they enclose nothing.
void set_inertia(const BodySpec& spec, Body& body, Coverage& coverage);

/// Area and inertia, at unit density per area, of a primitive's surface.
VolumeProperties surface_properties(const Shape& shape);

}  // namespace stiction::mjcf
