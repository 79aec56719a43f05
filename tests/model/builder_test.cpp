// The builder's bookkeeping and every refusal of validate.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/error.h>

#include <functional>

namespace stiction {
namespace {

Body solid(const char* name, int parent = 0) {
  return {.name = name, .parent = parent, .mass = 2, .inertia = Eigen::Matrix3d::Identity()};
}

/// A free base, two hinged links added out of order, and one of everything that refers to them.
ModelBuilder robot() {
  ModelBuilder builder("robot");
  const int base = builder.add_body(solid("base"));
  const int thigh = builder.add_body(solid("thigh", base));
  const int shank = builder.add_body(solid("shank", thigh));
  builder.body(base).X_PB = {{1, 2, 3},
                             Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()))};
  const int knee = builder.add_joint({.name = "knee", .body = shank, .ref = 0.25});
  builder.add_joint({.name = "hip", .type = JointType::kBall, .body = thigh});
  builder.add_joint({.name = "root", .type = JointType::kFree, .body = base});
  const int tendon = builder.add_tendon({.name = "t", .joints = {knee}, .coefs = {2}});
  builder.add_site({.name = "foot", .body = shank, .shape = Sphere{0.01}});
  builder.add_geom({.name = "g", .body = shank, .shape = Sphere{0.1}});
  builder.add_actuator({.name = "motor", .target = knee});
  builder.add_actuator({.name = "pull",
                        .transmission = Transmission::kTendon,
                        .target = tendon,
                        .activation = Activation::kFilter});
  builder.add_equality({.name = "eq", .type = EqualityType::kJoint, .object1 = knee});
  builder.add_sensor(
      {.name = "s", .type = "jointpos", .object_type = ObjectType::kJoint, .object = knee});
  builder.add_keyframe({.name = "home"});
  return builder;
}

TEST(ModelBuilder, SortsJointsByBodyAndRenumbersReferences) {
  const Model model = robot().build();
  ASSERT_EQ(model.nq, 7 + 4 + 1);
  ASSERT_EQ(model.nv, 6 + 3 + 1);
  EXPECT_EQ(model.na, 1);
  EXPECT_EQ(model.nu(), 2);
  EXPECT_EQ(model.joint_index("root"), 0);
  EXPECT_EQ(model.joint_index("hip"), 1);
  EXPECT_EQ(model.joint_index("knee"), 2);
  EXPECT_EQ(model.joint_index("elbow"), -1);
  EXPECT_EQ(model.joints[2].qpos_begin, 11);
  EXPECT_EQ(model.joints[2].dof_begin, 9);
  EXPECT_EQ(model.bodies[2].dof_begin, 6);
  EXPECT_EQ(model.bodies[2].dof_count, 3);
  EXPECT_EQ(model.bodies[3].root, 1);
  EXPECT_EQ(model.tendons[0].joints[0], 2);
  EXPECT_EQ(model.actuators[0].target, 2);
  EXPECT_EQ(model.actuators[1].target, 0);  // a tendon, not a joint
  EXPECT_EQ(model.equalities[0].object1, 2);
  EXPECT_EQ(model.sensors[0].object, 2);
  EXPECT_EQ(model.total_mass(), 6);
}

TEST(ModelBuilder, ReferencePositions) {
  const Model model = robot().build();
  const Pose& X = model.bodies[1].X_PB;
  Eigen::VectorXd expected(12);
  expected << 1, 2, 3, X.q.w(), X.q.x(), X.q.y(), X.q.z(), 1, 0, 0, 0, 0.25;
  EXPECT_TRUE(model.qpos0.isApprox(expected));
  EXPECT_TRUE(model.keyframes[0].qpos.isApprox(expected));
  EXPECT_EQ(model.keyframes[0].qvel.size(), 10);
}

TEST(ModelBuilder, GeomDensityGivesMassAndInertia) {
  // Two cubes side by side are a box.
  ModelBuilder builder;
  const int body = builder.add_body({.name = "pair"});
  builder.add_joint({.type = JointType::kFree, .body = body});
  const Box cube{{0.5, 0.5, 0.5}};
  builder.add_geom(
      {.body = body, .shape = cube, .X_BG = {{0.5, 0, 0}, Eigen::Quaterniond::Identity()}}, 3);
  builder.add_geom(
      {.body = body, .shape = cube, .X_BG = {{1.5, 0, 0}, Eigen::Quaterniond(0, 1, 0, 0)}}, 3);
  const Model model = builder.build();
  EXPECT_NEAR(model.bodies[1].mass, 6, 1e-12);
  EXPECT_TRUE(model.bodies[1].com.isApprox(Eigen::Vector3d(1, 0, 0), 1e-12));
  const Eigen::Vector3d principal = Eigen::Vector3d(1 + 1, 4 + 1, 4 + 1) * 6 / 12;
  EXPECT_TRUE(model.bodies[1].inertia.isApprox(Eigen::Matrix3d(principal.asDiagonal()), 1e-12));
}

struct Refusal {
  const char* message;
  std::function<void(ModelBuilder&)> damage;
};

class Validate : public testing::TestWithParam<Refusal> {};

TEST_P(Validate, NamesThePlaceAndTheNumber) {
  ModelBuilder builder = robot();
  GetParam().damage(builder);
  try {
    builder.build();
    FAIL() << "accepted; expected: " << GetParam().message;
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Refusal kRefusals[] = {
    {"body 'thigh': moves, but its mass is 0 and its smallest inertia 1, expected both > 0",
     [](auto& b) { b.body(2).mass = 0; }},
    {"body 'thigh': moves, but its mass is 2 and its smallest inertia 0, expected both > 0",
     [](auto& b) { b.body(2).inertia.setZero(); }},
    {"body 'thigh': mass is -1, expected >= 0", [](auto& b) { b.body(2).mass = -1; }},
    {"body 'thigh': mass is nan", [](auto& b) { b.body(2).mass = kNaN; }},
    {"body 'thigh': principal inertias 1, 1, 2.5 break A + B >= C",
     [](auto& b) { b.body(2).inertia(0, 0) = 2.5; }},
    {"body 'thigh': inertia has the negative principal moment -1",
     [](auto& b) { b.body(2).inertia(2, 2) = -1; }},
    {"body 'thigh': inertia is not symmetric", [](auto& b) { b.body(2).inertia(0, 1) = 0.1; }},
    {"body 'thigh': quaternion has norm 1.00001, expected 1",
     [](auto& b) { b.body(2).X_PB.q.w() = 1.00001; }},
    {"body 'base': position is inf", [](auto& b) { b.body(1).X_PB.p.y() = kInfinity; }},
    {"body 'thigh': parent is body 3, expected one before it (its own index is 2)",
     [](auto& b) { b.body(2).parent = 3; }},
    {"body 'shank': parent is body 3, expected one before it (its own index is 3)",
     [](auto& b) { b.body(3).parent = 3; }},
    {"body 'base': name is used twice, by 1 and 3", [](auto& b) { b.body(3).name = "base"; }},
    {"joint 'hip': name is used twice, by 1 and 2", [](auto& b) { b.joint(0).name = "hip"; }},
    {"joint 'knee': axis has length 0, expected 1", [](auto& b) { b.joint(0).axis.setZero(); }},
    {"joint 'knee': axis is nan", [](auto& b) { b.joint(0).axis.x() = kNaN; }},
    {"joint 'knee': damping is -0.5, expected >= 0", [](auto& b) { b.joint(0).damping = -0.5; }},
    {"joint 'knee': stiffness is -1, expected >= 0", [](auto& b) { b.joint(0).stiffness = -1; }},
    {"joint 'knee': armature is -1, expected >= 0", [](auto& b) { b.joint(0).armature = -1; }},
    {"joint 'knee': frictionloss is -1, expected >= 0",
     [](auto& b) { b.joint(0).frictionloss = -1; }},
    {"joint 'knee': range is [1, -1], expected lower <= upper",
     [](auto& b) {
       b.joint(0).range = {1, -1};
     }},
    {"joint 'knee': range is [nan, 1], expected lower <= upper",
     [](auto& b) {
       b.joint(0).range = {kNaN, 1};
     }},
    {"joint 'knee': body 9 does not exist, there are 4", [](auto& b) { b.joint(0).body = 9; }},
    {"joint 'knee': belongs to the world, which does not move",
     [](auto& b) { b.joint(0).body = 0; }},
    {"joint 'knee': is free, expected the only joint of a child of the world",
     [](auto& b) { b.joint(0).type = JointType::kFree; }},
    {"geom 'ball': radius is -1, expected > 0",
     [](auto& b) { b.add_geom({.name = "ball", .shape = Sphere{-1}}); }},
    {"geom 1: half size is nan",
     [](auto& b) {
       b.add_geom({.shape = Box{{1, kNaN, 1}}});
     }},
    {"geom 1: mesh has no vertices", [](auto& b) { b.add_geom({.shape = ConvexMesh{}}); }},
    {"geom 1: body -1 does not exist, there are 4",
     [](auto& b) { b.add_geom({.body = -1, .shape = Sphere{1}}); }},
    {"geom 1: restitution is 2, expected 0 to 1",
     [](auto& b) { b.add_geom({.shape = Sphere{1}, .contact = {.restitution = 2}}); }},
    {"pair 'p': restitution is -0.5, expected 0 to 1",
     [](auto& b) {
       b.add_geom({.shape = Sphere{1}});
       b.add_pair({.name = "p", .geom1 = 0, .geom2 = 1, .restitution = -0.5});
     }},
    {"tendon 'u': 1 joints, but 0 coefficients",
     [](auto& b) { b.add_tendon({.name = "u", .joints = {0}}); }},
    {"tendon 'u': joint 'hip' is neither hinge nor slide",
     [](auto& b) { b.add_tendon({.name = "u", .joints = {1}, .coefs = {1}}); }},
    {"actuator 2: joint -1 does not exist, there are 3", [](auto& b) { b.add_actuator({}); }},
    {"actuator 2: slider site 5 does not exist, there are 1",
     [](auto& b) {
       b.add_actuator({.transmission = Transmission::kSliderCrank, .target = 0, .ref_site = 5});
     }},
    {"equality 'w': body -1 does not exist, there are 4",
     [](auto& b) { b.add_equality({.name = "w", .type = EqualityType::kWeld, .object1 = 1}); }},
    {"pair 'p': geom 3 does not exist, there are 1",
     [](auto& b) { b.add_pair({.name = "p", .geom1 = 0, .geom2 = 3}); }},
    {"exclude: body 8 does not exist, there are 4", [](auto& b) { b.add_exclude(1, 8); }},
    {"sensor 'x': object 4 does not exist, there are 1",
     [](auto& b) { b.add_sensor({.name = "x", .object_type = ObjectType::kSite, .object = 4}); }},
    {"keyframe 'k': qpos has 3 numbers, expected 12",
     [](auto& b) { b.add_keyframe({.name = "k", .qpos = Eigen::Vector3d::Ones()}); }},
    {"keyframe 'k': qvel is nan",
     [](auto& b) { b.add_keyframe({.name = "k", .qvel = Eigen::VectorXd::Constant(10, kNaN)}); }},
    {"keyframe 'k': quaternion of joint 'root' is zero",
     [](auto& b) { b.add_keyframe({.name = "k", .qpos = Eigen::VectorXd::Zero(12)}); }},
    {"options: timestep is 0, expected > 0", [](auto& b) { b.options().timestep = 0; }},
    {"options: gravity is nan", [](auto& b) { b.options().gravity.z() = kNaN; }},
};

INSTANTIATE_TEST_SUITE_P(Refusals, Validate, testing::ValuesIn(kRefusals));

TEST(ValidateInertia, MassOfAWeldedChildCounts) {
  ModelBuilder builder;
  const int carrier = builder.add_body({.name = "carrier"});
  builder.add_joint({.body = carrier});
  builder.add_body(solid("load", carrier));
  EXPECT_EQ(builder.build().nv, 1);
}

TEST(ValidateInertia, MassBehindAJointDoesNotCount) {
  ModelBuilder builder;
  const int carrier = builder.add_body({.name = "carrier"});
  builder.add_joint({.body = carrier});
  const int load = builder.add_body(solid("load", carrier));
  builder.add_joint({.body = load});
  EXPECT_THROW(builder.build(), InputError);
}

TEST(ValidateInertia, FixedBodiesMayBeMassless) {
  ModelBuilder builder;
  builder.add_body({.name = "frame"});
  EXPECT_EQ(builder.build().nv, 0);
}

TEST(ValidateInertia, ThinPlatesAreOnTheEdgeOfTheTriangleInequality) {
  ModelBuilder builder;
  const int plate = builder.add_body(solid("plate"));
  builder.add_joint({.body = plate});
  builder.body(plate).inertia = Eigen::Vector3d(0.1, 0.2, 0.1 + 0.2).asDiagonal();
  EXPECT_NO_THROW(builder.build());
}

}  // namespace
}  // namespace stiction
