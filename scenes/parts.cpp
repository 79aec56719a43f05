#include "scenes/parts.h"

#include <stiction/files.h>

#include <filesystem>

namespace stiction {
namespace {

Geom make_geom(const Part& part) {
  Geom geom;
  geom.name = part.name;
  geom.shape = part.shape;
  geom.contact.friction[0] = part.mu;
  geom.contact.restitution = part.restitution;
  geom.rgba = part.rgba;
  return geom;
}

}  // namespace

void add_floor(ModelBuilder& builder, double mu) {
  Part floor;
  floor.name = "floor";
  floor.shape = Plane{Eigen::Vector2d(5, 5)};
  floor.mu = mu;
  floor.rgba = Eigen::Vector4d(0.8, 0.8, 0.8, 1);
  add_static_part(builder, floor);
}

int add_free_part(ModelBuilder& builder, const Part& part) {
  Body body;
  body.name = part.name;
  body.X_PB.p = part.p;
  const int index = builder.add_body(body);
  Joint joint;
  joint.name = part.name;
  joint.type = JointType::kFree;
  joint.body = index;
  builder.add_joint(joint);
  Geom geom = make_geom(part);
  geom.body = index;
  builder.add_geom(geom, 1.0);
  // The geom gave the shape of the inertia; scale it to the mass that was asked for.
  Body& built = builder.body(index);
  built.inertia *= part.mass / built.mass;
  built.mass = part.mass;
  return index;
}

Model shipped_model(const std::string& file) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const auto installed = program.parent_path().parent_path() / "share/stiction/models" / file;
  const bool there = std::filesystem::exists(installed);
  return load_model(there ? installed.string() : STICTION_MODELS "/" + file).model;
}

void add_static_part(ModelBuilder& builder, const Part& part) {
  Geom geom = make_geom(part);
  geom.X_BG.p = part.p;
  builder.add_geom(geom);
}

}  // namespace stiction
