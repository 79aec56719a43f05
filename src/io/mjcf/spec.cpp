#include "io/mjcf/spec.h"

#include <algorithm>
#include <iterator>

namespace stiction::mjcf {
namespace {

template <typename Item>
void append_items(std::vector<Item>&& part, std::vector<Item>& whole) {
  std::move(part.begin(), part.end(), std::back_inserter(whole));
}

void rename_one(const std::string& prefix, const std::string& suffix, std::string& name) {
  if (!name.empty()) name = prefix + name + suffix;
}

/// How many of the targets are in the set.
size_t count_in(const std::set<Name>& names, const Referrer& item) {
  return static_cast<size_t>(std::count_if(item.targets.begin(), item.targets.end(),
                                           [&](const Name& name) { return names.contains(name); }));
}

template <typename Item>
std::vector<Item> copy_items(const std::vector<Item>& from, const std::set<Name>& names,
                             const std::string& prefix, const std::string& suffix,
                             Coverage* coverage) {
  std::vector<Item> copies;
  for (const Item& item : from) {
    const size_t inside = count_in(names, item);
    if (inside == item.targets.size() && inside > 0) {
      copies.push_back(item);
      rename_one(prefix, suffix, copies.back().name);
      for (Name& target : copies.back().targets) rename_one(prefix, suffix, target.second);
    } else if (inside > 0 && coverage) {
      coverage->note(Severity::kPhysics, item.source,
                     "dropped, as in MuJoCo: refers to objects both in and out of a copied part");
    }
  }
  return copies;
}

template <typename Item>
void remove_items(const std::set<Name>& names, std::vector<Item>& items) {
  std::erase_if(items, [&](const Item& item) { return count_in(names, item) > 0; });
}

/// Names of those items of `from` that copy_items copies.
template <typename Item>
void add_copied_names(ObjectType type, const std::vector<Item>& from, std::set<Name>& names) {
  std::set<Name> added;
  for (const Item& item : from) {
    const size_t inside = count_in(names, item);
    if (inside > 0 && inside == item.targets.size() && !item.name.empty()) {
      added.insert({type, item.name});
    }
  }
  names.merge(added);
}

}  // namespace

void transform(const Pose& X_BF, Content& content) {
  for (BodySpec& item : content.bodies) item.body.X_PB = X_BF * item.body.X_PB;
  for (JointSpec& item : content.joints) {
    if (item.joint.type == JointType::kFree) continue;
    item.joint.anchor = X_BF.p + X_BF.q * item.joint.anchor;
    if (item.joint.type != JointType::kBall) item.joint.axis = X_BF.q * item.joint.axis;
  }
  for (GeomSpec& item : content.geoms) item.geom.X_BG = X_BF * item.geom.X_BG;
  for (SiteSpec& item : content.sites) item.site.X_BS = X_BF * item.site.X_BS;
  for (CameraSpec& item : content.cameras) item.camera.X_BC = X_BF * item.camera.X_BC;
  for (LightSpec& item : content.lights) {
    item.light.pos = X_BF.p + X_BF.q * item.light.pos;
    item.light.dir = X_BF.q * item.light.dir;
  }
}

void append(Content&& part, Content& whole) {
  append_items(std::move(part.bodies), whole.bodies);
  append_items(std::move(part.joints), whole.joints);
  append_items(std::move(part.geoms), whole.geoms);
  append_items(std::move(part.sites), whole.sites);
  append_items(std::move(part.cameras), whole.cameras);
  append_items(std::move(part.lights), whole.lights);
}

void append(Referrers&& part, Referrers& whole) {
  append_items(std::move(part.tendons), whole.tendons);
  append_items(std::move(part.actuators), whole.actuators);
  append_items(std::move(part.equalities), whole.equalities);
  append_items(std::move(part.pairs), whole.pairs);
  append_items(std::move(part.excludes), whole.excludes);
  append_items(std::move(part.sensors), whole.sensors);
}

void collect_names(const Content& content, std::set<Name>& names) {
  const auto add = [&](ObjectType type, const std::string& name) {
    if (!name.empty()) names.insert({type, name});
  };
  for (const JointSpec& item : content.joints) add(ObjectType::kJoint, item.joint.name);
  for (const GeomSpec& item : content.geoms) add(ObjectType::kGeom, item.geom.name);
  for (const SiteSpec& item : content.sites) add(ObjectType::kSite, item.site.name);
  for (const CameraSpec& item : content.cameras) add(ObjectType::kCamera, item.camera.name);
  for (const BodySpec& item : content.bodies) {
    add(ObjectType::kBody, item.body.name);
    collect_names(item.content, names);
  }
}

void rename(const std::string& prefix, const std::string& suffix, Content& content) {
  for (JointSpec& item : content.joints) rename_one(prefix, suffix, item.joint.name);
  for (GeomSpec& item : content.geoms) rename_one(prefix, suffix, item.geom.name);
  for (SiteSpec& item : content.sites) rename_one(prefix, suffix, item.site.name);
  for (CameraSpec& item : content.cameras) rename_one(prefix, suffix, item.camera.name);
  for (LightSpec& item : content.lights) rename_one(prefix, suffix, item.light.name);
  for (BodySpec& item : content.bodies) {
    rename_one(prefix, suffix, item.body.name);
    rename(prefix, suffix, item.content);
  }
}

size_t count_parts(const Content& content) {
  size_t count = content.bodies.size() + content.joints.size() + content.geoms.size() +
                 content.sites.size() + content.cameras.size() + content.lights.size();
  for (const BodySpec& item : content.bodies) count += count_parts(item.content);
  return count;
}

size_t Referrers::size() const {
  return tendons.size() + actuators.size() + equalities.size() + pairs.size() + excludes.size() +
         sensors.size();
}

void copy_referrers(const Referrers& from, std::set<Name>& names, const std::string& prefix,
                    const std::string& suffix, Referrers& to, Coverage* coverage) {
  const auto copy = [&](const auto& items) {
    return copy_items(items, names, prefix, suffix, coverage);
  };
  append_items(copy(from.tendons), to.tendons);
  add_copied_names(ObjectType::kTendon, from.tendons, names);
  append_items(copy(from.actuators), to.actuators);
  add_copied_names(ObjectType::kActuator, from.actuators, names);
  append_items(copy(from.equalities), to.equalities);
  append_items(copy(from.pairs), to.pairs);
  append_items(copy(from.excludes), to.excludes);
  append_items(copy(from.sensors), to.sensors);
}

void remove_referrers(std::set<Name> names, Referrers& referrers) {
  for (const TendonSpec& item : referrers.tendons) {
    if (count_in(names, item) > 0) names.insert({ObjectType::kTendon, item.name});
  }
  for (const ActuatorSpec& item : referrers.actuators) {
    if (count_in(names, item) > 0) names.insert({ObjectType::kActuator, item.name});
  }
  remove_items(names, referrers.tendons);
  remove_items(names, referrers.actuators);
  remove_items(names, referrers.equalities);
  remove_items(names, referrers.pairs);
  remove_items(names, referrers.excludes);
  remove_items(names, referrers.sensors);
}

}  // namespace stiction::mjcf
