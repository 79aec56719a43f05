// What Newton-Euler and the articulated bodies share.
#pragma once

#include <stiction/tree.h>

namespace stiction {

/// data.wrench[b]: what it takes to move body b as qvel says at qacc = 0, against gravity.
void set_body_wrenches(const Model& model, TreeData& data);

}  // namespace stiction
