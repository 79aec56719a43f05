// Robots that the project ships in models/.
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

// Eight quadrupeds dropped on each other ([TRO25] Fig. 12).
Model make_laikago() { return shipped_model("laikago8.xml"); }

// An arm that carries a box on a tray ([JOINT] Fig. 1).
Model make_panda() { return shipped_model("panda_box.xml"); }

}  // namespace stiction
