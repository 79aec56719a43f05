// Defaults, frames, orientations and shapes of MJCF, against values worked out by hand.
#include <stiction/sdf.h>

#include <numbers>

#include "mjcf_file.h"

namespace stiction {
namespace {

using std::numbers::pi;

const Geom& geom_of(const Model& model, const std::string& name) {
  return model.geoms.at(static_cast<size_t>(model.geom_index(name)));
}
const Body& body_of(const Model& model, const std::string& name) {
  return model.bodies.at(static_cast<size_t>(model.body_index(name)));
}
const Joint& joint_of(const Model& model, const std::string& name) {
  return model.joints.at(static_cast<size_t>(model.joint_index(name)));
}

void expect_same_rotation(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  EXPECT_NEAR(std::abs(a.dot(b)), 1, 1e-14);
}

TEST(MjcfDefaults, ClassesNestAndChildclassReachesDown) {
  const Model model = model_of(R"(
    <default>
      <geom size="0.1 0.2 0.3" friction="0.9 0.8 0.7"/>
      <default class="a">
        <geom type="box"/>
        <default class="b"><geom size="0.5"/></default>
      </default>
    </default>
    <worldbody>
      <geom name="plain"/>
      <body childclass="a">
        <geom name="a"/>
        <geom name="b" class="b" friction="0.1"/>
        <body><geom name="deep"/></body>
      </body>
    </worldbody>)");
  EXPECT_EQ(std::get<Sphere>(geom_of(model, "plain").shape).radius, 0.1);
  EXPECT_EQ(std::get<Box>(geom_of(model, "a").shape).half_size, Eigen::Vector3d(0.1, 0.2, 0.3));
  EXPECT_EQ(std::get<Box>(geom_of(model, "deep").shape).half_size, Eigen::Vector3d(0.1, 0.2, 0.3));
  // A shorter list replaces only its own length.
  EXPECT_EQ(std::get<Box>(geom_of(model, "b").shape).half_size, Eigen::Vector3d(0.5, 0.2, 0.3));
  EXPECT_EQ(geom_of(model, "b").contact.friction, Eigen::Vector3d(0.1, 0.8, 0.7));
}

TEST(MjcfDefaults, LaterSettingsOfTheParentDoNotReachAnOpenedClass) {
  const Model model = model_of(R"(
    <default><geom size="0.1"/><default class="a"><geom group="2"/></default></default>
    <default><geom size="0.4"/></default>
    <worldbody><geom name="main"/><geom name="a" class="a"/></worldbody>)");
  EXPECT_EQ(std::get<Sphere>(geom_of(model, "main").shape).radius, 0.4);
  EXPECT_EQ(std::get<Sphere>(geom_of(model, "a").shape).radius, 0.1);
  EXPECT_EQ(geom_of(model, "a").group, 2);
}

TEST(MjcfOrientation, AllFormsGiveTheSameRotation) {
  // 90 degrees about z, in every way of writing it.
  const Model model = model_of(R"(<worldbody>
      <body name="quat" quat="2 0 0 2"/>
      <body name="axisangle" axisangle="0 0 3 90"/>
      <body name="euler" euler="0 0 90"/>
      <body name="xyaxes" xyaxes="0 2 0 -3 1 0"/>
    </worldbody>)");
  const Eigen::Quaterniond expected(Eigen::AngleAxisd(pi / 2, Eigen::Vector3d::UnitZ()));
  for (const char* name : {"quat", "axisangle", "euler", "xyaxes"}) {
    expect_same_rotation(body_of(model, name).X_PB.q, expected);
  }
}

TEST(MjcfOrientation, ZaxisIsTheSmallestRotation) {
  const Model model = model_of(R"(<worldbody>
      <body name="tilt" zaxis="0 1 1"/><body name="down" zaxis="0 0 -2"/></worldbody>)");
  expect_same_rotation(body_of(model, "tilt").X_PB.q,
                       Eigen::Quaterniond(Eigen::AngleAxisd(-pi / 4, Eigen::Vector3d::UnitX())));
  EXPECT_LT(
      (body_of(model, "down").X_PB.q * Eigen::Vector3d::UnitZ() + Eigen::Vector3d::UnitZ()).norm(),
      1e-14);
}

TEST(MjcfOrientation, EulerSequenceMovesOrStaysWithItsCase) {
  const std::string body = "<worldbody><body name='b' euler='0.3 -0.5 1.1'/></worldbody>";
  const auto turn = [](double angle, int axis) {
    return Eigen::AngleAxisd(angle, Eigen::Vector3d::Unit(axis));
  };
  const Model moving = model_of("<compiler angle='radian' eulerseq='xyz'/>" + body);
  expect_same_rotation(moving.bodies[1].X_PB.q, turn(0.3, 0) * turn(-0.5, 1) * turn(1.1, 2));
  const Model fixed = model_of("<compiler angle='radian' eulerseq='ZYX'/>" + body);
  expect_same_rotation(fixed.bodies[1].X_PB.q, turn(1.1, 0) * turn(-0.5, 1) * turn(0.3, 2));
}

TEST(MjcfFrames, TransformWhatTheyHold) {
  const Model model = model_of(R"(<worldbody>
      <frame pos="1 0 0" euler="0 0 90">
        <geom name="g" size="0.1" pos="1 0 0"/>
        <frame pos="0 0 2"><body name="b" pos="1 0 0">
          <frame euler="0 90 0"><joint name="j" axis="0 0 1" pos="0 0 1"/></frame>
          <geom size="0.1"/></body></frame>
      </frame></worldbody>)");
  EXPECT_TRUE(geom_of(model, "g").X_BG.p.isApprox(Eigen::Vector3d(1, 1, 0), 1e-14));
  EXPECT_TRUE(body_of(model, "b").X_PB.p.isApprox(Eigen::Vector3d(1, 1, 2), 1e-14));
  EXPECT_TRUE(joint_of(model, "j").axis.isApprox(Eigen::Vector3d(1, 0, 0), 1e-14));
  EXPECT_TRUE(joint_of(model, "j").anchor.isApprox(Eigen::Vector3d(1, 0, 0), 1e-14));
}

TEST(MjcfShapes, FromtoGivesMiddleLengthAndDirection) {
  const Model model = model_of(R"(<worldbody>
      <geom name="capsule" type="capsule" size="0.1" fromto="0 0 1 0 2 1"/>
      <geom name="box" type="box" size="0.1" fromto="0 0 0 4 0 0"/></worldbody>)");
  const Geom& capsule = geom_of(model, "capsule");
  EXPECT_EQ(std::get<Capsule>(capsule.shape).half_length, 1);
  EXPECT_TRUE(capsule.X_BG.p.isApprox(Eigen::Vector3d(0, 1, 1)));
  EXPECT_NEAR(std::abs((capsule.X_BG.q * Eigen::Vector3d::UnitZ()).y()), 1, 1e-14);
  EXPECT_TRUE(
      std::get<Box>(geom_of(model, "box").shape).half_size.isApprox(Eigen::Vector3d(0.1, 0.1, 2)));
}

TEST(MjcfShapes, PrimitivesFitTheInertiaOfAMesh) {
  // The mesh is a box of half sides 1, 2, 3 with its centre at (5, 0, 0): fitting finds it again.
  const Model model = model_of(R"(
    <asset><mesh name="m" scale="1 2 3" vertex="4 -1 -1  6 -1 -1  4 1 -1  6 1 -1
                                               4 -1 1  6 -1 1  4 1 1  6 1 1"/></asset>
    <worldbody><geom name="box" type="box" mesh="m" pos="0 0 1"/>
      <geom name="sphere" type="sphere" mesh="m" fitscale="0.5"/>
      <geom name="mesh" type="mesh" mesh="m" pos="0 0 1"/></worldbody>)");
  const Geom& box = geom_of(model, "box");
  EXPECT_TRUE(std::get<Box>(box.shape).half_size.isApprox(Eigen::Vector3d(1, 2, 3), 1e-12));
  EXPECT_TRUE(box.X_BG.p.isApprox(Eigen::Vector3d(5, 0, 1), 1e-12));
  EXPECT_NEAR(std::get<Sphere>(geom_of(model, "sphere").shape).radius, 1, 1e-12);
  // A mesh geom keeps the pose of the file: its vertices are not moved.
  EXPECT_EQ(geom_of(model, "mesh").X_BG.p, Eigen::Vector3d(0, 0, 1));
}

TEST(MjcfJoints, AnglesAndLimits) {
  const Model model = model_of(R"(<worldbody><body><geom size="0.1"/>
      <joint name="h" range="-90 45" ref="30" springref="60" axis="0 0 2"/>
      <joint name="s" type="slide" range="-0.5 1" actuatorfrcrange="-3 4"/>
      <joint name="off" type="slide" axis="1 0 0" range="0 1" limited="false"/>
      <joint name="ball" type="ball" range="0 180"/></body></worldbody>)");
  EXPECT_NEAR(joint_of(model, "h").range.lower, -pi / 2, 1e-15);
  EXPECT_NEAR(joint_of(model, "h").range.upper, pi / 4, 1e-15);
  EXPECT_NEAR(joint_of(model, "h").ref, pi / 6, 1e-15);
  EXPECT_NEAR(joint_of(model, "h").springref, pi / 3, 1e-15);
  EXPECT_EQ(joint_of(model, "h").axis, Eigen::Vector3d::UnitZ());
  EXPECT_EQ(joint_of(model, "s").range.upper, 1);
  EXPECT_EQ(joint_of(model, "s").actuator_force_range.lower, -3);
  EXPECT_FALSE(joint_of(model, "off").range.limited());
  EXPECT_NEAR(joint_of(model, "ball").range.upper, pi, 1e-15);
  EXPECT_NEAR(model.qpos0[0], pi / 6, 1e-15);
}

TEST(MjcfSdf, CustomTextsReplaceShapes) {
  const Loaded loaded = load_text(R"(
    <custom>
      <numeric name="other" data="1"/>
      <text name="stiction:sdf:cup" data="bowl rim_radius=0.08 sectors=32"/>
    </custom>
    <worldbody>
      <body name="cup" pos="0 0 1"><freejoint/><geom name="cup" size="0.1" mass="0.2"/></body>
    </worldbody>)");
  const SdfSolid& cup = std::get<SdfSolid>(geom_of(loaded.model, "cup").shape);
  double rim = 0;
  for (const Eigen::Vector3d& p : cup.sdf->surface.vertices) {
    rim = std::max(rim, p.head<2>().norm());
  }
  EXPECT_NEAR(rim, 0.08, 1e-4);  // the arc's points need not hit its outermost one
  EXPECT_NEAR(body_of(loaded.model, "cup").mass, 0.2, 1e-12);
  EXPECT_GT(body_of(loaded.model, "cup").com.z(), 0.01);  // of the bowl, not of the sphere
}

TEST(MjcfSdf, ComplaintsNameTheText) {
  const auto complaint = [](const std::string& name, const std::string& data) {
    return error_of("<custom><text name=\"stiction:sdf:" + name + "\" data=\"" + data +
                    "\"/></custom><worldbody><geom name=\"a\" size=\"1\"/></worldbody>");
  };
  EXPECT_NE(complaint("b", "bowl").find("geom 'b' does not exist"), std::string::npos);
  EXPECT_NE(complaint("a", "spoon").find("'spoon' is unknown"), std::string::npos);
  EXPECT_NE(complaint("a", "bolt size=M9").find("'M9' is unknown"), std::string::npos);
  EXPECT_NE(complaint("a", "bowl height=tall").find("expected a number"), std::string::npos);
  EXPECT_NE(complaint("a", "bowl depth=1").find("'depth' is not a setting"), std::string::npos);
  EXPECT_NE(complaint("a", "grid").find("needs the mesh of a geom"), std::string::npos);
  EXPECT_NE(complaint("a", "surface").find("needs a mesh"), std::string::npos);
}

TEST(MjcfRestitution, ByGeomOrForAll) {
  const std::string geoms =
      "<worldbody><geom name='a' size='1'/><geom name='b' size='1'/></worldbody>"
      "<contact><pair geom1='a' geom2='b'/></contact>";
  const Model model = model_of(R"(<custom>
      <numeric name="stiction:restitution" data="0.2"/>
      <numeric name="stiction:restitution:b" data="0.8"/>
    </custom>)" + geoms);
  EXPECT_EQ(geom_of(model, "a").contact.restitution, 0.2);
  EXPECT_EQ(geom_of(model, "b").contact.restitution, 0.8);
  EXPECT_EQ(model.pairs.at(0).restitution, 0.8);
  const auto complaint = [&](const std::string& name, const std::string& data) {
    return error_of("<custom><numeric name='stiction:restitution" + name + "' data='" + data +
                    "'/></custom>" + geoms);
  };
  EXPECT_NE(complaint(":c", "1").find("geom 'c' does not exist"), std::string::npos);
  EXPECT_NE(complaint(":a", "2").find("data is '2', expected a restitution from 0 to 1"),
            std::string::npos);
  EXPECT_NE(complaint("", "soft").find("soft"), std::string::npos);
  EXPECT_NE(complaint("s:a", "1").find("stiction:restitutions:a"), std::string::npos);
}

TEST(MjcfHeightField, RowsRunUpwardsAndHeightsAreStretched) {
  const Model model = model_of(R"(
    <asset><hfield name="f" nrow="2" ncol="3" size="1 2 0.5 0.1" elevation="1 2 3  5 4 3"/></asset>
    <worldbody><geom type="hfield" hfield="f"/></worldbody>)");
  const HeightGrid& grid = *std::get<HeightField>(model.geoms[0].shape).grid;
  EXPECT_EQ(grid.heights, (std::vector<double>{0.5, 0.375, 0.25, 0, 0.125, 0.25}));
  EXPECT_EQ(grid.half_extent, Eigen::Vector2d(1, 2));
  EXPECT_EQ(grid.base, 0.1);
}

}  // namespace
}  // namespace stiction
