// Balls of many sizes against every kind of signed distance solid, from a touch of a micrometre to
// an overlap of a radius. A contact has to be at a point of the zero, and no further from the
// centre than the vertices of the surface, which are on it, and than the triangles of a finer
// surface. On which side the centre is, the solid angle tells at which it sees them.
#include <gtest/gtest.h>
#include <stiction/sdf.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <numbers>

#include "geometry/convex_samples.h"
#include "geometry/sdf_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

struct Target {
  SdfPointer solid;
  TriangleMesh surface;  // finer
  double tolerance;      // between the two, m
};

// At the middles of faces and edges.
double sag_of(const SdfPointer& solid, const TriangleMesh& mesh) {
  double sag = 0;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Vector3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    for (const Vector3d& p : {Vector3d((a + b + c) / 3), Vector3d((a + b) / 2),
                              Vector3d((b + c) / 2), Vector3d((c + a) / 2)}) {
      sag = std::max(sag, std::abs(distance_at(*solid, p)));
    }
  }
  return 1.5 * sag + 1e-9;
}

Target exactly(const SdfPointer& solid, const TriangleMesh& fine) {
  return {solid, fine, sag_of(solid, fine)};
}

TriangleMesh fine_bowl() {
  Dish bowl = bowl_shape();
  bowl.sectors = 96;
  bowl.edge = 0.02;
  return make_dish("fine", bowl)->surface;
}

Target threaded(const std::string& size, bool is_nut) {
  Bolt bolt;
  Nut nut;
  metric_size(size, bolt, nut);
  nut.height = bolt.length = 3.3 * bolt.thread.pitch;
  const SdfPointer solid = is_nut ? make_nut("nut", nut) : make_bolt("bolt", bolt);
  bolt.sectors = nut.sectors = 72;
  return exactly(solid, (is_nut ? make_nut("fine", nut) : make_bolt("fine", bolt))->surface);
}

// Edges of a baked mesh are rounded to about one cell.
Target baked(const TriangleMesh& mesh, int cells, double size) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("stiction_balls_" + std::to_string(getpid()));
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const Target target{make_grid("grid", mesh, cells), mesh, size / cells};
  std::filesystem::remove_all(folder);
  return target;
}

Target make_target(const std::string& name) {
  const SdfPointer box = make_primitive("box", Box{{0.05, 0.03, 0.02}}, 0.02);
  const TriangleMesh cube = make_primitive("cube", Box{{0.05, 0.05, 0.05}}, 0.2)->surface;
  const SdfPointer bowl = make_dish("bowl", bowl_shape());
  if (name == "box") return exactly(box, box->surface);
  if (name == "bowl") return exactly(bowl, fine_bowl());
  if (name == "bolt_M10") return threaded("M10", false);
  if (name == "bolt_M48") return threaded("M48", false);
  if (name == "nut_M10") return threaded("M10", true);
  if (name == "nut_M48") return threaded("M48", true);
  if (name == "grid_16") return baked(cube, 16, 0.1);
  if (name == "grid_64") return baked(cube, 64, 0.1);
  if (name == "grid_bowl") return baked(fine_bowl(), 96, 0.14);
  if (name == "neural") {
    const SdfPointer neural = make_neural("network", train_network(*bowl, {.steps = 800}));
    return exactly(neural, neural->surface);
  }
  const Pose aside{{0.03, 0.01, 0.02}, Eigen::Quaterniond::Identity()};
  const double cell = 0.008;
  const SdfPointer both = make_union("union", box, make_moved("moved", box, aside), cell);
  return {both, both->surface, cell};
}

// 4 pi inside, 0 outside (van Oosterom and Strackee, 1983).
double solid_angle(const TriangleMesh& mesh, const Vector3d& p) {
  double sum = 0;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Vector3d a = mesh.vertices[t[0]] - p, b = mesh.vertices[t[1]] - p,
                   c = mesh.vertices[t[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)),
                          la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum;
}

// The mean of those of the faces around each vertex.
std::vector<Vector3d> vertex_normals(const TriangleMesh& mesh) {
  std::vector<Vector3d> normals(mesh.vertices.size(), Vector3d::Zero());
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Vector3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    for (const int v : t) normals[v] += (b - a).cross(c - a).normalized();
  }
  for (Vector3d& n : normals) n.normalize();
  return normals;
}

class Balls : public testing::TestWithParam<const char*> {};

TEST_P(Balls, TouchWhateverIsNearerThanTheirRadius) {
  const Target target = make_target(GetParam());
  const Sdf& sdf = *target.solid;
  Shape solid = SdfSolid{target.solid};
  prepare_for_collision(solid);
  const std::vector<Vector3d> normals = vertex_normals(sdf.surface);
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  int missed = 0, beside = 0, far = 0, other_side = 0;
  double worst = 0, worst_off = 0;
  for (int pose = 0; pose < 1000; ++pose) {
    const auto v = rng() % sdf.surface.vertices.size();
    const double radius = sdf.detail * std::exp2(-2 + 5 * uniform(rng));
    const double overlap = 1e-6 * std::pow(radius / 1e-6, uniform(rng));
    const Vector3d out = (normals[v] + 0.4 * random_vector(rng)).normalized();
    const Vector3d center = sdf.surface.vertices[v] + (radius - overlap) * out;
    const auto contacts =
        contacts_of(Sphere{radius}, {Eigen::Matrix3d::Identity(), center}, solid, Frame{}, 0);
    if (contacts.empty()) {
      ++missed;
      continue;
    }
    const ContactPoint& contact = deepest(contacts);
    const double away = distance_to_mesh(target.surface, center);
    const bool inside = solid_angle(target.surface, center) > 2 * pi;
    const double to_solid = contact.gap + radius;
    const Vector3d x = center + to_solid * contact.n;
    const double off = std::abs(distance_at(sdf, x));
    // Below a groove, the zero may not be where the gradient leads.
    if (off > (inside ? target.tolerance : 1e-5 * sdf.detail)) ++beside;
    worst_off = std::max(worst_off, off);
    if (std::abs(to_solid) > radius - overlap + 1e-6 * sdf.detail) ++far;
    if (std::abs(to_solid) > away + target.tolerance) ++far;
    worst = std::max(worst, std::abs(to_solid) - away);
    if (away > target.tolerance && inside != (to_solid < 0)) ++other_side;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(beside, 0) << "by " << worst_off << " m at most";
  EXPECT_EQ(far, 0) << "by " << worst << " m at most, expected " << target.tolerance;
  EXPECT_EQ(other_side, 0);
}

INSTANTIATE_TEST_SUITE_P(Sdf, Balls,
                         testing::Values("box", "bowl", "bolt_M10", "bolt_M48", "nut_M10",
                                         "nut_M48", "grid_16", "grid_64", "grid_bowl", "neural",
                                         "union"),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace stiction
