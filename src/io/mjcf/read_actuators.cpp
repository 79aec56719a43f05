// <actuator>. All kinds share one set of fields, which default classes fill in the order in which
// they are nested: a <position kp="..."/> in a default also sets the gain of a <general> of that
// class.
#include <numbers>
#include <set>

#include "io/mjcf/reader.h"

namespace stiction::mjcf {
namespace {

/// Kinds of actuators that exist in MuJoCo and not here: they keep their place among the controls.
bool is_unsupported(const std::string& tag) {
  static const std::set<std::string> tags = {"muscle", "plugin", "orientation", "pid", "dcmotor"};
  return tags.contains(tag);
}

void read_common(const Attributes& attributes, ActuatorSpec& spec) {
  attributes.read("gear", spec.actuator.gear, 1);
  attributes.read("ctrlrange", spec.ctrlrange);
  attributes.read("forcerange", spec.forcerange);
  attributes.read("actrange", spec.actrange);
  read_limited(attributes, "ctrllimited", spec.ctrllimited);
  read_limited(attributes, "forcelimited", spec.forcelimited);
  read_limited(attributes, "actlimited", spec.actlimited);
  attributes.read("cranklength", spec.actuator.crank_length);
}

void read_transmission(const Attributes& attributes, ActuatorSpec& spec) {
  const XmlElement& element = attributes.element();
  Actuator& actuator = spec.actuator;
  int count = 0;
  const auto read = [&](const char* name, ObjectType type, Transmission transmission) {
    if (!read_target(attributes, name, type, spec)) return;
    actuator.transmission = transmission;
    ++count;
  };
  read("joint", ObjectType::kJoint, Transmission::kJoint);
  read("jointinparent", ObjectType::kJoint, Transmission::kJointInParent);
  read("tendon", ObjectType::kTendon, Transmission::kTendon);
  read("cranksite", ObjectType::kSite, Transmission::kSliderCrank);
  read("site", ObjectType::kSite, Transmission::kSite);
  read("body", ObjectType::kBody, Transmission::kBody);
  if (count != 1) {
    element.fail("acts on " + std::to_string(count) +
                 " things, expected one of joint, jointinparent, tendon, cranksite, site, body");
  }
  const bool has_slider = read_target(attributes, "slidersite", ObjectType::kSite, spec);
  const bool has_reference = read_target(attributes, "refsite", ObjectType::kSite, spec);
  if (has_slider != (actuator.transmission == Transmission::kSliderCrank)) {
    element.fail("has one of cranksite and slidersite, expected both");
  }
  if (has_slider && !(actuator.crank_length > 0)) {
    if (!attributes.given("cranklength")) element.fail("attribute cranklength is missing");
    attributes.refuse("cranklength", "> 0");
  }
  if (has_reference && actuator.transmission != Transmission::kSite) {
    attributes.refuse("refsite", "site beside it");
  }
}

void read_prm(const Attributes& attributes, const char* name, std::array<double, 3>& values) {
  Eigen::Matrix<double, 10, 1> prm = Eigen::Matrix<double, 10, 1>::Zero();
  for (int i = 0; i < 3; ++i) prm[i] = values[static_cast<size_t>(i)];
  attributes.read(name, prm, 1);
  values = {prm[0], prm[1], prm[2]};
}

void read_general(const Attributes& attributes, Actuator& actuator) {
  attributes.read_keyword<Activation>("dyntype", actuator.activation,
                                      {{"none", Activation::kNone},
                                       {"integrator", Activation::kIntegrator},
                                       {"filter", Activation::kFilter},
                                       {"filterexact", Activation::kFilterExact},
                                       {"muscle", Activation::kUnsupported},
                                       {"user", Activation::kUnsupported}});
  attributes.read_keyword<Gain>("gaintype", actuator.gain_type,
                                {{"fixed", Gain::kFixed},
                                 {"affine", Gain::kAffine},
                                 {"muscle", Gain::kUnsupported},
                                 {"user", Gain::kUnsupported}});
  attributes.read_keyword<Bias>("biastype", actuator.bias_type,
                                {{"none", Bias::kNone},
                                 {"affine", Bias::kAffine},
                                 {"muscle", Bias::kUnsupported},
                                 {"user", Bias::kUnsupported}});
  std::array<double, 3> dynprm{actuator.time_constant, 0, 0};
  read_prm(attributes, "dynprm", dynprm);
  actuator.time_constant = dynprm[0];
  read_prm(attributes, "gainprm", actuator.gain);
  read_prm(attributes, "biasprm", actuator.bias);
  attributes.read("actearly", actuator.act_early);
}

/// Also intvelocity. A positive bias[2] stands for a damping ratio until the mass is known.
void read_position(const Attributes& attributes, ActuatorSpec& spec) {
  const XmlElement& element = attributes.element();
  Actuator& actuator = spec.actuator;
  double kv = 0, ratio = 0, timeconst = 0;
  attributes.read("kp", actuator.gain[0]);
  actuator.bias[1] = -actuator.gain[0];
  const bool has_kv = attributes.read_not_negative("kv", kv);
  const bool has_ratio = attributes.read_not_negative("dampratio", ratio);
  if (has_kv && has_ratio) attributes.refuse("dampratio", "none beside kv");
  if (has_kv) actuator.bias[2] = -kv;
  if (has_ratio) actuator.bias[2] = ratio;
  if (element.tag() == "intvelocity") {
    actuator.activation = Activation::kIntegrator;
    spec.actlimited = Limited::kTrue;
  } else if (attributes.read_not_negative("timeconst", timeconst)) {
    actuator.time_constant = timeconst;
    actuator.activation = timeconst == 0 ? Activation::kNone : Activation::kFilterExact;
  }
  attributes.read_not_negative("inheritrange", spec.inheritrange);
  actuator.gain_type = Gain::kFixed;
  actuator.bias_type = Bias::kAffine;
}

void read_cylinder(const Attributes& attributes, Actuator& actuator) {
  double diameter = 0;
  attributes.read_not_negative("timeconst", actuator.time_constant);
  attributes.read("area", actuator.gain[0]);
  if (attributes.read("diameter", diameter)) {
    actuator.gain[0] = std::numbers::pi / 4 * diameter * diameter;
  }
  Eigen::Map<Eigen::Vector3d> bias(actuator.bias.data());
  attributes.read("bias", bias);
  actuator.activation = Activation::kFilter;
  actuator.gain_type = Gain::kFixed;
  actuator.bias_type = Bias::kAffine;
}

void read_specific(const Attributes& attributes, ActuatorSpec& spec) {
  const std::string tag = attributes.element().tag();
  Actuator& actuator = spec.actuator;
  double kv = 0;
  if (tag == "general") {
    read_general(attributes, actuator);
  } else if (tag == "position" || tag == "intvelocity") {
    read_position(attributes, spec);
  } else if (tag == "cylinder") {
    read_cylinder(attributes, actuator);
  } else if (tag == "motor") {
    actuator.gain = {1, 0, 0};
    actuator.bias = {0, 0, 0};
    actuator.activation = Activation::kNone;
    actuator.gain_type = Gain::kFixed;
    actuator.bias_type = Bias::kNone;
  } else if (tag == "velocity") {
    attributes.read("kv", actuator.gain[0]);
    actuator.bias = {0, 0, -actuator.gain[0]};
    actuator.activation = Activation::kNone;
    actuator.gain_type = Gain::kFixed;
    actuator.bias_type = Bias::kAffine;
  } else if (tag == "damper") {
    attributes.read_not_negative("kv", kv);
    actuator.gain = {0, 0, -kv};
    actuator.bias = {0, 0, 0};
    actuator.activation = Activation::kNone;
    actuator.gain_type = Gain::kAffine;
    actuator.bias_type = Bias::kNone;
    spec.ctrllimited = Limited::kTrue;
  } else if (tag == "adhesion") {
    attributes.read("gain", actuator.gain[0]);
    actuator.gain_type = Gain::kFixed;
    actuator.bias_type = Bias::kNone;
    spec.ctrllimited = Limited::kTrue;
  } else if (is_unsupported(tag)) {
    actuator.gain_type = Gain::kUnsupported;
    actuator.bias_type = Bias::kUnsupported;
    actuator.activation = Activation::kUnsupported;
  }
}

}  // namespace

void Reader::read_actuators(const XmlElement& section) {
  for (const XmlElement& element : file_.children(section)) {
    const std::string tag = element.tag();
    if (!is_actuator_tag(tag) && !is_unsupported(tag)) continue;
    const Attributes attributes = attributes_of(element, tag, "actuator", defaults_.main());
    ActuatorSpec spec{{"", element, {}}, {}};
    spec.actuator.kind = tag;
    attributes.read("name", spec.name);
    for (const Layer& layer : attributes.layers()) {
      const Attributes own({layer});
      read_common(own, spec);
      read_specific(own, spec);
    }
    read_transmission(attributes, spec);
    if (spec.inheritrange > 0 && (!spec.ctrlrange.isZero(0) || !spec.actrange.isZero(0))) {
      attributes.refuse("inheritrange", "none beside a range");
    }
    Actuator& actuator = spec.actuator;
    actuator.ctrl_range = resolve_range(attributes, "ctrlrange", spec.ctrllimited, spec.ctrlrange,
                                        *compiler_, coverage_);
    actuator.force_range = resolve_range(attributes, "forcerange", spec.forcelimited,
                                         spec.forcerange, *compiler_, coverage_);
    if (spec.inheritrange == 0) {
      actuator.act_range = resolve_range(attributes, "actrange", spec.actlimited, spec.actrange,
                                         *compiler_, coverage_);
    }
    if (actuator.transmission == Transmission::kBody || actuator.gain_type == Gain::kUnsupported ||
        actuator.bias_type == Bias::kUnsupported ||
        actuator.activation == Activation::kUnsupported) {
      coverage_.note(Severity::kPhysics, element,
                     "this kind of actuator is not supported; it exerts no force");
    }
    spec_.referrers.actuators.push_back(std::move(spec));
  }
}

}  // namespace stiction::mjcf
