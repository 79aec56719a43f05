// Actuators, tendons, equalities, pairs, sensors and keyframes.
#include <cmath>

#include "mjcf_file.h"

namespace stiction {
namespace {

constexpr const char* kTwoJoints = R"(<compiler angle="radian"/><worldbody>
    <body name="one"><joint name="h" axis="0 1 0" armature="0.5" range="-1 3"/>
      <geom size="0.1" mass="2" pos="1 0 0"/>
      <body name="two" pos="2 0 0" euler="0 0 1.5707963267948966">
        <joint name="s" type="slide" axis="1 0 0" ref="0.25"/>
        <geom size="0.1" mass="3"/><site name="site2" pos="0 1 0"/></body></body>
    <site name="site0" pos="0 0 4"/></worldbody>)";

Actuator actuator_with(const std::string& text) {
  return model_of(kTwoJoints + ("<actuator>" + text + "</actuator>")).actuators.at(0);
}

TEST(MjcfActuators, ShortcutsAreAffineLaws) {
  const Actuator motor = actuator_with("<motor joint='h' gear='30' ctrlrange='-1 1'/>");
  EXPECT_EQ(motor.gear[0], 30);
  EXPECT_EQ(motor.gain, (std::array<double, 3>{1, 0, 0}));
  EXPECT_EQ(motor.bias_type, Bias::kNone);
  EXPECT_EQ(motor.ctrl_range.upper, 1);
  const Actuator position = actuator_with("<position joint='h' kp='20' kv='3'/>");
  EXPECT_EQ(position.gain[0], 20);
  EXPECT_EQ(position.bias, (std::array<double, 3>{0, -20, -3}));
  const Actuator velocity = actuator_with("<velocity joint='h' kv='4'/>");
  EXPECT_EQ(velocity.gain[0], 4);
  EXPECT_EQ(velocity.bias, (std::array<double, 3>{0, 0, -4}));
  const Actuator damper = actuator_with("<damper joint='h' kv='5' ctrlrange='0 1'/>");
  EXPECT_EQ(damper.gain_type, Gain::kAffine);
  EXPECT_EQ(damper.gain, (std::array<double, 3>{0, 0, -5}));
  const Actuator servo = actuator_with("<intvelocity joint='h' kp='6' actrange='-1 2'/>");
  EXPECT_EQ(servo.activation, Activation::kIntegrator);
  EXPECT_EQ(servo.act_range.upper, 2);
  const Actuator filtered = actuator_with("<position joint='h' timeconst='0.1'/>");
  EXPECT_EQ(filtered.activation, Activation::kFilterExact);
  EXPECT_EQ(filtered.time_constant, 0.1);
}

TEST(MjcfActuators, DefaultsOfAllKindsShareTheirFields) {
  const Model model = model_of(std::string("<default><position kp='50' kv='2'/>"
                                           "<default class='c'><general forcerange='-5 5'/>"
                                           "</default></default>") +
                               kTwoJoints +
                               "<actuator><general joint='h' class='c'/><position joint='h' "
                               "kp='8'/><motor joint='h'/></actuator>");
  EXPECT_EQ(model.actuators[0].gain[0], 50);
  EXPECT_EQ(model.actuators[0].bias, (std::array<double, 3>{0, -50, -2}));
  EXPECT_EQ(model.actuators[0].force_range.upper, 5);
  EXPECT_EQ(model.actuators[1].bias, (std::array<double, 3>{0, -8, -2}));
  EXPECT_EQ(model.actuators[2].gain[0], 1);
  EXPECT_EQ(model.actuators[2].bias_type, Bias::kNone);
}

TEST(MjcfActuators, DampingRatioSeesTheMassAtQpos0) {
  // About y through the origin: armature 0.5, 2 kg at 1 m, 3 kg at 2 m, and the spheres' own.
  const double mass = 0.5 + 2 * 1 + 3 * 4 + 0.4 * 5 * 0.01;
  const Actuator hinge = actuator_with("<position joint='h' kp='100' dampratio='0.7'/>");
  EXPECT_NEAR(hinge.bias[2], -2 * 0.7 * std::sqrt(100 * mass), 1e-12);
  const Actuator geared = actuator_with("<position joint='h' kp='100' dampratio='0.7' gear='2'/>");
  EXPECT_NEAR(geared.bias[2], -2 * 0.7 * std::sqrt(100 * mass / 4), 1e-12);
  const Actuator slide = actuator_with("<position joint='s' kp='10' dampratio='1'/>");
  EXPECT_NEAR(slide.bias[2], -2 * std::sqrt(10 * 3), 1e-12);
}

TEST(MjcfActuators, InheritTheRangeOfTheirJoint) {
  const Actuator actuator = actuator_with("<position joint='h' inheritrange='0.5'/>");
  EXPECT_NEAR(actuator.ctrl_range.lower, 0, 1e-15);
  EXPECT_NEAR(actuator.ctrl_range.upper, 2, 1e-15);
  EXPECT_NE(error_of(std::string(kTwoJoints) +
                     "<actuator><position joint='s' inheritrange='1'/></actuator>"),
            "");
}

TEST(MjcfTendons, RestAtTheLengthOfQpos0) {
  const Model model = model_of(std::string(kTwoJoints) + R"(<tendon>
    <fixed name="t" stiffness="3" range="-1 2"><joint joint="h" coef="2"/><joint joint="s" coef="-4"/>
    </fixed><fixed springlength="0.1 0.3"><joint joint="s" coef="1"/></fixed></tendon>)");
  EXPECT_EQ(model.tendons[0].coefs, (std::vector<double>{2, -4}));
  EXPECT_EQ(model.tendons[0].spring_length.lower, -1);
  EXPECT_EQ(model.tendons[0].spring_length.upper, -1);
  EXPECT_EQ(model.tendons[0].range.upper, 2);
  EXPECT_EQ(model.tendons[1].spring_length.upper, 0.3);
}

TEST(MjcfEqualities, ConnectAndWeldTakeTheirPoseFromQpos0) {
  const Model model = model_of(std::string(kTwoJoints) + R"(<equality>
      <connect body1="two" body2="one" anchor="0 1 0"/>
      <weld body1="one" body2="two" anchor="1 0 0" torquescale="0.5"/>
      <weld body1="two" relpose="1 2 3 0 1 0 0" anchor="0 0 1"/>
      <connect site1="site0" site2="site2"/>
      <joint joint1="s" joint2="h" polycoef="0.1 2" active="false"/></equality>)");
  // Body two stands at (2, 0, 0), turned by 90 degrees about z.
  const Equality& connect = model.equalities[0];
  EXPECT_TRUE(connect.anchor2.isApprox(Eigen::Vector3d(1, 0, 0), 1e-14));
  const Equality& weld = model.equalities[1];
  EXPECT_TRUE(weld.X_12.p.isApprox(Eigen::Vector3d(2, 0, 0), 1e-14));
  EXPECT_TRUE(weld.anchor1.isApprox(Eigen::Vector3d(2, 1, 0), 1e-14));
  EXPECT_EQ(weld.torque_scale, 0.5);
  const Equality& given = model.equalities[2];
  EXPECT_EQ(given.object2, 0);
  EXPECT_EQ(given.anchor1, Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE((given.X_12.p + given.X_12.q * given.anchor2).isApprox(given.anchor1, 1e-14));
  const Equality& sites = model.equalities[3];
  EXPECT_EQ(sites.object1, 0);
  EXPECT_EQ(sites.object2, 2);
  EXPECT_EQ(sites.anchor1, Eigen::Vector3d(0, 0, 4));
  EXPECT_EQ(sites.anchor2, Eigen::Vector3d(0, 1, 0));
  const Equality& joint = model.equalities[4];
  EXPECT_EQ(joint.polycoef, (std::array<double, 5>{0.1, 2, 0, 0, 0}));
  EXPECT_FALSE(joint.active);
}

TEST(MjcfSensors, KnowTheirObjects) {
  const Model model = model_of(std::string(kTwoJoints) + R"(<sensor>
      <jointpos name="p" joint="s" noise="0.1"/>
      <framequat objtype="xbody" objname="two" reftype="site" refname="site0"/></sensor>)");
  EXPECT_EQ(model.sensors[0].type, "jointpos");
  EXPECT_EQ(model.sensors[0].object, 1);
  EXPECT_EQ(model.sensors[1].object_type, ObjectType::kXBody);
  EXPECT_EQ(model.sensors[1].object, 2);
  EXPECT_EQ(model.sensors[1].ref, model.site_index("site0"));
  EXPECT_EQ(model.sensors[1].dim, 4);
}

TEST(MjcfOptions, TimestepGravityAndFlags) {
  EXPECT_EQ(model_of("").options.timestep, 0.002);
  const Options options = model_of(
                              "<option timestep='0.01' gravity='0 0 -3' wind='1 0 0'>"
                              "<flag contact='disable' gravity='disable'/></option>")
                              .options;
  EXPECT_EQ(options.timestep, 0.01);
  EXPECT_EQ(options.gravity, Eigen::Vector3d(0, 0, -3));
  EXPECT_FALSE(options.contact_enabled);
  EXPECT_FALSE(options.gravity_enabled);
  EXPECT_TRUE(options.limit_enabled);
}

}  // namespace
}  // namespace stiction
