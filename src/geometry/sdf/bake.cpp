#include "geometry/sdf/bake.h"

#include <stiction/error.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "geometry/mesh.h"
#include "geometry/sdf/contour.h"
#include "geometry/surface_tree.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// The sign comes from the normal of the feature that is nearest: a face, or the sum of the normals
// around an edge, or, weighted by their angles, around a vertex (Baerentzen and Aanaes, "Signed
// distance computation using the angle weighted pseudonormal", 2005).
struct SignedMesh {
  SurfaceTree tree;
  std::vector<Vector3d> vertex_normals;
};

SignedMesh make_signed(const TriangleMesh& mesh) {
  SignedMesh result{make_surface_tree(mesh), {}};
  const SurfaceTree& tree = result.tree;
  result.vertex_normals.assign(tree.vertices.size(), Vector3d::Zero());
  for (size_t f = 0; f < tree.faces.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const Vector3d& a = tree.vertices[tree.faces[f][k]];
      const Vector3d u = (tree.vertices[tree.faces[f][(k + 1) % 3]] - a).normalized();
      const Vector3d v = (tree.vertices[tree.faces[f][(k + 2) % 3]] - a).normalized();
      const double angle = std::acos(std::clamp(u.dot(v), -1.0, 1.0));
      result.vertex_normals[tree.faces[f][k]] += angle * tree.normals[f];
    }
  }
  return result;
}

// The nearest point of a face; `normal` is that of the feature it lies on.
Vector3d nearest_point(const SignedMesh& mesh, int face, const Vector3d& p, Vector3d& normal) {
  const SurfaceTree& tree = mesh.tree;
  const Eigen::Vector3i& ids = tree.faces[face];
  const Vector3d& n = tree.normals[face];
  const Vector3d q = p - n.dot(p - tree.vertices[ids[0]]) * n;
  bool inside = true;
  double best = std::numeric_limits<double>::infinity();
  Vector3d nearest = q;
  for (int k = 0; k < 3; ++k) {
    const Vector3d& a = tree.vertices[ids[k]];
    const Vector3d d = tree.vertices[ids[(k + 1) % 3]] - a;
    if (n.cross(d).dot(q - a) >= 0) continue;
    inside = false;
    const double t = std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
    const double distance = (a + t * d - p).squaredNorm();
    if (distance >= best) continue;
    best = distance;
    nearest = a + t * d;
    normal = t == 0   ? mesh.vertex_normals[ids[k]]
             : t == 1 ? mesh.vertex_normals[ids[(k + 1) % 3]]
                      : Vector3d(n + tree.edges[face][k].normal);
  }
  if (inside) normal = n;
  return nearest;
}

// `bound` is an upper bound of the distance.
double signed_distance(const SignedMesh& mesh, const Vector3d& p, double bound) {
  double best = bound;
  double sign = 1;
  for_faces(
      mesh.tree,
      [&](const SurfaceTree::Ball& ball) { return (ball.center - p).norm() - ball.radius < best; },
      [&](int face, int) {
        Vector3d normal;
        const Vector3d x = nearest_point(mesh, face, p, normal);
        const double distance = (x - p).norm();
        if (distance >= best) return;
        best = distance;
        sign = normal.dot(p - x) < 0 ? -1 : 1;
      });
  return sign * best;
}

void fill(const TriangleMesh& mesh, DistanceGrid& grid) {
  const SignedMesh prepared = make_signed(mesh);
  const double infinity = std::numeric_limits<double>::infinity();
  const int layers = grid.nodes[2];
#pragma omp parallel for schedule(static)
  for (int z = 0; z < layers; ++z) {
    for (int y = 0; y < grid.nodes[1]; ++y) {
      double last = infinity;
      for (int x = 0; x < grid.nodes[0]; ++x) {
        const Vector3d p = grid.origin + grid.spacing * Vector3d(x, y, z);
        // The distance changes by at most one spacing from node to node.
        const double bound = std::abs(last) + 1.001 * grid.spacing;
        last = signed_distance(prepared, p, bound);
        grid.values[grid.index(x, y, z)] = last;
      }
    }
  }
}

// FNV-1a.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325u;
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t k = 0; k < size; ++k) value = (value ^ bytes[k]) * 0x100000001b3u;
  }
};

constexpr char kMagic[8] = {'s', 't', 's', 'd', 'f', '0', '0', '1'};

std::filesystem::path cache_file(const TriangleMesh& mesh, int resolution) {
  Hash hash;
  hash.add(kMagic, sizeof kMagic);
  hash.add(&resolution, sizeof resolution);
  hash.add(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vector3d));
  hash.add(mesh.triangles.data(), mesh.triangles.size() * sizeof(Eigen::Vector3i));
  std::filesystem::path folder;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    folder = cache;
  } else if (const char* home = std::getenv("HOME"); home && *home) {
    folder = std::filesystem::path(home) / ".cache";
  } else {
    return {};
  }
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.grid", static_cast<unsigned long long>(hash.value));
  return folder / "stiction" / "sdf" / name;
}

// False if there is no file or it is not whole.
bool read_cache(const std::filesystem::path& path, DistanceGrid& grid) {
  std::ifstream file(path, std::ios::binary);
  char magic[8];
  if (!file.read(magic, sizeof magic) || std::memcmp(magic, kMagic, sizeof magic) != 0)
    return false;
  const auto bytes = static_cast<std::streamsize>(grid.values.size() * sizeof(double));
  if (!file.read(reinterpret_cast<char*>(grid.values.data()), bytes)) return false;
  for (const double value : grid.values) {
    if (!std::isfinite(value)) return false;
  }
  return file.peek() == std::ifstream::traits_type::eof();
}

// A cache that cannot be written costs time, nothing else.
void write_cache(const std::filesystem::path& path, const DistanceGrid& grid) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::filesystem::path part = path.string() + ".part" + std::to_string(getpid());
  std::ofstream file(part, std::ios::binary);
  file.write(kMagic, sizeof kMagic);
  file.write(reinterpret_cast<const char*>(grid.values.data()),
             static_cast<std::streamsize>(grid.values.size() * sizeof(double)));
  file.close();
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) std::filesystem::remove(part, error);
}

}  // namespace

void check_closed(const TriangleMesh& mesh) {
  if (open_edges(mesh) > 0) throw InputError("mesh '" + mesh.name + "': " + mesh_fault(mesh));
}

DistanceGrid bake(const TriangleMesh& mesh, int resolution) {
  check_mesh(mesh);
  const Bounds bounds = bounds_of(mesh);
  const Vector3d size = bounds.upper - bounds.lower;
  check_closed(mesh);
  mesh_volume_properties(mesh, MeshInertia::kExact);  // refuses what encloses nothing
  DistanceGrid grid;
  grid.spacing = size.maxCoeff() / resolution;
  const Eigen::Vector3i cells = (size / grid.spacing).array().ceil().cast<int>();
  grid.nodes = cells + Eigen::Vector3i::Constant(7);
  grid.origin = (bounds.lower + bounds.upper) / 2 -
                0.5 * grid.spacing * (grid.nodes.cast<double>() - Vector3d::Ones());
  grid.values.resize(static_cast<size_t>(grid.nodes[0]) * grid.nodes[1] * grid.nodes[2]);
  const std::filesystem::path path = cache_file(mesh, resolution);
  if (!path.empty() && read_cache(path, grid)) return grid;
  fill(mesh, grid);
  if (!path.empty()) write_cache(path, grid);
  return grid;
}

}  // namespace stiction
