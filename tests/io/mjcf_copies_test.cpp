// include, replicate and attach.
#include <numbers>

#include "message_of.h"
#include "mjcf_file.h"

namespace stiction {
namespace {

TEST(MjcfInclude, SectionsAddUpAndPathsAreRelativeToTheMainFile) {
  const TemporaryFolder folder;
  folder.write("parts/inner.xml", "<mujocoinclude><geom name='inner' size='0.2'/></mujocoinclude>");
  folder.write("parts/body.xml",
               "<mujocoinclude><default><geom group='4'/></default>"
               "<worldbody><body name='b'><include file='parts/inner.xml'/></body></worldbody>"
               "</mujocoinclude>");
  const std::string main = folder.write(
      "main.xml",
      "<mujoco><include file='parts/body.xml'/><worldbody><geom size='0.1'/></worldbody></mujoco>");
  const Model model = load_mjcf(main, {}).model;
  EXPECT_EQ(model.bodies.size(), 2);
  ASSERT_EQ(model.geoms.size(), 2);
  EXPECT_EQ(model.geoms[1].name, "inner");
  EXPECT_EQ(model.geoms[0].group, 4);
}

TEST(MjcfInclude, OfItselfOrTwiceIsRefused) {
  const TemporaryFolder folder;
  const std::string self = folder.write("self.xml", "<mujoco><include file='self.xml'/></mujoco>");
  EXPECT_THROW(load_mjcf(self, {}), InputError);
  folder.write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  folder.write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
  const std::string loop = folder.write("c.xml", "<mujoco><include file='a.xml'/></mujoco>");
  EXPECT_THROW(load_mjcf(loop, {}), InputError);
  const std::string missing =
      folder.write("d.xml", "<mujoco>\n<include file='nowhere.xml'/></mujoco>");
  EXPECT_NE(message_of([&] { load_mjcf(missing, {}); }).find("d.xml:2: include"),
            std::string::npos);
}

TEST(MjcfReplicate, PlacesAndNamesCopiesAndWhatRefersToThem) {
  const Model model = model_of(R"(
    <worldbody><replicate count="12" offset="1 0 0" euler="0 0 90" sep="-">
      <body name="b"><joint name="j"/><geom size="0.1" pos="0 0 1"/></body>
    </replicate></worldbody>
    <tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
    <actuator><motor name="m" tendon="t"/></actuator>
    <sensor><actuatorfrc actuator="m"/></sensor>)");
  ASSERT_EQ(model.bodies.size(), 13);
  ASSERT_EQ(model.tendons.size(), 12);
  ASSERT_EQ(model.actuators.size(), 12);
  ASSERT_EQ(model.sensors.size(), 12);
  EXPECT_EQ(model.bodies[1].name, "b-00");
  EXPECT_EQ(model.bodies[12].name, "b-11");
  EXPECT_EQ(model.tendons[5].name, "t-05");
  EXPECT_EQ(model.tendons[5].joints, std::vector<int>{5});
  EXPECT_EQ(model.actuators[7].target, 7);
  EXPECT_EQ(model.sensors[7].object, 7);
  // Each step goes along the turned x axis: round a unit square.
  EXPECT_TRUE(model.bodies[3].X_PB.p.isApprox(Eigen::Vector3d(1, 1, 0), 1e-14));
  EXPECT_LT((model.bodies[5].X_PB.p - model.bodies[1].X_PB.p).norm(), 1e-14);
}

TEST(MjcfReplicate, ReportsWhatItCannotCopy) {
  const Loaded loaded = load_text(R"(
    <worldbody><body name="base"><geom size="0.1"/></body>
      <replicate count="2"><body name="b"><joint/><geom size="0.1"/></body></replicate></worldbody>
    <contact><exclude body1="base" body2="b"/></contact>)");
  EXPECT_TRUE(loaded.model.excludes.empty());
  ASSERT_EQ(loaded.notes.size(), 1);
  EXPECT_EQ(loaded.notes[0].severity, Severity::kPhysics);
}

TEST(MjcfReplicate, RefusesTooManyCopies) {
  EXPECT_NE(error_of("<worldbody><replicate count='1000000000'><geom size='1'/></replicate>"
                     "</worldbody>"),
            "");
  std::string text = "<geom size='1'/>";
  for (int i = 0; i < 20; ++i) text = "<replicate count='10'>" + text + "</replicate>";
  EXPECT_NE(error_of("<worldbody>" + text + "</worldbody>"), "");
}

TEST(MjcfAttach, BringsABodyWithItsActuatorsAndKeyframes) {
  const TemporaryFolder folder;
  folder.write("arm.xml", R"(<mujoco model="arm"><compiler angle="radian"/>
    <default><geom size="0.3"/></default>
    <worldbody><body name="skip"><joint name="other"/><geom/></body>
      <body name="arm" pos="0 0 1"><joint name="j" range="-1 1"/><geom name="g"/></body></worldbody>
    <actuator><position name="a" joint="j" kp="7"/><motor name="b" joint="other"/></actuator>
    <keyframe><key name="k" qpos="0.1 0.2" ctrl="3 4"/></keyframe></mujoco>)");
  const std::string main = folder.write("main.xml", R"(<mujoco>
    <asset><model file="arm.xml"/></asset>
    <worldbody><geom size="0.1"/>
      <frame pos="5 0 0"><attach model="arm" body="arm" prefix="l_"/></frame></worldbody></mujoco>)");
  const Model model = load_mjcf(main, {}).model;
  ASSERT_EQ(model.bodies.size(), 2);
  EXPECT_EQ(model.bodies[1].name, "l_arm");
  EXPECT_EQ(model.bodies[1].X_PB.p, Eigen::Vector3d(5, 0, 1));
  EXPECT_EQ(model.joints[0].range.upper, 1);  // radians: the arm's own compiler
  EXPECT_EQ(std::get<Sphere>(model.geoms[1].shape).radius, 0.3);
  ASSERT_EQ(model.actuators.size(), 1);
  EXPECT_EQ(model.actuators[0].name, "l_a");
  EXPECT_EQ(model.actuators[0].gain[0], 7);
  ASSERT_EQ(model.keyframes.size(), 1);
  EXPECT_EQ(model.keyframes[0].name, "l_k");
  EXPECT_EQ(model.keyframes[0].qpos[0], 0.2);
  EXPECT_EQ(model.keyframes[0].ctrl[0], 3);
}

TEST(MjcfAttach, OfItselfIsRefused) {
  const TemporaryFolder folder;
  const std::string self = folder.write(
      "self.xml", "<mujoco model='self'><asset><model file='self.xml'/></asset></mujoco>");
  EXPECT_THROW(load_mjcf(self, {}), InputError);
}

}  // namespace
}  // namespace stiction
