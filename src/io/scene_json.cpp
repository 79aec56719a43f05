#include <stiction/files.h>
#include <stiction/sdf.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

namespace stiction {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

// Meshes are shared between geoms, and so are they in the scene.
struct MeshList {
  json list = json::array();
  std::map<const void*, int> index;

  int add(const void* key, const TriangleMesh& mesh) {
    const auto [found, fresh] = index.try_emplace(key, static_cast<int>(list.size()));
    if (!fresh) return found->second;
    std::vector<float> vertices;
    vertices.reserve(3 * mesh.vertices.size());
    for (const Vector3d& p : mesh.vertices) {
      for (int k = 0; k < 3; ++k) vertices.push_back(static_cast<float>(p[k]));
    }
    std::vector<std::uint32_t> triangles;
    triangles.reserve(3 * mesh.triangles.size());
    for (const Eigen::Vector3i& t : mesh.triangles) {
      for (int k = 0; k < 3; ++k) triangles.push_back(static_cast<std::uint32_t>(t[k]));
    }
    list.push_back({{"name", mesh.name},
                    {"vertices", base64(vertices.data(), vertices.size() * sizeof(float))},
                    {"triangles", base64(triangles.data(), triangles.size() * sizeof(uint32_t))}});
    return found->second;
  }
};

TriangleMesh top_of(const HeightGrid& grid) {
  TriangleMesh mesh;
  mesh.name = grid.name;
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c) {
      const double x = 2.0 * c / (grid.cols - 1) - 1;
      const double y = 2.0 * r / (grid.rows - 1) - 1;
      mesh.vertices.emplace_back(x * grid.half_extent.x(), y * grid.half_extent.y(),
                                 grid.heights[r * grid.cols + c]);
    }
  }
  for (int r = 0; r + 1 < grid.rows; ++r) {
    for (int c = 0; c + 1 < grid.cols; ++c) {
      const int k = r * grid.cols + c;
      mesh.triangles.emplace_back(k, k + 1, k + 1 + grid.cols);
      mesh.triangles.emplace_back(k, k + 1 + grid.cols, k + grid.cols);
    }
  }
  return mesh;
}

json numbers(const Eigen::VectorXd& x) { return std::vector<double>(x.begin(), x.end()); }

json pose_json(const Pose& X) {
  return {X.p.x(), X.p.y(), X.p.z(), X.q.w(), X.q.x(), X.q.y(), X.q.z()};
}

// Kind and half sizes; a mesh by its number.
struct ShapeWriter {
  MeshList& meshes;

  json operator()(const Plane& s) const {
    return {{"shape", "plane"}, {"size", numbers(s.half_extent)}};
  }
  json operator()(const Sphere& s) const { return {{"shape", "sphere"}, {"size", {s.radius}}}; }
  json operator()(const Capsule& s) const {
    return {{"shape", "capsule"}, {"size", {s.radius, s.half_length}}};
  }
  json operator()(const Cylinder& s) const {
    return {{"shape", "cylinder"}, {"size", {s.radius, s.half_length}}};
  }
  json operator()(const Box& s) const { return {{"shape", "box"}, {"size", numbers(s.half_size)}}; }
  json operator()(const Ellipsoid& s) const {
    return {{"shape", "ellipsoid"}, {"size", numbers(s.radii)}};
  }
  json operator()(const ConvexMesh& s) const { return mesh(s.mesh.get(), *s.mesh); }
  json operator()(const HeightField& s) const { return mesh(s.grid.get(), top_of(*s.grid)); }
  json operator()(const MeshSurface& s) const { return mesh(s.mesh.get(), *s.mesh); }
  json operator()(const SdfSolid& s) const { return mesh(s.sdf.get(), s.sdf->surface); }

  json mesh(const void* key, const TriangleMesh& triangles) const {
    return {{"shape", "mesh"}, {"mesh", meshes.add(key, triangles)}};
  }
};

bool collides(const Geom& geom) { return geom.contact.contype || geom.contact.conaffinity; }

// Collision shapes that stand behind something nicer: groups 3 and up by MuJoCo's habit if anything
// else is there to see, and group 0 beside a visual of group 1, which is how URDF links arrive.
bool stands_behind(const Model& model, const Geom& geom) {
  if (!collides(geom)) return false;
  for (const Geom& other : model.geoms) {
    if (collides(other)) continue;
    if (geom.group >= 3 && other.group < 3) return true;
    if (geom.group == 0 && other.group == 1 && other.body == geom.body) return true;
  }
  return false;
}

json geom_json(const Model& model, const Geom& geom, MeshList& meshes) {
  json out = std::visit(ShapeWriter{meshes}, geom.shape);
  out["name"] = geom.name;
  out["body"] = geom.body;
  out["pose"] = pose_json(geom.X_BG);
  out["rgba"] = numbers(geom.rgba);
  out["collides"] = collides(geom);
  out["hidden"] = stands_behind(model, geom);
  if (geom.material >= 0) out["shininess"] = model.materials[geom.material].shininess;
  return out;
}

json joint_json(const Joint& joint) {
  static const char* const kTypes[] = {"free", "ball", "slide", "hinge"};
  return {{"name", joint.name},
          {"type", kTypes[static_cast<int>(joint.type)]},
          {"body", joint.body},
          {"qpos", joint.qpos_begin}};
}

}  // namespace

std::string scene_json(const Model& model) {
  json bodies = json::array();
  for (const Body& body : model.bodies) {
    const bool moves =
        body.joint_count > 0 || (!bodies.empty() && bodies[body.parent].at("moves").get<bool>());
    bodies.push_back({{"name", body.name},
                      {"parent", body.parent},
                      {"mass", body.mass},
                      {"com", numbers(body.com)},
                      {"moves", moves}});
  }
  json joints = json::array();
  for (const Joint& joint : model.joints) joints.push_back(joint_json(joint));
  MeshList meshes;
  json geoms = json::array();
  for (const Geom& geom : model.geoms) geoms.push_back(geom_json(model, geom, meshes));
  json cameras = json::array();
  for (const Camera& camera : model.cameras) {
    cameras.push_back({{"name", camera.name},
                       {"body", camera.body},
                       {"pose", pose_json(camera.X_BC)},
                       {"fovy", camera.fovy_deg}});
  }
  json lights = json::array();
  for (const Light& light : model.lights) {
    lights.push_back({{"body", light.body},
                      {"pos", numbers(light.pos)},
                      {"dir", numbers(light.dir)},
                      {"directional", light.directional}});
  }
  const json scene = {{"format", 1},
                      {"name", model.name},
                      {"timestep", model.options.timestep},
                      {"gravity", numbers(model.options.gravity)},
                      {"bodies", bodies},
                      {"joints", joints},
                      {"geoms", geoms},
                      {"meshes", meshes.list},
                      {"cameras", cameras},
                      {"lights", lights}};
  // Names of files may hold any bytes; a scene is valid UTF-8.
  return scene.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace stiction
