#include "geometry/surface_tree.h"

#include <stiction/error.h>
#include <stiction/sdf.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "geometry/mesh.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Vector6d = Eigen::Matrix<double, 6, 1>;

struct Face {
  Eigen::Vector3i corners;
  Vector3d normal;
  Vector6d key;  // centre, and the normal as a length
};

std::vector<Face> usable_faces(const TriangleMesh& mesh) {
  std::vector<Face> faces;
  double area = 0;
  Vector3d low = mesh.vertices.front(), high = low;
  for (const Vector3d& p : mesh.vertices) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double smallest = 1e-16 * (high - low).squaredNorm();
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Vector3d& a = mesh.vertices[t[0]];
    const Vector3d& b = mesh.vertices[t[1]];
    const Vector3d& c = mesh.vertices[t[2]];
    const Vector3d cross = (b - a).cross(c - a);
    const double twice = cross.norm();
    if (!(twice > smallest)) continue;
    area += twice / 2;
    Face face{t, cross / twice, {}};
    face.key.head<3>() = (a + b + c) / 3;
    faces.push_back(face);
  }
  // A right angle counts as much as the size of one of 120 patches of the surface.
  const double weight = std::sqrt(area / 120);
  for (Face& face : faces) face.key.tail<3>() = weight * face.normal;
  return faces;
}

// Sorts [begin, end) so that every patch of every level below is a range of it.
void split(std::vector<Face>& faces, const SurfaceTree& tree, int level, int node) {
  if (level == tree.levels) return;
  const auto at = [&](int l, int n) {
    return faces.begin() +
           static_cast<std::ptrdiff_t>((static_cast<long long>(faces.size()) * n) >> l);
  };
  const auto begin = at(level, node), end = at(level, node + 1);
  const auto middle = at(level + 1, 2 * node + 1);
  if (begin == end) return;
  Vector6d low = begin->key, high = low;
  for (auto it = begin; it != end; ++it) {
    low = low.cwiseMin(it->key);
    high = high.cwiseMax(it->key);
  }
  Eigen::Index axis;
  (high - low).maxCoeff(&axis);
  std::stable_sort(begin, end,
                   [axis](const Face& a, const Face& b) { return a.key[axis] < b.key[axis]; });
  if (middle == begin || middle == end) return;
  split(faces, tree, level + 1, 2 * node);
  split(faces, tree, level + 1, 2 * node + 1);
}

SurfaceTree::Ball ball_around(const SurfaceTree& tree, int begin, int end) {
  if (begin == end) return {Vector3d::Zero(), -std::numeric_limits<double>::infinity()};
  Vector3d low = tree.vertices[tree.faces[begin][0]], high = low;
  for (int f = begin; f < end; ++f) {
    for (const int v : tree.faces[f]) {
      low = low.cwiseMin(tree.vertices[v]);
      high = high.cwiseMax(tree.vertices[v]);
    }
  }
  SurfaceTree::Ball ball{(low + high) / 2, 0};
  for (int f = begin; f < end; ++f) {
    for (const int v : tree.faces[f]) {
      ball.radius = std::max(ball.radius, (tree.vertices[v] - ball.center).norm());
    }
  }
  return ball;
}

// Neighbours share two vertices; a surface that branches there counts as a border.
void connect(SurfaceTree& tree) {
  std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> sides;
  tree.edges.resize(tree.faces.size());
  for (int f = 0; f < static_cast<int>(tree.faces.size()); ++f) {
    for (int k = 0; k < 3; ++k) {
      sides[std::minmax(tree.faces[f][k], tree.faces[f][(k + 1) % 3])].push_back({f, k});
    }
  }
  for (const auto& [ends, found] : sides) {
    if (found.size() != 2) continue;
    for (int s = 0; s < 2; ++s) {
      const auto [f, k] = found[s];
      const auto [g, m] = found[1 - s];
      const Vector3d opposite = tree.vertices[tree.faces[g][(m + 2) % 3]];
      const double height = tree.normals[f].dot(opposite - tree.vertices[ends.first]);
      tree.edges[f][k] = {g, height < -1e-9 * tree.radius, tree.normals[g]};
    }
  }
}

void set_leads(SurfaceTree& tree) {
  Vector3d middle = Vector3d::Zero();
  for (const Vector3d& p : tree.vertices) middle += p / static_cast<double>(tree.vertices.size());
  const double mean_size = std::accumulate(tree.sizes.begin(), tree.sizes.end(), 0.0) /
                           static_cast<double>(tree.sizes.size());
  double share = 0;  // multiples of the golden section fill [0, 1) evenly, neighbours far apart
  for (const Vector3d& p : tree.vertices) {
    share += std::numbers::phi;
    share -= std::floor(share);
    tree.leads.push_back(5e-5 * ((p - middle).norm() + 2 * mean_size * share));
  }
}

// Vertices in the order in which the faces come to them, so that a patch's are side by side in
// memory. Those of no face are left out.
void sort_vertices(SurfaceTree& tree) {
  std::vector<int> places(tree.vertices.size(), -1);
  std::vector<Vector3d> vertices;
  std::vector<double> leads;
  for (Eigen::Vector3i& face : tree.faces) {
    for (int& v : face) {
      if (places[v] < 0) {
        places[v] = static_cast<int>(vertices.size());
        vertices.push_back(tree.vertices[v]);
        leads.push_back(tree.leads[v]);
      }
      v = places[v];
    }
  }
  tree.vertices = std::move(vertices);
  tree.leads = std::move(leads);
}

}  // namespace

SurfaceTree make_surface_tree(const TriangleMesh& mesh) {
  check_mesh(mesh);
  if (mesh.vertices.empty() || mesh.triangles.empty()) {
    throw InputError("mesh '" + mesh.name + "': no triangles");
  }
  std::vector<Face> faces = usable_faces(mesh);
  if (faces.empty()) throw InputError("mesh '" + mesh.name + "': its triangles have no area");
  SurfaceTree tree;
  tree.vertices = mesh.vertices;
  for (const Vector3d& p : tree.vertices) tree.radius = std::max(tree.radius, p.norm());
  if (!std::isfinite(tree.radius * tree.radius)) {
    throw InputError("mesh '" + mesh.name + "': too large");
  }
  while ((faces.size() >> tree.levels) > 4) ++tree.levels;
  split(faces, tree, 0, 0);
  for (const Face& face : faces) {
    tree.faces.push_back(face.corners);
    tree.normals.push_back(face.normal);
    double size = 0;
    for (const int v : face.corners) {
      size = std::max(size, (tree.vertices[v] - face.key.head<3>()).norm());
    }
    tree.sizes.push_back(size);
  }
  for (int level = 0; level <= tree.levels; ++level) {
    for (int node = 0; node < 1 << level; ++node) {
      tree.balls.push_back(
          ball_around(tree, tree.patch_begin(level, node), tree.patch_begin(level, node + 1)));
    }
  }
  connect(tree);
  set_leads(tree);
  sort_vertices(tree);
  return tree;
}

namespace {

// How far the solid goes on beyond sharp edges of faces, see SurfaceTree.
void set_beyond(SurfaceTree& tree, const Sdf& sdf) {
  std::vector<double> of_vertex(tree.vertices.size(), 0);
  for (size_t f = 0; f < tree.faces.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const SurfaceTree::Edge& edge = tree.edges[f][k];
      if (edge.neighbor < 0 || edge.normal.dot(tree.normals[f]) > 0.8) continue;
      const int start = tree.faces[f][k], end = tree.faces[f][(k + 1) % 3];
      const Vector3d &p = tree.vertices[start], &q = tree.vertices[end];
      const Vector3d outward = (q - p).cross(tree.normals[f]).normalized();
      double furthest = 0;
      Vector3d ignored;
      for (double step = 1e-6 * tree.sizes[f]; step < tree.sizes[f]; step *= 1.5) {
        if (sdf.distance((p + q) / 2 + step * outward, ignored) > 0.5 * step) break;
        furthest = 1.5 * step;
      }
      of_vertex[start] = std::max(of_vertex[start], furthest);
      of_vertex[end] = std::max(of_vertex[end], furthest);
    }
  }
  for (const Eigen::Vector3i& face : tree.faces) {
    tree.beyond.push_back(std::max({of_vertex[face[0]], of_vertex[face[1]], of_vertex[face[2]]}));
  }
}

}  // namespace

SurfaceTree make_surface_tree(const Sdf& sdf) {
  SurfaceTree tree = make_surface_tree(sdf.surface);
  Vector3d gradient;
  for (const Eigen::Vector3i& face : tree.faces) {
    Vector3d middle = Vector3d::Zero();
    double sag = 0;
    for (int k = 0; k < 3; ++k) {
      const Vector3d& p = tree.vertices[face[k]];
      middle += p / 3;
      const Vector3d between = (p + tree.vertices[face[(k + 1) % 3]]) / 2;
      sag = std::max(sag, std::abs(sdf.distance(between, gradient)));
    }
    const double distance = sdf.distance(middle, gradient);
    tree.middle_distances.push_back(distance);
    tree.middle_gradients.push_back(gradient);
    tree.sag.push_back(1.2 * std::max(sag, std::abs(distance)));
  }
  set_beyond(tree, sdf);
  for (const Vector3d& vertex : tree.vertices) {
    sdf.distance(vertex, gradient);
    tree.gradients.push_back(gradient);
  }
  for (int level = 0; level <= tree.levels; ++level) {
    for (int node = 0; node < 1 << level; ++node) {
      double largest = 0;
      for (int f = tree.patch_begin(level, node); f < tree.patch_begin(level, node + 1); ++f) {
        largest = std::max(largest, tree.sag[f]);
      }
      tree.balls[(1 << level) - 1 + node].radius += largest;
    }
  }
  return tree;
}

}  // namespace stiction
