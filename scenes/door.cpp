// A door handle: a hinge with dry friction, a spring and a stop ([JOINT] Fig. 1).
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_door() { return shipped_model("door_handle.xml"); }

}  // namespace stiction
