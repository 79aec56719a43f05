// A box launched at 3 m/s: it stops where Coulomb says, and does not lift.
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_slide() {
  ModelBuilder builder("slide");
  add_floor(builder, 0.5);
  add_free_part(builder, {.name = "box", .shape = Box{{0.1, 0.1, 0.1}}, .p = {0, 0, 0.1}});
  Keyframe start;
  start.name = "start";
  start.qvel = Eigen::VectorXd::Zero(6);
  start.qvel[0] = 3;
  builder.add_keyframe(start);
  return builder.build();
}

}  // namespace stiction
