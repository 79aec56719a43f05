// Parts that move as one (<frame>) or come several times (<replicate>, <attach>).
#include <filesystem>

#include "io/mjcf/reader.h"

namespace stiction::mjcf {
namespace {

constexpr int kMaxAttachDepth = 8;
constexpr double kMaxCopiedParts = 4e5;

/// 0, 1, ... with as many digits as the count has.
std::string padded(int i, int count) {
  const std::string digits = std::to_string(i);
  return std::string(std::to_string(count).size() - digits.size(), '0') + digits;
}

void name_keys(std::vector<KeySpec>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].key.name.empty()) keys[i].key.name = "key" + std::to_string(i);
  }
}

/// qpos and qvel of the keyframes, handed to the joints in order.
void hand_out_keys(const std::vector<KeySpec>& keys, Content& content, int& q, int& v) {
  for (JointSpec& item : content.joints) {
    const int nq = item.joint.nq(), nv = item.joint.nv();
    for (const KeySpec& key : keys) {
      KeyedState& state = item.keys[key.key.name];
      const Eigen::VectorXd& qpos = key.key.qpos;
      const Eigen::VectorXd& qvel = key.key.qvel;
      if (qpos.size() > 0 && qpos.size() < q + nq) key.source.refuse("qpos", "more numbers");
      if (qvel.size() > 0 && qvel.size() < v + nv) key.source.refuse("qvel", "more numbers");
      if (qpos.size() > 0) state.qpos.assign(qpos.data() + q, qpos.data() + q + nq);
      if (qvel.size() > 0) state.qvel.assign(qvel.data() + v, qvel.data() + v + nv);
    }
    q += nq;
    v += nv;
  }
  for (BodySpec& body : content.bodies) hand_out_keys(keys, body.content, q, v);
}

/// Turns the keyframes of a model into states of its parts, so that they can be attached.
void hand_out_keys(Spec& spec, Coverage& coverage) {
  int q = 0, v = 0;
  hand_out_keys(spec.keys, spec.world, q, v);
  for (const KeySpec& key : spec.keys) {
    const Eigen::VectorXd& ctrl = key.key.ctrl;
    std::vector<ActuatorSpec>& actuators = spec.referrers.actuators;
    const Eigen::Index nu = static_cast<Eigen::Index>(actuators.size());
    if (ctrl.size() > 0 && ctrl.size() != nu) {
      key.source.refuse("ctrl",
                        std::to_string(nu) + " numbers, not " + std::to_string(ctrl.size()));
    }
    for (Eigen::Index i = 0; i < ctrl.size(); ++i) {
      actuators[static_cast<size_t>(i)].keys[key.key.name].ctrl = ctrl[i];
    }
    if (key.key.act.size() > 0) {
      coverage.note(Severity::kPhysics, key.source, "act: not taken over into the attaching model");
    }
    spec.attached_keys.emplace_back(key.key.name, key.key.time);
  }
}

void rename_keys(const std::string& prefix, KeyedStates& keys) {
  KeyedStates renamed;
  for (auto& [name, state] : keys) renamed[prefix + name] = std::move(state);
  keys = std::move(renamed);
}

void rename_keys(const std::string& prefix, Content& content) {
  for (JointSpec& item : content.joints) rename_keys(prefix, item.keys);
  for (BodySpec& item : content.bodies) rename_keys(prefix, item.content);
}

void forget_keys(Content& content) {
  for (JointSpec& item : content.joints) item.keys.clear();
  for (BodySpec& item : content.bodies) forget_keys(item.content);
}

const BodySpec* find_body(const Content& content, const std::string& name) {
  for (const BodySpec& item : content.bodies) {
    if (item.body.name == name) return &item;
    if (const BodySpec* found = find_body(item.content, name)) return found;
  }
  return nullptr;
}

}  // namespace

void Reader::read_frame(const XmlElement& element, const DefaultClass& inherited, BodySpec* owner,
                        Content& content) {
  const Attributes attributes = plain_attributes(element, "frame");
  attributes.given("name");  // nothing refers to frames but <attach frame=...>
  Content part;
  read_content(element, child_class(attributes, inherited), owner, part);
  transform(read_pose(attributes, *compiler_), part);
  append(std::move(part), content);
}

void Reader::read_replicate(const XmlElement& element, const DefaultClass& inherited,
                            BodySpec* owner, Content& content) {
  const Attributes attributes = plain_attributes(element, "replicate");
  int count = 0;
  Eigen::Vector3d offset = Eigen::Vector3d::Zero(), euler = Eigen::Vector3d::Zero();
  std::string separator;
  if (!attributes.read("count", count)) element.fail("attribute count is missing");
  attributes.read("offset", offset);
  attributes.read("euler", euler);
  attributes.read("sep", separator);
  Content part;
  read_content(element, child_class(attributes, inherited), owner, part);

  Referrers before = spec_.referrers;
  const double copied = static_cast<double>(count_parts(part) + before.size() + 1) * count;
  if (count < 0 || copied > kMaxCopiedParts) {
    attributes.refuse("count", count < 0 ? ">= 0" : "fewer: it makes too many parts");
  }
  std::set<Name> names;
  collect_names(part, names);
  remove_referrers(names, spec_.referrers);

  Pose X;  // of copy i
  for (int i = 0; i < count; ++i) {
    X.q = euler_rotation(i * euler, *compiler_);
    const std::string suffix = separator + padded(i, count);
    Content copy = part;
    transform(X, copy);
    rename("", suffix, copy);
    append(std::move(copy), content);
    copy_referrers(before, names, "", suffix, spec_.referrers, i == 0 ? &coverage_ : nullptr);
    X.p += X.q * offset;
    // The states of keyframes belong to the first copy.
    if (i == 0) {
      forget_keys(part);
      for (ActuatorSpec& actuator : before.actuators) actuator.keys.clear();
    }
  }
}

void Reader::read_models() {
  for (const XmlElement& section : file_.sections("asset")) {
    for (const XmlElement& element : file_.children(section)) {
      if (element.tag() != "model") continue;
      const Attributes attributes = plain_attributes(element, "model");
      if (depth_ == kMaxAttachDepth) element.fail("models attach one another too deeply");
      const std::filesystem::path file = attributes.required_text("file");
      const std::string path = (std::filesystem::path(file_.directory()) / file).string();
      std::error_code error;
      if (!std::filesystem::is_regular_file(path, error)) {
        element.fail("model file '" + path + "' not found");
      }
      attached_.push_back(std::make_unique<Reader>(path, coverage_, depth_ + 1));
      Reader& reader = *attached_.back();
      reader.read();
      name_keys(reader.spec_.keys);
      hand_out_keys(reader.spec_, coverage_);
      std::string name = reader.spec_.name;
      attributes.read("name", name);
      if (!models_.emplace(name, &reader.spec_).second) {
        element.fail("the name '" + name + "' is used twice, expected one model of it");
      }
    }
  }
}

void Reader::read_attach(const XmlElement& element, Content& content) {
  const Attributes attributes = plain_attributes(element, "attach");
  const std::string model_name = attributes.required_text("model");
  const std::string prefix = attributes.required_text("prefix");
  std::string body_name;
  attributes.read("body", body_name);
  if (attributes.given("frame")) element.fail("frames of other models cannot be attached");
  const auto found = models_.find(model_name);
  if (found == models_.end()) element.fail("model '" + model_name + "' does not exist");
  const Spec& model = *found->second;

  Content part;
  if (body_name.empty()) {
    part = model.world;
  } else {
    const BodySpec* body = find_body(model.world, body_name);
    if (!body)
      element.fail("body '" + body_name + "' does not exist in model '" + model_name + "'");
    part.bodies.push_back(*body);
  }
  std::set<Name> names;
  collect_names(part, names);
  rename(prefix, "", part);
  rename_keys(prefix, part);
  append(std::move(part), content);

  Referrers copies;
  copy_referrers(model.referrers, names, prefix, "", copies, &coverage_);
  for (ActuatorSpec& actuator : copies.actuators) rename_keys(prefix, actuator.keys);
  append(std::move(copies), spec_.referrers);
  for (const auto& [name, time] : model.attached_keys) {
    spec_.attached_keys.emplace_back(prefix + name, time);
  }
}

}  // namespace stiction::mjcf
