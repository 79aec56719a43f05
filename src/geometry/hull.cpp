#include "geometry/hull.h"

#include <stiction/error.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "geometry/collide.h"
#include "geometry/mesh.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3i;

// Triangles this far from a plane, relative to the size of the mesh, still belong to one face:
// above the rounding of meshes stored in single precision.
constexpr double kFlatFace = 1e-6;
// Beyond these, products of lengths under- or overflow.
constexpr double kSmallest = 1e-50;
constexpr double kLargest = 2e9;  // across: check_mesh goes by the axes
// Scanning fewer vertices than this is faster than walking.
constexpr int kFewVertices = 32;

IndexLists pack(const std::vector<std::vector<int>>& lists) {
  IndexLists packed;
  packed.start.push_back(0);
  for (const std::vector<int>& list : lists) {
    packed.items.insert(packed.items.end(), list.begin(), list.end());
    packed.start.push_back(static_cast<int>(packed.items.size()));
  }
  return packed;
}

void add_unique(std::vector<int>& list, int item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

Vector3d scaled_normal(const TriangleMesh& mesh, const Vector3i& t) {
  const Vector3d& a = mesh.vertices[t[0]];
  return (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a);
}

// Counter-clockwise about n.
void sort_around(const std::vector<Vector3d>& vertices, const Vector3d& n, std::vector<int>& ring) {
  Vector3d center = Vector3d::Zero();
  for (int v : ring) center += vertices[v] / static_cast<double>(ring.size());
  const Vector3d x = n.unitOrthogonal();
  const Vector3d y = n.cross(x);
  const auto angle = [&](int v) {
    return std::atan2(y.dot(vertices[v] - center), x.dot(vertices[v] - center));
  };
  std::sort(ring.begin(), ring.end(), [&](int a, int b) { return angle(a) < angle(b); });
}

void thin(std::vector<int>& ring) {
  const size_t count = ring.size();
  if (count <= kMaxRing) return;
  for (size_t k = 0; k < kMaxRing; ++k) ring[k] = ring[k * count / kMaxRing];
  ring.resize(kMaxRing);
}

// Grows faces from the largest triangles, whose normals are the most exact.
class FaceMerger {
 public:
  explicit FaceMerger(const TriangleMesh& mesh, double size)
      : mesh_(mesh), tolerance_(kFlatFace * size), used_(mesh.triangles.size(), false) {
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        const Vector3i& triangle = mesh.triangles[t];
        across_[{triangle[k], triangle[(k + 1) % 3]}] = static_cast<int>(t);
      }
    }
  }

  void run(std::vector<Vector3d>& normals, std::vector<std::vector<int>>& rings) {
    std::vector<int> order(mesh_.triangles.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> area;
    for (const Vector3i& t : mesh_.triangles) area.push_back(scaled_normal(mesh_, t).norm());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return area[a] > area[b]; });
    for (int seed : order) {
      if (used_[seed] || !(area[seed] > 0)) continue;
      normals.push_back(scaled_normal(mesh_, mesh_.triangles[seed]) / area[seed]);
      rings.push_back(grow(seed, normals.back()));
    }
  }

 private:
  std::vector<int> grow(int seed, const Vector3d& n) {
    std::vector<int> ring;
    std::vector<int> stack{seed};
    const double offset = n.dot(mesh_.vertices[mesh_.triangles[seed][0]]);
    used_[seed] = true;
    while (!stack.empty()) {
      const Vector3i triangle = mesh_.triangles[stack.back()];
      stack.pop_back();
      for (int k = 0; k < 3; ++k) {
        add_unique(ring, triangle[k]);
        const auto twin = across_.find({triangle[(k + 1) % 3], triangle[k]});
        if (twin == across_.end() || used_[twin->second] || !flat(twin->second, n, offset))
          continue;
        used_[twin->second] = true;
        stack.push_back(twin->second);
      }
    }
    sort_around(mesh_.vertices, n, ring);
    return ring;
  }

  bool flat(int t, const Vector3d& n, double offset) const {
    for (int k = 0; k < 3; ++k) {
      const Vector3d& p = mesh_.vertices[mesh_.triangles[t][k]];
      if (std::abs(n.dot(p) - offset) > tolerance_) return false;
    }
    return true;
  }

  const TriangleMesh& mesh_;
  double tolerance_;
  std::vector<bool> used_;
  std::map<std::pair<int, int>, int> across_;  // triangle left of a directed edge
};

}  // namespace

ConvexHull make_collision_hull(const TriangleMesh& mesh) {
  const TriangleMesh triangles = convex_hull(mesh);
  ConvexHull hull;
  hull.vertices = triangles.vertices;
  const size_t count = hull.vertices.size();
  double size = 0;
  for (const Vector3d& v : hull.vertices) {
    hull.center += v / static_cast<double>(count);
    hull.radius = std::max(hull.radius, v.norm());
    size = std::max(size, (v - hull.vertices.front()).norm());
  }
  if (!(size > kSmallest && size < kLargest)) {
    throw InputError("mesh '" + mesh.name + "': " + number_text(size) +
                     " m wide, expected 1e-50 to 1e9 m");
  }
  std::vector<std::vector<int>> neighbors(count);
  for (const Vector3i& t : triangles.triangles) {
    for (int k = 0; k < 3; ++k) {
      add_unique(neighbors[t[k]], t[(k + 1) % 3]);
      add_unique(neighbors[t[k]], t[(k + 2) % 3]);
    }
  }
  std::vector<std::vector<int>> rings;
  FaceMerger(triangles, size).run(hull.normals, rings);
  std::vector<std::vector<int>> faces(count);
  for (size_t f = 0; f < rings.size(); ++f) {
    for (int v : rings[f]) faces[v].push_back(static_cast<int>(f));
    thin(rings[f]);
  }
  hull.neighbors = pack(neighbors);
  hull.rings = pack(rings);
  hull.faces = pack(faces);
  return hull;
}

int furthest_vertex(const ConvexHull& hull, const Vector3d& d, int start) {
  int best = start;
  double reach = d.dot(hull.vertices[best]);
  const auto improve = [&](int v) {
    const double value = d.dot(hull.vertices[v]);
    if (!(value > reach)) return;  // a NaN improves nothing, or this would never end
    reach = value;
    best = v;
  };
  const int count = static_cast<int>(hull.vertices.size());
  if (count <= kFewVertices) {
    for (int v = 0; v < count; ++v) improve(v);
    return best;
  }
  // On a convex surface a vertex with no better neighbour is the best.
  for (int from = -1; from != best;) {
    from = best;
    for (int k = hull.neighbors.start[from]; k < hull.neighbors.start[from + 1]; ++k) {
      improve(hull.neighbors.items[k]);
    }
  }
  return best;
}

}  // namespace stiction
