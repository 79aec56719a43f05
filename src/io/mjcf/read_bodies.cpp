// The tree: bodies, inertials and joints.
#include <Eigen/Eigenvalues>

#include "io/mjcf/reader.h"

namespace stiction::mjcf {

void Reader::read_content(const XmlElement& section, const DefaultClass& inherited, BodySpec* owner,
                          Content& content) {
  for (const XmlElement& element : file_.children(section)) {
    const std::string tag = element.tag();
    if (tag == "body") {
      read_body(element, inherited, content);
    } else if (tag == "frame") {
      read_frame(element, inherited, owner, content);
    } else if (tag == "replicate") {
      read_replicate(element, inherited, owner, content);
    } else if (tag == "attach") {
      read_attach(element, content);
    } else if (tag == "geom") {
      read_geom(element, inherited, content);
    } else if (tag == "site") {
      read_site(element, inherited, content);
    } else if (tag == "camera") {
      read_camera(element, inherited, content);
    } else if (tag == "light") {
      read_light(element, inherited, content);
    } else if (tag == "joint" || tag == "freejoint" || tag == "inertial") {
      if (!owner)
        element.fail("belongs to the world, which has no joints and no inertia; expected a body");
      if (tag == "joint") read_joint(element, inherited, content);
      if (tag == "freejoint") read_free_joint(element, content);
      if (tag == "inertial") read_inertial(element, *owner);
    }
  }
}

const DefaultClass& Reader::child_class(const Attributes& attributes,
                                        const DefaultClass& inherited) {
  const std::optional<std::string> name = attributes.text("childclass");
  return name ? defaults_.find(*name, attributes.element()) : inherited;
}

void Reader::read_body(const XmlElement& element, const DefaultClass& inherited, Content& content) {
  const Attributes attributes = plain_attributes(element, "body");
  BodySpec spec{
      .body = {}, .source = element, .compiler = compiler_, .inertial = {}, .content = {}};
  attributes.read("name", spec.body.name);
  if (spec.body.name == "world") element.refuse("name", "another one: it is the world's");
  spec.body.X_PB = read_pose(attributes, *compiler_);
  attributes.read("mocap", spec.body.mocap);
  if (spec.body.mocap) {
    coverage_.note(Severity::kPhysics, element,
                   "mocap: the body is static, it stays where the file puts it; there is no way to "
                   "move it");
  }
  attributes.read("gravcomp", spec.body.gravcomp);
  read_content(element, child_class(attributes, inherited), &spec, spec.content);
  int dofs = 0;
  for (const JointSpec& item : spec.content.joints) dofs += item.joint.nv();
  if (dofs > 6) {
    element.fail("has " + std::to_string(dofs) + " degrees of freedom, expected at most 6");
  }
  content.bodies.push_back(std::move(spec));
}

void Reader::read_inertial(const XmlElement& element, BodySpec& owner) {
  const Attributes attributes = plain_attributes(element, "inertial");
  if (owner.inertial) element.fail("is the second one, expected one");
  Inertial inertial;
  if (!attributes.given("pos")) element.fail("attribute pos is missing");
  if (!attributes.read_not_negative("mass", inertial.mass)) {
    element.fail("attribute mass is missing");
  }
  inertial.X_BI = read_pose(attributes, *compiler_);

  Eigen::Vector3d diagonal = Eigen::Vector3d::Zero();
  Eigen::Matrix<double, 6, 1> full;
  const bool has_diagonal = attributes.read("diaginertia", diagonal);
  if (attributes.read("fullinertia", full)) {
    if (has_diagonal) element.refuse("diaginertia", "none beside fullinertia");
    for (const char* name : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
      if (element.has(name)) element.refuse(name, "none beside fullinertia");
    }
    inertial.inertia << full[0], full[3], full[4],  //
        full[3], full[1], full[5],                  //
        full[4], full[5], full[2];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertial.inertia,
                                                                Eigen::EigenvaluesOnly);
    if (!(solver.eigenvalues()[0] > 0)) {
      element.refuse("fullinertia", "xx yy zz xy xz yz of a positive definite matrix");
    }
  } else {
    if (diagonal.minCoeff() < 0) element.refuse("diaginertia", "numbers >= 0");
    inertial.inertia = diagonal.asDiagonal();
  }
  owner.inertial = inertial;
}

// Newer files may give polynomials; what is linear we have.
void Reader::read_gains(const XmlElement& element, const Attributes& attributes, double& stiffness,
                        double& damping) {
  for (const auto& [name, value] :
       {std::pair("stiffness", &stiffness), std::pair("damping", &damping)}) {
    Eigen::Vector3d polynomial = Eigen::Vector3d::Zero();
    if (!attributes.read(name, polynomial, 1)) continue;
    *value = polynomial[0];
    if (*value < 0) attributes.refuse(name, ">= 0");
    if (!polynomial.tail<2>().isZero(0)) {
      coverage_.note(Severity::kPhysics, element,
                     std::string(name) + ": only its linear part acts");
    }
  }
}

void Reader::read_joint(const XmlElement& element, const DefaultClass& inherited,
                        Content& content) {
  const Attributes attributes = attributes_of(element, "joint", "joint", inherited);
  JointSpec spec{.joint = {}, .source = element, .keys = {}};
  Joint& joint = spec.joint;
  attributes.read("name", joint.name);
  attributes.read_keyword<JointType>("type", joint.type,
                                     {{"free", JointType::kFree},
                                      {"ball", JointType::kBall},
                                      {"slide", JointType::kSlide},
                                      {"hinge", JointType::kHinge}});
  attributes.read("pos", joint.anchor);
  attributes.read("axis", joint.axis);
  attributes.read("margin", joint.margin);
  attributes.read("ref", joint.ref);
  attributes.read("springref", joint.springref);
  attributes.read_not_negative("armature", joint.armature);
  attributes.read_not_negative("frictionloss", joint.frictionloss);
  attributes.read("actuatorgravcomp", joint.actuator_gravcomp);
  read_gains(element, attributes, joint.stiffness, joint.damping);
  Limited limited = Limited::kAuto, force_limited = Limited::kAuto;
  Eigen::Vector2d range = Eigen::Vector2d::Zero(), force_range = Eigen::Vector2d::Zero();
  read_limited(attributes, "limited", limited);
  read_limited(attributes, "actuatorfrclimited", force_limited);
  attributes.read("range", range);
  attributes.read("actuatorfrcrange", force_range);

  const bool is_hinge = joint.type == JointType::kHinge;
  if (is_hinge) {
    joint.ref = compiler_->angle(joint.ref);
    joint.springref = compiler_->angle(joint.springref);
  }
  if (joint.type != JointType::kFree) {
    joint.range = resolve_range(attributes, "range", limited, range, *compiler_, coverage_);
    if (joint.type == JointType::kBall && joint.range.limited() && joint.range.lower != 0) {
      attributes.refuse("range", "a first number 0 for a ball joint");
    }
    if (joint.type != JointType::kSlide && joint.range.limited()) {
      joint.range = {compiler_->angle(joint.range.lower), compiler_->angle(joint.range.upper)};
    }
  }
  if (is_hinge || joint.type == JointType::kSlide) {
    joint.actuator_force_range = resolve_range(attributes, "actuatorfrcrange", force_limited,
                                               force_range, *compiler_, coverage_);
    if (!is_direction(joint.axis.norm())) attributes.refuse("axis", "a length > 0 and < 1e100");
    joint.axis.normalize();
  } else {
    joint.axis = Eigen::Vector3d::UnitZ();
  }
  if (joint.type == JointType::kFree) joint.anchor.setZero();
  content.joints.push_back(std::move(spec));
}

void Reader::read_free_joint(const XmlElement& element, Content& content) {
  JointSpec spec{.joint = {}, .source = element, .keys = {}};
  spec.joint.type = JointType::kFree;
  plain_attributes(element, "freejoint").read("name", spec.joint.name);
  content.joints.push_back(std::move(spec));
}

}  // namespace stiction::mjcf
