// URDF features on small documents: what each element becomes, and what is refused how.
#include <gtest/gtest.h>

#include <numbers>

#include "urdf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

bool has_note(const Loaded& loaded, Severity severity, const std::string& text) {
  for (const Note& note : loaded.notes) {
    if (note.severity == severity && note.line > 0 &&
        (note.element + ": " + note.message).find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

constexpr const char* kLimit = R"(<limit lower="-1" upper="2" effort="3" velocity="4"/>)";

TEST(Urdf, JointTypes) {
  const Model model =
      load(link("a") + link("b") + link("c") + link("d") + link("e") + link("f") +
           joint("hinge", "revolute", "a", "b",
                 std::string(kLimit) + "<dynamics damping=\"5\" friction=\"6\"/>") +
           joint("wheel", "continuous", "b", "c", "<axis xyz=\"0 0 2\"/>") +
           joint("slide", "prismatic", "c", "d", kLimit) + joint("ball", "spherical", "d", "e") +
           joint("weld", "fixed", "e", "f", "<origin xyz=\"1 2 3\"/>"))
          .model;
  ASSERT_EQ(model.joints.size(), 4u);
  EXPECT_EQ(model.nq, 1 + 1 + 1 + 4);
  EXPECT_EQ(model.nv, 1 + 1 + 1 + 3);
  const Joint& hinge = model.joints[0];
  EXPECT_EQ(hinge.type, JointType::kHinge);
  EXPECT_EQ(hinge.axis, Vector3d::UnitX());  // URDF's default
  EXPECT_EQ(hinge.range.lower, -1);
  EXPECT_EQ(hinge.range.upper, 2);
  EXPECT_EQ(hinge.actuator_force_range.lower, -3);
  EXPECT_EQ(hinge.damping, 5);
  EXPECT_EQ(hinge.frictionloss, 6);
  EXPECT_EQ(model.joints[1].axis, Vector3d::UnitZ());
  EXPECT_FALSE(model.joints[1].range.limited());
  EXPECT_EQ(model.joints[2].type, JointType::kSlide);
  EXPECT_EQ(model.joints[3].type, JointType::kBall);
  EXPECT_EQ(model.bodies[6].X_PB.p, Vector3d(1, 2, 3));
}

TEST(Urdf, PlanarJointSpansThePlaneNormalToItsAxis) {
  const Model model =
      load(link("a") + link("b") + joint("p", "planar", "a", "b", "<axis xyz=\"1 2 2\"/>")).model;
  ASSERT_EQ(model.joints.size(), 3u);
  const Vector3d normal = Vector3d(1, 2, 2) / 3;
  const Vector3d x = model.joints[0].axis, y = model.joints[1].axis;
  EXPECT_EQ(model.joints[0].type, JointType::kSlide);
  EXPECT_EQ(model.joints[1].type, JointType::kSlide);
  EXPECT_EQ(model.joints[2].type, JointType::kHinge);
  EXPECT_LT((x.cross(y) - normal).norm(), 1e-14);
  EXPECT_LT((model.joints[2].axis - normal).norm(), 1e-14);
}

TEST(Urdf, RollPitchYawTurnAboutFixedAxesInTurn) {
  const Model model =
      load(link("a") + link("b") + joint("j", "fixed", "a", "b", "<origin rpy=\"0.1 0.2 0.3\"/>"))
          .model;
  const Eigen::Matrix3d R = model.bodies[2].X_PB.q.toRotationMatrix();
  const auto turn = [](double angle, const Vector3d& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  // First about x, then about the parent's y, then about the parent's z.
  const Vector3d p(1, 2, 3);
  const Vector3d expected = turn(0.3, Vector3d::UnitZ()) *
                            (turn(0.2, Vector3d::UnitY()) * (turn(0.1, Vector3d::UnitX()) * p));
  EXPECT_LT((R * p - expected).norm(), 1e-14);
}

TEST(Urdf, InertiaIsTurnedIntoTheLinkFrame) {
  const Model model =
      load(R"(<link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
    <mass value="4"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link>)")
          .model;
  const Body& body = model.bodies[1];
  EXPECT_EQ(body.mass, 4);
  EXPECT_EQ(body.com, Vector3d(1, 2, 3));
  Eigen::Matrix3d expected;  // x and y exchanged, the product changes sign
  expected << 2, -0.1, 0, -0.1, 1, 0, 0, 0, 2.5;
  EXPECT_LT((body.inertia - expected).norm(), 1e-14);
}

TEST(Urdf, FloatingBase) {
  const std::string robot = link("a") + link("b") + joint("j", "continuous", "a", "b");
  EXPECT_EQ(load(robot).model.nq, 1);
  const Model model = load(robot, {.floating_base = true}).model;
  EXPECT_EQ(model.nq, 8);
  EXPECT_EQ(model.joints[0].type, JointType::kFree);
  EXPECT_EQ(model.bodies[model.joints[0].body].name, "a");
}

TEST(Urdf, RootLinkCalledWorldIsTheWorld) {
  const std::string robot = "<link name=\"world\"/>" + link("a") +
                            joint("mount", "fixed", "world", "a", "<origin xyz=\"0 0 1\"/>");
  const Model fixed = load(robot).model;
  EXPECT_EQ(fixed.bodies.size(), 2u);
  EXPECT_EQ(fixed.nq, 0);
  const Model floating = load(robot, {.floating_base = true}).model;
  EXPECT_EQ(floating.bodies.size(), 2u);
  EXPECT_EQ(floating.joints.at(0).name, "mount");
  EXPECT_EQ(floating.qpos0[2], 1);
}

TEST(Urdf, FloatingJointBelowAFixedLinkHangsOnTheWorld) {
  const std::string robot = "<link name=\"map\"/><link name=\"odom\"/>" + link("a") +
                            joint("m", "fixed", "map", "odom", "<origin xyz=\"1 0 0\"/>") +
                            joint("f", "floating", "odom", "a", "<origin xyz=\"0 2 0\"/>");
  const Model model = load(robot).model;
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.bodies[model.body_index("a")].parent, 0);
  EXPECT_EQ(model.qpos0.head<3>(), Vector3d(1, 2, 0));
  EXPECT_NE(urdf_error(link("a") + link("b") + link("c") + joint("j", "continuous", "a", "b") +
                       joint("f", "floating", "b", "c"))
                .find("floating"),
            std::string::npos);
}

TEST(Urdf, MimicBecomesAJointEquality) {
  const Model model = load(link("a") + link("b") + link("c") +
                           joint("follower", "continuous", "a", "b",
                                 "<mimic joint=\"leader\" multiplier=\"-2\" offset=\"0.5\"/>") +
                           joint("leader", "continuous", "a", "c"))
                          .model;
  ASSERT_EQ(model.equalities.size(), 1u);
  const Equality& equality = model.equalities[0];
  EXPECT_EQ(model.joints[equality.object1].name, "follower");
  EXPECT_EQ(model.joints[equality.object2].name, "leader");
  EXPECT_EQ(equality.polycoef, (std::array<double, 5>{0.5, -2, 0, 0, 0}));
}

TEST(Urdf, ShapesAndColours) {
  const Loaded loaded =
      load(R"(<material name="red"><color rgba="1 0 0 1"/></material>)" +
           link("a", R"(<collision><geometry><box size="2 4 6"/></geometry></collision>
       <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.5"/></geometry></collision>
       <collision><geometry><cylinder radius="1" length="3"/></geometry></collision>
       <collision><geometry><capsule radius="1" length="3"/></geometry></collision>
       <visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
       <visual><geometry><box size="1 1 1"/></geometry>
         <material name=""><color rgba="0 1 0 0.5"/></material></visual>
       <visual><geometry><sphere radius="0"/></geometry></visual>)"));
  const std::vector<Geom>& geoms = loaded.model.geoms;
  ASSERT_EQ(geoms.size(), 6u);
  EXPECT_EQ(std::get<Box>(geoms[0].shape).half_size, Vector3d(1, 2, 3));
  EXPECT_EQ(geoms[1].X_BG.p, Vector3d(1, 0, 0));
  EXPECT_EQ(std::get<Cylinder>(geoms[2].shape).half_length, 1.5);
  EXPECT_EQ(std::get<Capsule>(geoms[3].shape).half_length, 1.5);
  EXPECT_EQ(geoms[3].contact.contype, 1);
  EXPECT_EQ(geoms[4].contact.contype, 0);
  EXPECT_EQ(geoms[4].contact.conaffinity, 0);
  EXPECT_EQ(geoms[4].group, 1);
  EXPECT_EQ(geoms[4].rgba, Eigen::Vector4d(1, 0, 0, 1));
  EXPECT_EQ(loaded.model.materials.at(geoms[4].material).name, "red");
  EXPECT_EQ(geoms[5].rgba, Eigen::Vector4d(0, 1, 0, 0.5));
  EXPECT_TRUE(has_note(loaded, Severity::kCosmetic, "radius is '0', expected > 0"));
}

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST(Urdf, MeshPaths) {
  write_urdf("shape.obj", kTetrahedron);
  write_urdf("meshes/stripped.obj", kTetrahedron);
  write_urdf("my_robot/meshes/packed.obj", kTetrahedron);
  write_urdf("elsewhere/other_robot/meshes/far.obj", kTetrahedron);
  const auto count = [](const std::string& body, const LoadOptions& options = {}) {
    return load(body, options).model.geoms.size();
  };
  EXPECT_EQ(count(collision("shape.obj")), 1u);
  EXPECT_EQ(count(collision("file://" + folder() + "shape.obj")), 1u);
  EXPECT_EQ(count(collision("package://my_robot/meshes/packed.obj")), 1u);
  EXPECT_EQ(count("<mujoco><compiler meshdir=\"meshes\"/></mujoco>" +
                  collision("package_was_here/x/stripped.obj")),
            1u);
  const std::string far = collision("package://other_robot/meshes/far.obj");
  EXPECT_NE(urdf_error(far).find("not found"), std::string::npos);
  EXPECT_EQ(count(far, {.package_paths = {folder() + "elsewhere"}}), 1u);
  EXPECT_EQ(count(far, {.package_paths = {folder() + "elsewhere/other_robot"}}), 1u);
}

TEST(Urdf, MeshScaleMirrorsOutwards) {
  write_urdf("shape.obj", kTetrahedron);
  const Model model = load(collision("shape.obj", "scale=\"-2 3 4\"")).model;
  const TriangleMesh& mesh = *std::get<ConvexMesh>(model.geoms[0].shape).mesh;
  double volume = 0;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    volume += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6;
  }
  EXPECT_NEAR(volume, 2.0 * 3 * 4 / 6, 1e-12);
}

TEST(Urdf, MissingVisualMeshIsACosmeticNote) {
  const Loaded loaded =
      load(link("a", "<visual><geometry><mesh filename=\"none.stl\"/></geometry></visual>"));
  EXPECT_TRUE(loaded.model.geoms.empty());
  EXPECT_TRUE(has_note(loaded, Severity::kCosmetic, "none.stl"));
}

TEST(Urdf, CompilerExtension) {
  const std::string bar =
      R"(<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="4"/></inertial>
      </link>)";
  EXPECT_NE(urdf_error(bar).find("link 'a'"), std::string::npos);
  const std::string block = "<mujoco><compiler balanceinertia=\"true\"/></mujoco>";
  EXPECT_LT((load(block + bar).model.bodies[1].inertia - 2 * Eigen::Matrix3d::Identity()).norm(),
            1e-14);

  const std::string shape = R"(<link name="a"><collision><geometry><box size="0.1 0.2 0.3"/>
      </geometry></collision></link>)";
  EXPECT_EQ(load(shape).model.total_mass(), 0);
  EXPECT_NEAR(
      load("<mujoco><compiler inertiafromgeom=\"auto\"/></mujoco>" + shape).model.total_mass(), 6,
      1e-12);
  const Loaded bounded = load(
      "<mujoco><compiler boundmass=\"0.5\" angle=\"degree\" settotalmass=\"3\"/>"
      "<option timestep=\"0.001\" gravity=\"0 0 -1\"/><size/></mujoco>" +
      shape);
  EXPECT_EQ(bounded.model.bodies[1].mass, 0.5);
  EXPECT_EQ(bounded.model.options.timestep, 0.001);
  EXPECT_EQ(bounded.model.options.gravity.z(), -1);
  EXPECT_TRUE(has_note(bounded, Severity::kPhysics, "angle"));
  EXPECT_TRUE(has_note(bounded, Severity::kPhysics, "settotalmass"));
  EXPECT_TRUE(has_note(bounded, Severity::kPhysics, "size"));
}

TEST(Urdf, WhatIsNotHonouredIsNoted) {
  const Loaded loaded =
      load(link("a", "<contact><lateral_friction value=\"1\"/></contact><wheel/>") + link("b") +
           joint("j", "revolute", "a", "b",
                 std::string(kLimit) + "<dynamics damping=\"1\" K=\"7\"/><safety_controller/>") +
           "<transmission name=\"t\"/><gazebo reference=\"a\"><mu1>0.5</mu1></gazebo>"
           "<gazebo><plugin name=\"p\"/></gazebo><loop_joint/>");
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "contact"));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "wheel"));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "velocity 4"));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "attribute K"));
  EXPECT_TRUE(has_note(loaded, Severity::kCosmetic, "safety_controller"));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "transmission 't'"));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "mu1"));
  EXPECT_TRUE(has_note(loaded, Severity::kCosmetic, "plugin"));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "loop_joint"));
  EXPECT_EQ(loaded.notes.size(), 9u);
}

TEST(Urdf, XacroFilesAreToldWhatToDo) {
  for (const std::string& body :
       {std::string("<xacro:include filename=\"x\"/>"), link("a", "<xacro:inertia/>"),
        link("a") + link("b") + joint("j", "fixed", "a", "b", "<origin xyz=\"${x} 0 0\"/>")}) {
    EXPECT_NE(urdf_error(body).find("xacro " + folder() + "robot.urdf > robot.urdf"),
              std::string::npos)
        << urdf_error(body);
  }
}

TEST(Urdf, OptenvLeftoversUseTheirDefault) {
  const Loaded loaded =
      load(link("a") + link("b") +
           joint("j", "fixed", "a", "b", "<origin xyz=\"$(optenv IMU_XYZ 0.19 0 0.149)\"/>"));
  EXPECT_EQ(loaded.model.bodies[2].X_PB.p, Vector3d(0.19, 0, 0.149));
  EXPECT_TRUE(has_note(loaded, Severity::kPhysics, "optenv"));
}

TEST(Urdf, LongChainsLoad) {
  std::string robot = link("base"), parent = "base";
  for (int i = 1; i <= 3000; ++i) {
    const std::string name = std::to_string(i);
    robot += link(name) + joint(name, "continuous", parent, name);
    parent = name;
  }
  EXPECT_EQ(load(robot).model.nv, 3000);
}

}  // namespace
}  // namespace stiction
