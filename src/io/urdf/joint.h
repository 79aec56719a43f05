// URDF joints to joints of the Model.
//
//   fixed                 none
//   revolute, continuous  hinge        prismatic         slide
//   floating              free         spherical, ball   ball (an extension of URDF)
//   planar                two slides NAME_x, NAME_y in the plane normal to the axis, and a hinge
//                         NAME_yaw about it
//
// <limit lower upper> is the range, <limit effort> clamps what actuators may do together,
// <dynamics damping friction> are viscous damping and dry friction, <mimic> is an equality
// q = offset + multiplier q_leader.
#pragma once

#include "io/urdf/context.h"
#include "io/urdf/link_tree.h"

namespace stiction {

bool is_fixed_joint(const XmlElement& joint);
bool is_floating_joint(const XmlElement& joint);

/// Adds what moves `body` relative to its parent.
void add_urdf_joint(UrdfContext& context, const XmlElement& joint, int body);
/// After all joints are there.
void add_mimics(UrdfContext& context, const UrdfTree& tree);

}  // namespace stiction
