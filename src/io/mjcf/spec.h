// A model as the file describes it: a tree of bodies, and elements that refer to its parts by name.
// Copies of parts under new names (<replicate>, <attach>) are made here, before names become
// indices.
#pragma once

#include <stiction/model.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/mjcf/assets.h"
#include "io/mjcf/settings.h"
#include "io/xml.h"

namespace stiction::mjcf {

/// qpos and qvel of a joint, or ctrl of an actuator, by the name of the keyframe.
struct KeyedState {
  std::vector<double> qpos, qvel;
  std::optional<double> ctrl;
};
using KeyedStates = std::map<std::string, KeyedState>;

struct JointSpec {
  Joint joint;
  XmlElement source;
  KeyedStates keys;  ///< from keyframes of attached models
};

struct GeomSpec {
  Geom geom;
  XmlElement source;
  std::shared_ptr<const MeshAsset> mesh;  ///< of a mesh geom
  double elevation = 0;                   ///< of a height field
  std::optional<Material> material;
  std::optional<double> mass;
  double density = 1000;
  bool shell = false;  ///< mass is spread over the surface
};

struct SiteSpec {
  Site site;
  XmlElement source;
};

struct CameraSpec {
  Camera camera;
  XmlElement source;
};

struct LightSpec {
  Light light;
  XmlElement source;
};

struct Inertial {
  double mass = 0;
  Pose X_BI;                                          ///< inertial frame in the body frame
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the com, axes of X_BI
};

struct BodySpec;

/// What a body or a frame holds, in the order of the file; poses are in the body's frame.
struct Content {
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<GeomSpec> geoms;
  std::vector<SiteSpec> sites;
  std::vector<CameraSpec> cameras;
  std::vector<LightSpec> lights;
};

struct BodySpec {
  Body body;
  XmlElement source;
  std::shared_ptr<const CompilerSettings> compiler;
  std::optional<Inertial> inertial;
  Content content;
};

using Name = std::pair<ObjectType, std::string>;

/// An element outside of the tree, and what it refers to.
struct Referrer {
  std::string name;
  XmlElement source;
  std::vector<Name> targets;
};

struct TendonSpec : Referrer {
  Tendon tendon;
  bool spatial = false;       ///< known by name only
  bool rest_at_qpos0 = true;  ///< spring_length is the length at qpos0
};

struct ActuatorSpec : Referrer {
  Actuator actuator;
  Eigen::Vector2d ctrlrange = Eigen::Vector2d::Zero();
  Eigen::Vector2d forcerange = Eigen::Vector2d::Zero();
  Eigen::Vector2d actrange = Eigen::Vector2d::Zero();
  Limited ctrllimited = Limited::kAuto;
  Limited forcelimited = Limited::kAuto;
  Limited actlimited = Limited::kAuto;
  double inheritrange = 0;
  KeyedStates keys = {};
};

struct EqualitySpec : Referrer {
  Equality equality;
  bool between_sites = false;
  bool relpose_given = false;
};

struct PairSpec : Referrer {
  ContactPair pair;
};

struct ExcludeSpec : Referrer {};

struct SensorSpec : Referrer {
  Sensor sensor;  ///< targets: the object, then the reference
};

struct KeySpec {
  Keyframe key;
  XmlElement source;
};

struct Referrers {
  std::vector<TendonSpec> tendons;
  std::vector<ActuatorSpec> actuators;
  std::vector<EqualitySpec> equalities;
  std::vector<PairSpec> pairs;
  std::vector<ExcludeSpec> excludes;
  std::vector<SensorSpec> sensors;

  size_t size() const;
};

struct Spec {
  std::string name;
  Options options;
  std::shared_ptr<const CompilerSettings> compiler;
  Content world;
  Referrers referrers;
  std::vector<KeySpec> keys;
  /// Name and time of the keyframes of attached models; their numbers are at joints and actuators.
  std::vector<std::pair<std::string, double>> attached_keys;
};

/// Moves everything in a content that was written in frame F into the frame that X_BF is given in.
void transform(const Pose& X_BF, Content& content);
void append(Content&& part, Content& whole);
void append(Referrers&& part, Referrers& whole);

/// Names of all that is in the content, bodies and below.
void collect_names(const Content& content, std::set<Name>& names);
/// name becomes prefix + name + suffix, in all of the content.
void rename(const std::string& prefix, const std::string& suffix, Content& content);
/// Bodies, joints, geoms and sites in the content.
size_t count_parts(const Content& content);

/// Copies into `to` those elements of `from` whose targets are all in `names`, renamed. `names`
/// grows by the tendons and actuators copied. Elements that refer to names both in and out of the
/// set cannot be kept; they are noted in `coverage`, if given.
void copy_referrers(const Referrers& from, std::set<Name>& names, const std::string& prefix,
                    const std::string& suffix, Referrers& to, Coverage* coverage);
/// Removes the elements that refer to any of the names, and those that refer to what is removed.
void remove_referrers(std::set<Name> names, Referrers& referrers);

}  // namespace stiction::mjcf
