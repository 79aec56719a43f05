#include "io/mjcf/reader.h"

namespace stiction::mjcf {

Reader::Reader(const std::string& path, Coverage& coverage, int depth)
    : file_(path), coverage_(coverage), depth_(depth) {}

const Spec& Reader::read() {
  const XmlElement root = file_.root();
  if (root.tag() != "mujoco") root.fail("expected the root element <mujoco>");
  plain_attributes(root, "mujoco").read("model", spec_.name);

  auto compiler = std::make_shared<CompilerSettings>(read_compiler(file_, coverage_));
  compiler_ = compiler;
  spec_.compiler = compiler;
  if (depth_ == 0) spec_.options = read_options(file_, coverage_);
  defaults_.read(file_, coverage_);
  assets_ = AssetReader(file_, coverage_, defaults_, *compiler_).read();
  read_models();
  for (const XmlElement& section : file_.sections("custom")) {
    read_custom(section);
    read_restitutions(section);
  }
  for_each_section("contact", [&](const XmlElement& s) { read_contacts(s); });
  for_each_section("equality", [&](const XmlElement& s) { read_equalities(s); });
  for_each_section("tendon", [&](const XmlElement& s) { read_tendons(s); });
  for_each_section("actuator", [&](const XmlElement& s) { read_actuators(s); });
  for_each_section("sensor", [&](const XmlElement& s) { read_sensors(s); });
  for_each_section("keyframe", [&](const XmlElement& s) { read_keyframes(s); });
  // Last, as in MuJoCo: copies made in the tree take along what refers to it.
  for_each_section("worldbody", [&](const XmlElement& s) {
    read_content(s, defaults_.main(), nullptr, spec_.world);
  });
  check_sdf_names();
  check_restitution_names();
  return spec_;
}

void Reader::report_unread() {
  coverage_.report_unread(file_);
  for (const std::unique_ptr<Reader>& reader : attached_) reader->report_unread();
}

bool read_target(const Attributes& attributes, const char* name, ObjectType type, Referrer& spec) {
  std::string target;
  if (!attributes.read(name, target)) return false;
  spec.targets.emplace_back(type, target);
  return true;
}

}  // namespace stiction::mjcf
