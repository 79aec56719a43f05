// A cube of 1 kg between two fingers that press with 10 N each at mu 1: twice what Coulomb asks
// for.
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

void add_finger(ModelBuilder& builder, const std::string& name, double side) {
  Body body;
  body.name = name;
  body.X_PB.p = Eigen::Vector3d(0.04 * side, 0, 0.5);
  const int index = builder.add_body(body);
  Joint joint;
  joint.name = name;
  joint.type = JointType::kSlide;
  joint.body = index;
  joint.axis = -side * Eigen::Vector3d::UnitX();
  joint.damping = 10;
  Actuator motor;
  motor.name = name;
  motor.kind = "motor";
  motor.target = builder.add_joint(joint);
  builder.add_actuator(motor);
  Geom pad;
  pad.name = name;
  pad.body = index;
  pad.shape = Box{{0.01, 0.02, 0.02}};
  pad.contact.friction[0] = 1;
  builder.add_geom(pad, 3125);  // 0.1 kg
}

}  // namespace

Model make_grasp() {
  ModelBuilder builder("grasp");
  add_finger(builder, "left", -1);
  add_finger(builder, "right", 1);
  add_free_part(builder, {.name = "cube",
                          .shape = Box{{0.03, 0.03, 0.03}},
                          .p = {0, 0, 0.5},
                          .mu = 1,
                          .rgba = {0.85, 0.45, 0.2, 1}});
  Keyframe start;
  start.name = "start";
  start.ctrl = Eigen::Vector2d(10, 10);
  builder.add_keyframe(start);
  return builder.build();
}

}  // namespace stiction
