// What the world is made of. A Model never changes after it is built; what varies (positions,
// velocities, controls) lives in the arrays qpos, qvel and ctrl beside it.
//
// Conventions, MuJoCo's throughout: SI units, z up, quaternions w x y z, body 0 is the world.
// A free joint has qpos = position, quaternion and qvel = linear velocity in world axes, angular
// velocity in body axes; a ball joint's qvel is the angular velocity in child axes.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace stiction {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
  double lower = -kInfinity;
  double upper = kInfinity;
  bool limited() const { return lower > -kInfinity || upper < kInfinity; }
};

enum class JointType { kFree, kBall, kSlide, kHinge };

/// A body with no joint is fixed to its parent; one with several joints gets them in order.
struct Joint {
  std::string name{};
  JointType type = JointType::kHinge;
  int body = 0;
  int qpos_begin = 0;
  int dof_begin = 0;
  Eigen::Vector3d anchor = Eigen::Vector3d::Zero();  ///< in the child body's frame, m
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< in the child body's frame, unit
  Range range{};                   ///< hinge, slide: position; ball: upper bounds the angle
  double margin = 0;               ///< how far before its limits the joint stops, rad or m
  double ref = 0;                  ///< position in the file's configuration (qpos0)
  double springref = 0;            ///< rest position of the spring (free, ball: qpos0)
  double stiffness = 0;            ///< N m/rad or N/m
  double damping = 0;              ///< N m s/rad or N s/m
  double armature = 0;             ///< kg m^2 or kg, added to the diagonal of M
  double frictionloss = 0;         ///< dry friction bound, N m or N
  Range actuator_force_range{};    ///< clamps the sum of actuator forces on the joint
  bool actuator_gravcomp = false;  ///< gravity compensation counts as an actuator force

  int nq() const { return type == JointType::kFree ? 7 : type == JointType::kBall ? 4 : 1; }
  int nv() const { return type == JointType::kFree ? 6 : type == JointType::kBall ? 3 : 1; }
};

struct Body {
  std::string name{};
  int parent = 0;   ///< always smaller than the body's own index
  int root = 0;     ///< first body of the tree that hangs on the world
  Pose X_PB{};      ///< in the parent's frame, at qpos0
  double mass = 0;  ///< kg
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      ///< in the body frame, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the com, body axes, kg m^2
  double gravcomp = 0;  ///< share of the weight that is cancelled, 1 = all
  int joint_begin = 0;
  int joint_count = 0;
  int dof_begin = 0;
  int dof_count = 0;
  bool mocap = false;
};

/// How a geom touches another: MuJoCo's fields, and restitution, which is ours.
struct Contact {
  int contype = 1;
  int conaffinity = 1;
  int condim = 3;  ///< 1 frictionless, 3 sliding, 4 + torsion, 6 + rolling
  int priority = 0;
  Eigen::Vector3d friction{1, 0.005, 0.0001};  ///< sliding, torsional (m), rolling (m)
  double margin = 0;
  double gap = 0;
  double restitution = 0;
};

struct Geom {
  std::string name{};
  int body = 0;
  Shape shape{};
  Pose X_BG{};
  Contact contact{};
  int group = 0;
  int material = -1;
  Eigen::Vector4d rgba{0.5, 0.5, 0.5, 1};
};

struct Site {
  std::string name{};
  int body = 0;
  Pose X_BS{};
  Shape shape{};
  int group = 0;
  Eigen::Vector4d rgba{0.5, 0.5, 0.5, 1};
};

struct Material {
  std::string name{};
  Eigen::Vector4d rgba{1, 1, 1, 1};
  double specular = 0.5;
  double shininess = 0.5;
  double reflectance = 0;
  double emission = 0;
};

struct Camera {
  std::string name{};
  int body = 0;
  Pose X_BC{};  ///< looks along -z, y up
  double fovy_deg = 45;
};

struct Light {
  std::string name{};
  int body = 0;
  Eigen::Vector3d pos = Eigen::Vector3d::Zero();
  Eigen::Vector3d dir{0, 0, -1};
  bool directional = false;
};

/// A linear combination of joint positions: length = sum coef * qpos.
struct Tendon {
  std::string name{};
  std::vector<int> joints{};  ///< hinge or slide
  std::vector<double> coefs{};
  Range range{};
  double margin = 0;  ///< how far before its limits the tendon stops
  double stiffness = 0;
  double damping = 0;
  double frictionloss = 0;
  double armature = 0;
  Range spring_length{0, 0};  ///< rest length, or a dead band of rest lengths
  Range actuator_force_range{};
};

enum class Transmission { kJoint, kJointInParent, kTendon, kSite, kSliderCrank, kBody, kNone };
enum class Gain { kFixed, kAffine, kUnsupported };
enum class Bias { kNone, kAffine, kUnsupported };
enum class Activation { kNone, kIntegrator, kFilter, kFilterExact, kUnsupported };

/// force = gain(length, velocity) * input + bias(length, velocity), input = ctrl or activation;
/// gain = g0 + g1 length + g2 velocity (fixed: g0), bias likewise.
struct Actuator {
  std::string name{};
  std::string kind{};  ///< the element of the file: motor, position, general, ...
  Transmission transmission = Transmission::kJoint;
  int target = -1;    ///< joint, tendon, site or body; -1 for kNone
  int ref_site = -1;  ///< site transmission: frame of reference; slider-crank: slider
  double crank_length = 0;
  Eigen::Matrix<double, 6, 1> gear = Eigen::Matrix<double, 6, 1>::Unit(0);
  Range ctrl_range{};
  Range force_range{};
  Range act_range{};
  Gain gain_type = Gain::kFixed;
  Bias bias_type = Bias::kNone;
  Activation activation = Activation::kNone;
  std::array<double, 3> gain{1, 0, 0};
  std::array<double, 3> bias{0, 0, 0};
  double time_constant = 1;  ///< of the activation filter, s
  bool act_early = false;
};

enum class EqualityType { kConnect, kWeld, kJoint, kTendon };

struct Equality {
  std::string name{};
  EqualityType type = EqualityType::kConnect;
  bool active = true;  ///< when a run begins
  int object1 = -1;    ///< body, joint or tendon
  int object2 = -1;    ///< -1: constant (joint, tendon); bodies: 0 is the world
  Eigen::Vector3d anchor1 = Eigen::Vector3d::Zero();  ///< connect: in body 1; weld: in body 1
  Eigen::Vector3d anchor2 = Eigen::Vector3d::Zero();  ///< the same point, in body 2
  Pose X_12{};                                        ///< weld: pose of body 2 in body 1
  double torque_scale = 1;                            ///< weld
  std::array<double, 5> polycoef{0, 1, 0, 0, 0};      ///< y - y0 = sum c_k (x - x0)^k
};

struct ContactPair {
  std::string name{};
  int geom1 = -1;
  int geom2 = -1;
  int condim = 3;
  Eigen::Matrix<double, 5, 1> friction{1, 1, 0.005, 0.0001,
                                       0.0001};  ///< tangent 1, 2, torsion, roll 1, 2
  double margin = 0;
  double gap = 0;
  double restitution = 0;
};

enum class ObjectType { kNone, kBody, kXBody, kJoint, kGeom, kSite, kCamera, kTendon, kActuator };

/// Kept by the file's element name ("jointpos", "framequat", ...); sim evaluates what it knows.
struct Sensor {
  std::string name{};
  std::string type{};
  ObjectType object_type = ObjectType::kNone;
  int object = -1;
  ObjectType ref_type = ObjectType::kNone;
  int ref = -1;
  int dim = 1;  ///< how many numbers it gives, which is a matter of its type: 3 for a gyro
  double cutoff = 0;
  double noise = 0;
};

struct Keyframe {
  std::string name{};
  double time = 0;
  Eigen::VectorXd qpos{};
  Eigen::VectorXd qvel{};
  Eigen::VectorXd ctrl{};
  Eigen::VectorXd act{};
};

struct Options {
  double timestep = 1.0 / 240;  ///< s; MJCF files default to 0.002
  Eigen::Vector3d gravity{0, 0, -9.81};
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();
  double density = 0;    ///< of the medium, kg/m^3
  double viscosity = 0;  ///< Pa s
  bool gravity_enabled = true;
  bool contact_enabled = true;
  bool limit_enabled = true;
  bool frictionloss_enabled = true;
  bool equality_enabled = true;
  bool actuation_enabled = true;
  bool passive_enabled = true;
  bool clamp_ctrl_enabled = true;
  bool filter_parent_enabled = true;
};

/// Built by ModelBuilder, load_mjcf or load_urdf, and valid by construction.
struct Model {
  std::string name{};
  Options options;
  std::vector<Body> bodies{};  ///< bodies[0] is the world; parents come first
  std::vector<Joint> joints{};
  std::vector<Geom> geoms{};
  std::vector<Site> sites{};
  std::vector<Material> materials{};
  std::vector<Camera> cameras{};
  std::vector<Light> lights{};
  std::vector<Tendon> tendons{};
  std::vector<Actuator> actuators{};
  std::vector<Equality> equalities{};
  std::vector<ContactPair> pairs{};
  std::vector<std::array<int, 2>> excludes{};  ///< pairs of bodies
  std::vector<Sensor> sensors{};
  std::vector<Keyframe> keyframes{};
  Eigen::VectorXd qpos0{};
  int nq = 0;
  int nv = 0;
  int na = 0;  ///< activation states

  int nu() const { return static_cast<int>(actuators.size()); }
  double total_mass() const;
  /// Index by name, or -1.
  int body_index(const std::string& name) const;
  int joint_index(const std::string& name) const;
  int geom_index(const std::string& name) const;
  int site_index(const std::string& name) const;
  int actuator_index(const std::string& name) const;
  int equality_index(const std::string& name) const;
  int keyframe_index(const std::string& name) const;
  /// What messages call a thing, by its body if it has no name.
  std::string body_label(int body) const;             ///< "body 'shank'" or "body #3"
  std::string joint_label(const Joint& joint) const;  ///< "joint 'knee'" or "joint of body 'shank'"
  std::string geom_label(int geom) const;             ///< "'foot'" or "body 'shank'"
};

}  // namespace stiction
