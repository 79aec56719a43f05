// A door handle: a hinge with dry friction, a spring and a stop ([JOINT] Fig. 1).
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_door() {
  ModelBuilder builder("door");
  Body body;
  body.name = "handle";
  body.X_PB.p = Eigen::Vector3d(0, 0, 1);
  const int handle = builder.add_body(body);
  Joint joint;
  joint.name = "latch";
  joint.body = handle;
  joint.axis = Eigen::Vector3d::UnitY();
  joint.range = {-0.1, 0.8};
  joint.stiffness = 0.4;
  joint.frictionloss = 0.1;
  builder.add_joint(joint);
  Geom lever;
  lever.name = "lever";
  lever.body = handle;
  lever.shape = Capsule{0.01, 0.06};
  lever.X_BG.p = Eigen::Vector3d(0.06, 0, 0);
  lever.X_BG.q = Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitY());
  builder.add_geom(lever, 2700);
  Actuator motor;
  motor.name = "hand";
  motor.kind = "motor";
  motor.target = 0;
  builder.add_actuator(motor);
  return builder.build();
}

}  // namespace stiction
