// Drag of the medium, by MuJoCo's inertia-box model: every body is the box of uniform density that
// has its mass and inertia.
#pragma once

#include <stiction/tree.h>

namespace stiction {

/// One per body, or none if the medium has neither density nor viscosity.
std::vector<DragBox> make_drag_boxes(const Model& model);

/// qfrc += drag of all bodies; after update_velocity.
void add_drag(const Model& model, const TreeData& data, VectorRef qfrc);

}  // namespace stiction
