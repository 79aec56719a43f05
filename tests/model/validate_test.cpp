// Every refusal of validate.
#include <gtest/gtest.h>
#include <stiction/error.h>

#include <functional>

#include "message_of.h"
#include "robot.h"

namespace stiction {
namespace {

struct Refusal {
  const char* message;
  std::function<void(ModelBuilder&)> damage;
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NamesThePlaceAndTheNumber) {
  ModelBuilder builder = robot();
  const std::string message = message_of([&] {
    GetParam().damage(builder);
    builder.build();
  });
  EXPECT_EQ(message, GetParam().message);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Sensor sensor(const char* type, int dim, ObjectType object_type, int object) {
  return {.name = "x", .type = type, .object_type = object_type, .object = object, .dim = dim};
}

const Refusal kRefusals[] = {
    {"body 'thigh': moves, but its mass is 0 and its smallest inertia 1, expected both >= 1e-15",
     [](auto& b) { b.body(2).mass = 0; }},
    {"body 'thigh': moves, but its mass is 2 and its smallest inertia 0, expected both >= 1e-15",
     [](auto& b) { b.body(2).inertia.setZero(); }},
    {"body 'thigh': mass is -1, expected >= 0", [](auto& b) { b.body(2).mass = -1; }},
    {"body 'thigh': mass is nan, expected a finite number", [](auto& b) { b.body(2).mass = kNaN; }},
    {"body 'thigh': principal inertias are 1, 1, 2.5, expected that no one exceeds the sum of "
     "the others",
     [](auto& b) { b.body(2).inertia(0, 0) = 2.5; }},
    {"body 'thigh': smallest principal inertia is -1, expected >= 0",
     [](auto& b) { b.body(2).inertia(2, 2) = -1; }},
    {"body 'thigh': inertia is not symmetric: xy, xz, yz are 0.1, 0, 0 above and 0, 0, 0 below "
     "the diagonal",
     [](auto& b) { b.body(2).inertia(0, 1) = 0.1; }},
    {"body 'thigh': quaternion has norm 1.00001, expected 1",
     [](auto& b) { b.body(2).X_PB.q.w() = 1.00001; }},
    {"body 'base': position is 1e+300, expected at most 1e100 in size",
     [](auto& b) { b.body(1).X_PB.p.y() = 1e300; }},
    {"joint 'knee': stiffness is 1e+200, expected at most 1e100 in size",
     [](auto& b) { b.joint(0).stiffness = 1e200; }},
    {"body 'base': position is inf, expected a finite number",
     [](auto& b) { b.body(1).X_PB.p.y() = kInfinity; }},
    {"body 'thigh': parent is body 3, expected one before it (its own index is 2)",
     [](auto& b) { b.body(2).parent = 3; }},
    {"body 'shank': parent is body 3, expected one before it (its own index is 3)",
     [](auto& b) { b.body(3).parent = 3; }},
    {"body 'base': name is used twice, by 1 and 3, expected once",
     [](auto& b) { b.body(3).name = "base"; }},
    {"joint 'hip': name is used twice, by 1 and 2, expected once",
     [](auto& b) { b.joint(0).name = "hip"; }},
    {"joint 'knee': axis has length 0, expected 1", [](auto& b) { b.joint(0).axis.setZero(); }},
    {"joint 'knee': axis is nan, expected a finite number",
     [](auto& b) { b.joint(0).axis.x() = kNaN; }},
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
    {"joint 'twist': moves its body as joint 'hip' does, expected another axis or anchor, or "
     "armature",
     [](auto& b) { b.add_joint({.name = "twist", .body = 2}); }},
    {"joint 'hip2': moves its body as joint 'hip' does, expected another axis or anchor, or "
     "armature",
     [](auto& b) {
       b.add_joint({.name = "hip2", .type = JointType::kBall, .body = 2, .anchor = {1, 0, 0}});
     }},
    {"joint 'twin': moves its body as joint 'knee' does, expected another axis or anchor, or "
     "armature",
     [](auto& b) {
       b.add_joint({.name = "twin", .body = 3, .anchor = {0, 0, 1}});
     }},
    {"joint 's4': is the last of 7 degrees of freedom of body 'thigh', expected at most 6 without "
     "armature",
     [](auto& b) {
       for (const char* name : {"s1", "s2", "s3", "s4"}) {
         const Eigen::Vector3d axis = Eigen::Vector3d::Unit((name[1] - '1') % 3);
         b.add_joint({.name = name, .type = JointType::kSlide, .body = 2, .axis = axis});
       }
     }},
    {"joint 'hip': range begins with 1, expected 0 for a ball joint",
     [](auto& b) {
       b.joint(1).range = {1, 2};
     }},
    {"joint 'root': range is [0, 1], expected none of a free joint",
     [](auto& b) {
       b.joint(2).range = {0, 1};
     }},
    {"joint 'knee': range is [inf, inf], expected finite numbers in it",
     [](auto& b) {
       b.joint(0).range = {kInfinity, kInfinity};
     }},
    {"joint 'knee': margin is nan, expected a finite number",
     [](auto& b) { b.joint(0).margin = kNaN; }},
    {"body 'world': is the world and moved, expected the identity",
     [](auto& b) { b.body(0).X_PB.p.x() = 1; }},
    {"geom 1: condim is 2, expected 1, 3, 4 or 6",
     [](auto& b) { b.add_geom({.shape = Sphere{1}, .contact = {.condim = 2}}); }},
    {"geom 1: density is -1, expected >= 0", [](auto& b) { b.add_geom({.shape = Sphere{1}}, -1); }},
    {"geom 1: mesh has no vertices", [](auto& b) { b.add_geom({.shape = ConvexMesh{}}, 1); }},
    {"pair 'p': both geoms are 'g', expected two",
     [](auto& b) { b.add_pair({.name = "p", .geom1 = 0, .geom2 = 0}); }},
    {"pair 'p': condim is 5, expected 1, 3, 4 or 6",
     [](auto& b) {
       b.add_geom({.shape = Sphere{1}});
       b.add_pair({.name = "p", .geom1 = 0, .geom2 = 1, .condim = 5});
     }},
    {"camera 0: fovy is 0, expected > 0", [](auto& b) { b.add_camera({.fovy_deg = 0}); }},
    {"light 0: length of the direction is 0, expected > 0",
     [](auto& b) {
       b.add_light({.dir = {0, 0, 0}});
     }},
    {"equality 'w': relates 1 to itself, expected two bodies",
     [](auto& b) { b.add_equality({.name = "w", .object1 = 1, .object2 = 1}); }},
    {"actuator 2: time constant is -1, expected >= 0",
     [](auto& b) {
       b.add_actuator({.target = 0, .activation = Activation::kFilter, .time_constant = -1});
     }},
    {"geom 'ball': radius is -1, expected > 0",
     [](auto& b) { b.add_geom({.name = "ball", .shape = Sphere{-1}}); }},
    {"geom 1: half size is nan, expected a finite number",
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
    {"tendon 'u': 1 joints and 0 coefficients, expected as many",
     [](auto& b) { b.add_tendon({.name = "u", .joints = {0}}); }},
    {"tendon 'u': joint 'hip' is neither hinge nor slide, expected one of them",
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
    {"exclude 0: body 8 does not exist, there are 4", [](auto& b) { b.add_exclude(1, 8); }},
    {"sensor 'x': object site 4 does not exist, there are 1",
     [](auto& b) { b.add_sensor(sensor("touch", 1, ObjectType::kSite, 4)); }},
    {"sensor 'x': dim is 1, expected 3 for gyro",
     [](auto& b) { b.add_sensor(sensor("gyro", 1, ObjectType::kSite, 0)); }},
    {"sensor 'x': dim is -2, expected 1 for clock",
     [](auto& b) { b.add_sensor(sensor("clock", -2, ObjectType::kNone, -1)); }},
    {"sensor 'x': object type is joint, expected site for gyro",
     [](auto& b) { b.add_sensor(sensor("gyro", 3, ObjectType::kJoint, 0)); }},
    {"sensor 'x': object type is none, expected joint for jointpos",
     [](auto& b) { b.add_sensor(sensor("jointpos", 1, ObjectType::kNone, -1)); }},
    {"sensor 'x': object type is tendon, expected body, geom, site or camera for framepos",
     [](auto& b) { b.add_sensor(sensor("framepos", 3, ObjectType::kTendon, 0)); }},
    {"sensor 'x': object is 3 of no type, expected -1",
     [](auto& b) { b.add_sensor(sensor("clock", 1, ObjectType::kNone, 3)); }},
    {"sensor 'x': joint 'hip' is neither hinge nor slide, expected one of them for jointvel",
     [](auto& b) { b.add_sensor(sensor("jointvel", 1, ObjectType::kJoint, 1)); }},
    {"sensor 'x': joint 'knee' is no ball joint, expected one for ballquat",
     [](auto& b) { b.add_sensor(sensor("ballquat", 4, ObjectType::kJoint, 0)); }},
    {"sensor 'x': joint 2 has no range, expected one for jointlimitfrc",
     [](auto& b) { b.add_sensor(sensor("jointlimitfrc", 1, ObjectType::kJoint, 0)); }},
    {"sensor 'x': tendon 0 has no range, expected one for tendonlimitpos",
     [](auto& b) { b.add_sensor(sensor("tendonlimitpos", 1, ObjectType::kTendon, 0)); }},
    {"sensor 'x': reference type is site, expected none for framelinacc",
     [](auto& b) {
       Sensor x = sensor("framelinacc", 3, ObjectType::kSite, 0);
       x.ref_type = ObjectType::kSite;
       x.ref = 0;
       b.add_sensor(x);
     }},
    {"sensor 'x': reference type is none, expected camera for camprojection",
     [](auto& b) { b.add_sensor(sensor("camprojection", 2, ObjectType::kSite, 0)); }},
    {"sensor 'x': reference site 7 does not exist, there are 1",
     [](auto& b) {
       Sensor x = sensor("framepos", 3, ObjectType::kSite, 0);
       x.ref_type = ObjectType::kSite;
       x.ref = 7;
       b.add_sensor(x);
     }},
    {"sensor 'x': cutoff is -1, expected >= 0",
     [](auto& b) {
       Sensor x = sensor("touch", 1, ObjectType::kSite, 0);
       x.cutoff = -1;
       b.add_sensor(x);
     }},
    {"keyframe 'k': qpos has 3 numbers, expected 12",
     [](auto& b) { b.add_keyframe({.name = "k", .qpos = Eigen::Vector3d::Ones()}); }},
    {"keyframe 'k': qvel is nan, expected a finite number",
     [](auto& b) { b.add_keyframe({.name = "k", .qvel = Eigen::VectorXd::Constant(10, kNaN)}); }},
    {"keyframe 'k': qpos: the quaternion of joint 'root' is 0 0 0 0, expected a length > 0",
     [](auto& b) { b.add_keyframe({.name = "k", .qpos = Eigen::VectorXd::Zero(12)}); }},
    {"options: timestep is 0, expected > 0", [](auto& b) { b.options().timestep = 0; }},
    {"options: gravity is nan, expected a finite number",
     [](auto& b) { b.options().gravity.z() = kNaN; }},
};

INSTANTIATE_TEST_SUITE_P(Validate, Refusals, testing::ValuesIn(kRefusals));

TEST(Validate, UnknownSensorsAreToldWhichThereAre) {
  ModelBuilder builder = robot();
  builder.add_sensor(sensor("jointposs", 1, ObjectType::kJoint, 0));
  const std::string message = message_of([&] { builder.build(); });
  EXPECT_TRUE(message.starts_with("sensor 'x': type is 'jointposs', expected one of touch, "))
      << message;
  EXPECT_NE(message.find(", jointpos, "), std::string::npos) << message;
}

// A Model is a plain struct: what a program changes by hand is looked at by the simulator.
TEST(Validate, OffsetsFollowFromTheOrderOfJoints) {
  const std::pair<const char*, std::function<void(Model&)>> cases[] = {
      {"joint 'knee': dof_begin is 99, expected 9, which ModelBuilder finds",
       [](Model& m) { m.joints[2].dof_begin = 99; }},
      {"body 'shank': joint_count is 7, expected 1, which ModelBuilder finds",
       [](Model& m) { m.bodies[3].joint_count = 7; }},
      {"body 'shank': root is 3, expected 1, which ModelBuilder finds",
       [](Model& m) { m.bodies[3].root = 3; }},
      {"model: nv is 2, expected 10, which ModelBuilder finds", [](Model& m) { m.nv = 2; }},
      {"model: size of qpos0 is 3, expected 12, which ModelBuilder finds",
       [](Model& m) { m.qpos0 = Eigen::Vector3d::Zero(); }},
      {"model: na is 0, expected 1, which ModelBuilder finds", [](Model& m) { m.na = 0; }},
  };
  for (const auto& [message, damage] : cases) {
    Model model = robot().build();
    damage(model);
    EXPECT_EQ(message_of([&] { validate(model); }), message);
  }
}

TEST(Validate, JointsOfOneBodyMayMoveItDifferently) {
  const Joint twins[] = {{.body = 3, .armature = 0.1},
                         {.body = 3, .anchor = {1, 0, 0}},
                         {.body = 2, .anchor = {1, 0, 0}},
                         {.type = JointType::kSlide, .body = 2}};
  for (const Joint& twin : twins) {
    ModelBuilder builder = robot();
    builder.add_joint(twin);
    EXPECT_NO_THROW(builder.build());
  }
}

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
