// <contact>, <equality> and <tendon>.
#include <algorithm>

#include "io/mjcf/reader.h"

namespace stiction::mjcf {

void Reader::read_contacts(const XmlElement& section) {
  for (const XmlElement& element : file_.children(section)) {
    const std::string tag = element.tag();
    if (tag == "pair") {
      const Attributes attributes = attributes_of(element, "pair", "pair", defaults_.main());
      PairSpec spec{{"", element, {}}, {}};
      attributes.read("name", spec.name);
      spec.targets.emplace_back(ObjectType::kGeom, attributes.required_text("geom1"));
      spec.targets.emplace_back(ObjectType::kGeom, attributes.required_text("geom2"));
      spec.pair.friction << 1, 1, 0.005, 0.0001, 0.0001;
      attributes.read("condim", spec.pair.condim);
      attributes.read("friction", spec.pair.friction, 1);
      attributes.read("margin", spec.pair.margin);
      attributes.read("gap", spec.pair.gap);
      spec.pair.restitution =
          std::max(restitution_of(spec.targets[0].second), restitution_of(spec.targets[1].second));
      check_condim(attributes, spec.pair.condim, true);
      if (spec.pair.margin != 0) note_margin(element);
      const auto& friction = spec.pair.friction;
      if (friction.minCoeff() < 0) attributes.refuse("friction", "numbers >= 0");
      if (spec.targets[0] == spec.targets[1]) attributes.refuse("geom2", "another geom than geom1");
      if (spec.pair.condim > 1 && friction[0] != friction[1]) {
        coverage_.note(Severity::kPhysics, element,
                       "friction: it differs by direction, the first value counts for both");
      }
      spec_.referrers.pairs.push_back(std::move(spec));
    } else if (tag == "exclude") {
      const Attributes attributes = plain_attributes(element, "exclude");
      ExcludeSpec spec{{"", element, {}}};
      attributes.read("name", spec.name);
      spec.targets.emplace_back(ObjectType::kBody, attributes.required_text("body1"));
      spec.targets.emplace_back(ObjectType::kBody, attributes.required_text("body2"));
      spec_.referrers.excludes.push_back(std::move(spec));
    }
  }
}

void Reader::read_equalities(const XmlElement& section) {
  for (const XmlElement& element : file_.children(section)) {
    const std::string tag = element.tag();
    const bool of_bodies = tag == "connect" || tag == "weld";
    if (!of_bodies && tag != "joint" && tag != "tendon") continue;
    const std::string kind = of_bodies ? tag : tag + " equality";
    const Attributes attributes = attributes_of(element, kind, "equality", defaults_.main());
    EqualitySpec spec{{"", element, {}}, {}};
    attributes.read("name", spec.name);
    attributes.read("active", spec.equality.active);
    if (of_bodies) {
      read_body_equality(attributes, spec);
    } else {
      read_coordinate_equality(attributes, spec);
    }
    spec_.referrers.equalities.push_back(std::move(spec));
  }
}

void Reader::read_body_equality(const Attributes& attributes, EqualitySpec& spec) {
  const XmlElement& element = attributes.element();
  Equality& equality = spec.equality;
  const bool is_weld = element.tag() == "weld";
  equality.type = is_weld ? EqualityType::kWeld : EqualityType::kConnect;
  const bool site1 = read_target(attributes, "site1", ObjectType::kSite, spec);
  const bool site2 = read_target(attributes, "site2", ObjectType::kSite, spec);
  const bool body1 = read_target(attributes, "body1", ObjectType::kBody, spec);
  const bool body2 = read_target(attributes, "body2", ObjectType::kBody, spec);
  spec.between_sites = site1;
  if (site1 != site2 || site1 == body1 || (site1 && body2)) {
    element.fail("expected either site1 and site2, or body1 and perhaps body2");
  }
  // The anchor of a weld is given in body 2, that of a connect in body 1.
  const bool anchored = attributes.read("anchor", is_weld ? equality.anchor2 : equality.anchor1);
  if (!is_weld && body1 && !anchored) element.fail("attribute anchor is missing");
  if (!is_weld) return;
  attributes.read("torquescale", equality.torque_scale);
  if (equality.torque_scale != 1) {
    coverage_.note(Severity::kPhysics, element,
                   "torquescale: the weld holds angles exactly, whatever it is");
  }
  Eigen::Matrix<double, 7, 1> relpose = Eigen::Matrix<double, 7, 1>::Zero();
  if (attributes.read("relpose", relpose) && !relpose.tail<4>().isZero(0)) {
    spec.relpose_given = true;
    equality.anchor1 = relpose.head<3>();
    equality.X_12.q = Eigen::Quaterniond(relpose[3], relpose[4], relpose[5], relpose[6]);
    if (!is_direction(equality.X_12.q.norm())) {
      attributes.refuse("relpose", "a quaternion of length > 0 at the end");
    }
    equality.X_12.q.normalize();
  }
}

void Reader::read_coordinate_equality(const Attributes& attributes, EqualitySpec& spec) {
  const bool of_joints = attributes.element().tag() == "joint";
  const ObjectType type = of_joints ? ObjectType::kJoint : ObjectType::kTendon;
  spec.equality.type = of_joints ? EqualityType::kJoint : EqualityType::kTendon;
  spec.targets.emplace_back(type, attributes.required_text(of_joints ? "joint1" : "tendon1"));
  read_target(attributes, of_joints ? "joint2" : "tendon2", type, spec);
  Eigen::Map<Eigen::Matrix<double, 5, 1>> polycoef(spec.equality.polycoef.data());
  attributes.read("polycoef", polycoef, 1);
}

void Reader::read_tendons(const XmlElement& section) {
  for (const XmlElement& element : file_.children(section)) {
    if (element.tag() == "fixed") read_fixed_tendon(element);
    if (element.tag() == "spatial") read_spatial_tendon(element);
  }
}

void Reader::read_fixed_tendon(const XmlElement& element) {
  const Attributes attributes = attributes_of(element, "fixed", "tendon", defaults_.main());
  TendonSpec spec{{"", element, {}}, {}};
  Tendon& tendon = spec.tendon;
  attributes.read("name", spec.name);
  attributes.read("margin", tendon.margin);
  attributes.read_not_negative("frictionloss", tendon.frictionloss);
  attributes.read_not_negative("armature", tendon.armature);
  read_gains(element, attributes, tendon.stiffness, tendon.damping);
  Limited limited = Limited::kAuto, force_limited = Limited::kAuto;
  Eigen::Vector2d range = Eigen::Vector2d::Zero(), force_range = Eigen::Vector2d::Zero();
  read_limited(attributes, "limited", limited);
  read_limited(attributes, "actuatorfrclimited", force_limited);
  attributes.read("range", range);
  attributes.read("actuatorfrcrange", force_range);
  tendon.range = resolve_range(attributes, "range", limited, range, *compiler_, coverage_);
  tendon.actuator_force_range = resolve_range(attributes, "actuatorfrcrange", force_limited,
                                              force_range, *compiler_, coverage_);
  Eigen::Vector2d rest(-1, -1);
  if (attributes.read("springlength", rest, 1)) {
    if (rest[1] == -1) rest[1] = rest[0];
    spec.rest_at_qpos0 = rest[0] == -1;
    if (!spec.rest_at_qpos0 && rest[0] > rest[1]) {
      attributes.refuse("springlength", "a first number not above the second");
    }
    tendon.spring_length = {rest[0], rest[1]};
  }
  for (const XmlElement& child : file_.children(element)) {
    if (child.tag() != "joint") continue;
    const Attributes part = plain_attributes(child, "joint of a fixed tendon");
    spec.targets.emplace_back(ObjectType::kJoint, part.required_text("joint"));
    double coef = 0;
    if (!part.read("coef", coef)) child.fail("attribute coef is missing");
    tendon.coefs.push_back(coef);
  }
  if (tendon.coefs.empty()) element.fail("has no <joint>, expected one or more");
  spec_.referrers.tendons.push_back(std::move(spec));
}

void Reader::read_spatial_tendon(const XmlElement& element) {
  const Attributes attributes = attributes_of(element, "spatial", "tendon", defaults_.main());
  TendonSpec spec{{"", element, {}}, {}, true};
  attributes.read("name", spec.name);
  for (const XmlElement& child : file_.children(element)) {
    const Attributes part = plain_attributes(child, "part of a spatial tendon");
    if (child.tag() == "site") read_target(part, "site", ObjectType::kSite, spec);
    if (child.tag() == "geom") {
      read_target(part, "geom", ObjectType::kGeom, spec);
      read_target(part, "sidesite", ObjectType::kSite, spec);
    }
    if (child.tag() == "pulley") part.given("divisor");
  }
  coverage_.note(Severity::kPhysics, element, "spatial tendons are not supported; left out");
  spec_.referrers.tendons.push_back(std::move(spec));
}

}  // namespace stiction::mjcf
