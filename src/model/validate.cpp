// What must hold in a Model, part by part. The order matters: bodies and joints first, since the
// others refer to them.
#include <stiction/builder.h>

#include <cmath>
#include <map>

#include "model/checks.h"
#include "model/quaternions.h"

namespace stiction {
namespace {

template <typename Item>
void check_names(const char* kind, const std::vector<Item>& items) {
  std::map<std::string, size_t> first;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].name.empty()) continue;
    const auto [it, inserted] = first.emplace(items[i].name, i);
    if (!inserted) {
      refuse(Part{kind, static_cast<int>(i), items[i].name},
             "name is used twice, by " + std::to_string(it->second) + " and " + std::to_string(i) +
                 ", expected once");
    }
  }
}

void check_all_names(const Model& model) {
  check_names("body", model.bodies);
  check_names("joint", model.joints);
  check_names("geom", model.geoms);
  check_names("site", model.sites);
  check_names("material", model.materials);
  check_names("camera", model.cameras);
  check_names("light", model.lights);
  check_names("tendon", model.tendons);
  check_names("actuator", model.actuators);
  check_names("equality", model.equalities);
  check_names("pair", model.pairs);
  check_names("sensor", model.sensors);
  check_names("keyframe", model.keyframes);
}

/// Calls check(where, item) for each item, with its place in words.
template <typename Item, typename Check>
void check_each(const char* kind, const std::vector<Item>& items, Check check) {
  for (size_t i = 0; i < items.size(); ++i) {
    check(Part{kind, static_cast<int>(i), items[i].name}, items[i]);
  }
}

void check_options(const Options& options) {
  const Part where{"options", -1};
  check_positive(where, "timestep", options.timestep);
  check_finite(where, "gravity", options.gravity);
  check_finite(where, "wind", options.wind);
  check_not_negative(where, "density", options.density);
  check_not_negative(where, "viscosity", options.viscosity);
}

void check_bodies(const Model& model) {
  if (model.bodies.empty()) refuse({"model", -1}, "has no bodies, expected the world as body 0");
  const Pose& X_WW = model.bodies[0].X_PB;
  if (!X_WW.p.isZero(0) || !X_WW.q.isApprox(Eigen::Quaterniond::Identity(), 0)) {
    refuse({"body", 0, model.bodies[0].name}, "is the world and moved, expected the identity");
  }
  for (size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const int index = static_cast<int>(i);
    const Part where{"body", index, body.name};
    if (body.parent < 0 || body.parent >= index) {
      refuse(where, "parent is body " + std::to_string(body.parent) +
                        ", expected one before it (its own index is " + std::to_string(index) +
                        ")");
    }
    check_pose(where, body.X_PB);
    check_finite(where, "gravcomp", body.gravcomp);
    if (body.mocap && (body.parent != 0 || body.joint_count > 0)) {
      refuse(where, "is a mocap body, expected a child of the world without joints");
    }
  }
}

void check_condim(const Part& where, int condim) {
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
    refuse(where, "condim is " + std::to_string(condim) + ", expected 1, 3, 4 or 6");
  }
}

void check_geom(const Model& model, const Part& where, const Geom& geom) {
  check_index(where, "body", geom.body, model.bodies.size());
  check_optional_index(where, "material", geom.material, model.materials.size());
  check_pose(where, geom.X_BG);
  validate_shape(where, geom.shape);
  const Contact& contact = geom.contact;
  check_condim(where, contact.condim);
  for (const double friction : contact.friction) check_not_negative(where, "friction", friction);
  check_finite(where, "margin", contact.margin);
  check_finite(where, "gap", contact.gap);
  check_share(where, "restitution", contact.restitution);
  check_finite(where, "rgba", geom.rgba);
}

void check_site(const Model& model, const Part& where, const Site& site) {
  check_index(where, "body", site.body, model.bodies.size());
  check_pose(where, site.X_BS);
  validate_shape(where, site.shape);
  check_finite(where, "rgba", site.rgba);
}

void check_scalar(const Model& model, const Part& where, int joint) {
  if (model.joints[joint].nv() == 1) return;
  refuse(where, model.joint_label(model.joints[joint]) +
                    " is neither hinge nor slide, expected one of them");
}

void check_tendon(const Model& model, const Part& where, const Tendon& tendon) {
  if (tendon.joints.size() != tendon.coefs.size()) {
    refuse(where, std::to_string(tendon.joints.size()) + " joints and " +
                      std::to_string(tendon.coefs.size()) + " coefficients, expected as many");
  }
  for (size_t i = 0; i < tendon.joints.size(); ++i) {
    check_index(where, "joint", tendon.joints[i], model.joints.size());
    check_scalar(model, where, tendon.joints[i]);
    check_finite(where, "coefficient", tendon.coefs[i]);
  }
  check_range(where, "range", tendon.range);
  check_range(where, "spring length", tendon.spring_length);
  check_range(where, "actuator force range", tendon.actuator_force_range);
  check_finite(where, "margin", tendon.margin);
  check_not_negative(where, "stiffness", tendon.stiffness);
  check_not_negative(where, "damping", tendon.damping);
  check_not_negative(where, "frictionloss", tendon.frictionloss);
  check_not_negative(where, "armature", tendon.armature);
}

void check_transmission(const Model& model, const Part& where, const Actuator& actuator) {
  switch (actuator.transmission) {
    case Transmission::kJoint:
    case Transmission::kJointInParent:
      return check_index(where, "joint", actuator.target, model.joints.size());
    case Transmission::kTendon:
      return check_index(where, "tendon", actuator.target, model.tendons.size());
    case Transmission::kSite:
      check_index(where, "site", actuator.target, model.sites.size());
      return check_optional_index(where, "reference site", actuator.ref_site, model.sites.size());
    case Transmission::kSliderCrank:
      check_index(where, "crank site", actuator.target, model.sites.size());
      check_index(where, "slider site", actuator.ref_site, model.sites.size());
      return check_positive(where, "crank length", actuator.crank_length);
    case Transmission::kBody:
      return check_index(where, "body", actuator.target, model.bodies.size());
    case Transmission::kNone:
      return;
  }
}

void check_actuator(const Model& model, const Part& where, const Actuator& actuator) {
  check_transmission(model, where, actuator);
  check_finite(where, "gear", actuator.gear);
  check_range(where, "control range", actuator.ctrl_range);
  check_range(where, "force range", actuator.force_range);
  check_range(where, "activation range", actuator.act_range);
  for (const double gain : actuator.gain) check_finite(where, "gain", gain);
  for (const double bias : actuator.bias) check_finite(where, "bias", bias);
  if (actuator.activation == Activation::kFilter ||
      actuator.activation == Activation::kFilterExact) {
    check_not_negative(where, "time constant", actuator.time_constant);
  }
}

void check_equality(const Model& model, const Part& where, const Equality& equality) {
  switch (equality.type) {
    case EqualityType::kConnect:
    case EqualityType::kWeld:
      check_index(where, "body", equality.object1, model.bodies.size());
      check_index(where, "body", equality.object2, model.bodies.size());
      break;
    case EqualityType::kJoint:
      check_index(where, "joint", equality.object1, model.joints.size());
      check_optional_index(where, "joint", equality.object2, model.joints.size());
      for (const int joint : {equality.object1, equality.object2}) {
        if (joint >= 0) check_scalar(model, where, joint);
      }
      break;
    case EqualityType::kTendon:
      check_index(where, "tendon", equality.object1, model.tendons.size());
      check_optional_index(where, "tendon", equality.object2, model.tendons.size());
      break;
  }
  if (equality.object1 == equality.object2) {
    refuse(where, "relates " + std::to_string(equality.object1) + " to itself, expected two " +
                      (equality.type == EqualityType::kJoint    ? "joints"
                       : equality.type == EqualityType::kTendon ? "tendons"
                                                                : "bodies"));
  }
  check_finite(where, "anchor", equality.anchor1);
  check_finite(where, "anchor", equality.anchor2);
  check_pose(where, equality.X_12);
  check_finite(where, "torque scale", equality.torque_scale);
  for (const double coef : equality.polycoef) check_finite(where, "polynomial", coef);
}

void check_pair(const Model& model, const Part& where, const ContactPair& pair) {
  check_index(where, "geom", pair.geom1, model.geoms.size());
  check_index(where, "geom", pair.geom2, model.geoms.size());
  if (pair.geom1 == pair.geom2) {
    refuse(where, "both geoms are " + model.geom_label(pair.geom1) + ", expected two");
  }
  check_condim(where, pair.condim);
  for (const double friction : pair.friction) check_not_negative(where, "friction", friction);
  check_finite(where, "margin", pair.margin);
  check_finite(where, "gap", pair.gap);
  check_share(where, "restitution", pair.restitution);
}

void check_vector(const Part& where, const char* what, const Eigen::VectorXd& values, int size) {
  if (values.size() != size) {
    refuse(where, std::string(what) + " has " + std::to_string(values.size()) +
                      " numbers, expected " + std::to_string(size));
  }
  check_finite(where, what, values);
}

void check_keyframe(const Model& model, const Part& where, const Keyframe& key) {
  check_finite(where, "time", key.time);
  check_vector(where, "qpos", key.qpos, model.nq);
  check_vector(where, "qvel", key.qvel, model.nv);
  check_vector(where, "ctrl", key.ctrl, model.nu());
  check_vector(where, "act", key.act, model.na);
  for (const Joint& joint : model.joints) {
    const int begin = quaternion_begin(joint);
    if (begin >= 0 && key.qpos.segment<4>(begin).norm() == 0) {
      refuse(where, "qpos: the quaternion of " + model.joint_label(joint) +
                        " is 0 0 0 0, expected a length > 0");
    }
  }
}

}  // namespace

void validate(const Model& model) {
  check_all_names(model);
  check_options(model.options);
  check_bodies(model);
  validate_order(model);
  check_each("joint", model.joints,
             [&](const auto& where, const auto& x) { validate_joint(model, where, x); });
  validate_inertias(model);
  check_each("geom", model.geoms,
             [&](const auto& where, const auto& x) { check_geom(model, where, x); });
  check_each("site", model.sites,
             [&](const auto& where, const auto& x) { check_site(model, where, x); });
  check_each("material", model.materials, [&](const auto& where, const auto& x) {
    check_finite(where, "rgba", x.rgba);
    for (const double value : {x.specular, x.shininess, x.reflectance, x.emission}) {
      check_finite(where, "a property", value);
    }
  });
  check_each("camera", model.cameras, [&](const auto& where, const auto& x) {
    check_index(where, "body", x.body, model.bodies.size());
    check_pose(where, x.X_BC);
    check_positive(where, "fovy", x.fovy_deg);
  });
  check_each("light", model.lights, [&](const auto& where, const auto& x) {
    check_index(where, "body", x.body, model.bodies.size());
    check_finite(where, "position", x.pos);
    check_finite(where, "direction", x.dir);
    check_positive(where, "length of the direction", x.dir.norm());
  });
  check_each("tendon", model.tendons,
             [&](const auto& where, const auto& x) { check_tendon(model, where, x); });
  check_each("actuator", model.actuators,
             [&](const auto& where, const auto& x) { check_actuator(model, where, x); });
  check_each("equality", model.equalities,
             [&](const auto& where, const auto& x) { check_equality(model, where, x); });
  check_each("pair", model.pairs,
             [&](const auto& where, const auto& x) { check_pair(model, where, x); });
  for (size_t i = 0; i < model.excludes.size(); ++i) {
    for (const int body : model.excludes[i]) {
      check_index({"exclude", static_cast<int>(i)}, "body", body, model.bodies.size());
    }
  }
  check_each("sensor", model.sensors,
             [&](const auto& where, const auto& x) { validate_sensor(model, where, x); });
  check_each("keyframe", model.keyframes,
             [&](const auto& where, const auto& x) { check_keyframe(model, where, x); });
}

}  // namespace stiction
