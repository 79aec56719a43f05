#include <stiction/builder.h>
#include <stiction/error.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "geometry/mesh.h"
#include "model/checks.h"
#include "model/inertia.h"
#include "model/quaternions.h"

namespace stiction {
namespace {

template <typename Item>
int append(std::vector<Item>& items, Item item) {
  items.push_back(std::move(item));
  return static_cast<int>(items.size()) - 1;
}

/// Puts joints in the order of their bodies and renumbers whoever refers to them.
void sort_joints(Model& model) {
  const int n = static_cast<int>(model.joints.size());
  std::vector<int> order(n), new_index(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return model.joints[a].body < model.joints[b].body; });
  std::vector<Joint> sorted;
  sorted.reserve(n);
  for (int i = 0; i < n; ++i) {
    new_index[order[i]] = i;
    sorted.push_back(std::move(model.joints[order[i]]));
  }
  model.joints = std::move(sorted);

  // References out of range are left alone: validate names them.
  const auto renumber = [&](int& joint) {
    if (joint >= 0 && joint < n) joint = new_index[joint];
  };
  for (Tendon& tendon : model.tendons) {
    for (int& joint : tendon.joints) renumber(joint);
  }
  for (Actuator& actuator : model.actuators) {
    if (actuator.transmission == Transmission::kJoint ||
        actuator.transmission == Transmission::kJointInParent) {
      renumber(actuator.target);
    }
  }
  for (Equality& equality : model.equalities) {
    if (equality.type == EqualityType::kJoint) {
      renumber(equality.object1);
      renumber(equality.object2);
    }
  }
  for (Sensor& sensor : model.sensors) {
    if (sensor.object_type == ObjectType::kJoint) renumber(sensor.object);
    if (sensor.ref_type == ObjectType::kJoint) renumber(sensor.ref);
  }
}

void normalize_pose(Pose& X) {
  if (is_nearly_unit(X.q)) X.q.normalize();
}

/// Rounding in files is removed; what is further off is left for validate to refuse.
void normalize(Model& model) {
  for (Body& body : model.bodies) {
    normalize_pose(body.X_PB);
    const double asymmetry = (body.inertia - body.inertia.transpose()).cwiseAbs().maxCoeff();
    if (asymmetry <= 1e-9 * body.inertia.cwiseAbs().maxCoeff()) {
      body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    }
  }
  for (Joint& joint : model.joints) {
    const double length = joint.axis.norm();
    if (length > 1e-10 && length < kInfinity) joint.axis /= length;
  }
  for (Geom& geom : model.geoms) normalize_pose(geom.X_BG);
  for (Site& site : model.sites) normalize_pose(site.X_BS);
  for (Camera& camera : model.cameras) normalize_pose(camera.X_BC);
  for (Equality& equality : model.equalities) normalize_pose(equality.X_12);
}

void assign_offsets(Model& model) {
  model.nq = model.nv = model.na = 0;
  size_t j = 0;
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    Body& body = model.bodies[b];
    const int index = static_cast<int>(b);
    const bool top_level = index == 0 || body.parent == 0;
    if (index > 0 && (body.parent < 0 || body.parent >= index)) continue;  // refused by validate
    body.root = top_level ? index : model.bodies[body.parent].root;
    body.joint_begin = static_cast<int>(j);
    body.dof_begin = model.nv;
    for (; j < model.joints.size() && model.joints[j].body <= index; ++j) {
      model.joints[j].qpos_begin = model.nq;
      model.joints[j].dof_begin = model.nv;
      model.nq += model.joints[j].nq();
      model.nv += model.joints[j].nv();
    }
    body.joint_count = static_cast<int>(j) - body.joint_begin;
    body.dof_count = model.nv - body.dof_begin;
  }
  for (const Actuator& actuator : model.actuators) {
    if (actuator.activation != Activation::kNone) ++model.na;
  }
}

Eigen::VectorXd reference_positions(const Model& model) {
  Eigen::VectorXd qpos0 = Eigen::VectorXd::Zero(model.nq);
  for (const Joint& joint : model.joints) {
    if (joint.body < 0 || joint.body >= static_cast<int>(model.bodies.size())) continue;
    const Pose& X = model.bodies[joint.body].X_PB;
    switch (joint.type) {
      case JointType::kFree:
        qpos0.segment<7>(joint.qpos_begin) << X.p, X.q.w(), X.q.vec();
        break;
      case JointType::kBall:
        qpos0[joint.qpos_begin] = 1;
        break;
      case JointType::kSlide:
      case JointType::kHinge:
        qpos0[joint.qpos_begin] = joint.ref;
        break;
    }
  }
  return qpos0;
}

/// What a keyframe leaves out is as at qpos0, at rest; its quaternions are normalised.
void complete_keyframe(const Model& model, Keyframe& key) {
  if (key.qpos.size() == 0) key.qpos = model.qpos0;
  if (key.qvel.size() == 0) key.qvel = Eigen::VectorXd::Zero(model.nv);
  if (key.ctrl.size() == 0) key.ctrl = Eigen::VectorXd::Zero(model.nu());
  if (key.act.size() == 0) key.act = Eigen::VectorXd::Zero(model.na);
  if (key.qpos.size() == model.nq) normalize_quaternions(model, key.qpos);
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name) {
  model_.name = std::move(name);
  model_.bodies.push_back({.name = "world"});
}

int ModelBuilder::add_body(Body body) { return append(model_.bodies, std::move(body)); }
int ModelBuilder::add_joint(Joint joint) { return append(model_.joints, std::move(joint)); }
int ModelBuilder::add_geom(Geom geom) { return append(model_.geoms, std::move(geom)); }
int ModelBuilder::add_site(Site site) { return append(model_.sites, std::move(site)); }
int ModelBuilder::add_material(Material item) { return append(model_.materials, std::move(item)); }
int ModelBuilder::add_camera(Camera camera) { return append(model_.cameras, std::move(camera)); }
int ModelBuilder::add_light(Light light) { return append(model_.lights, std::move(light)); }
int ModelBuilder::add_tendon(Tendon tendon) { return append(model_.tendons, std::move(tendon)); }
int ModelBuilder::add_actuator(Actuator item) { return append(model_.actuators, std::move(item)); }
int ModelBuilder::add_equality(Equality item) { return append(model_.equalities, std::move(item)); }
int ModelBuilder::add_pair(ContactPair pair) { return append(model_.pairs, std::move(pair)); }
int ModelBuilder::add_sensor(Sensor sensor) { return append(model_.sensors, std::move(sensor)); }
int ModelBuilder::add_keyframe(Keyframe key) { return append(model_.keyframes, std::move(key)); }

void ModelBuilder::add_exclude(int body1, int body2) { model_.excludes.push_back({body1, body2}); }

int ModelBuilder::add_geom(Geom geom, double density) {
  const Part where{"geom", static_cast<int>(model_.geoms.size()), geom.name};
  check_index(where, "body", geom.body, model_.bodies.size());
  check_pose(where, geom.X_BG);
  validate_shape(where, geom.shape);
  check_not_negative(where, "density", density);
  const VolumeProperties volume = volume_properties(geom.shape);
  const Eigen::Matrix3d R = geom.X_BG.q.toRotationMatrix();
  add_mass(model_.bodies[geom.body], density * volume.volume, geom.X_BG.p + R * volume.center,
           density * (R * volume.inertia * R.transpose()));
  return add_geom(std::move(geom));
}

Model ModelBuilder::build() const {
  Model model = model_;
  sort_joints(model);
  normalize(model);
  assign_offsets(model);
  model.qpos0 = reference_positions(model);
  for (Keyframe& key : model.keyframes) complete_keyframe(model, key);
  validate(model);
  return model;
}

}  // namespace stiction
