#include "geometry/sdf/contour.h"

#include <stiction/error.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>

#include "geometry/mesh.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3i;

// The six paths from corner 0 to corner 7 of a cell along its axes: corners are bits x, y, z.
constexpr int kTetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                   {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

class Contour {
 public:
  Contour(const DistanceFunction& distance, const Bounds& bounds, double edge,
          const Vector3i& cells)
      : distance_(distance), edge_(edge), nodes_(cells + Vector3i::Ones()), origin_(bounds.lower) {
    values_.resize(static_cast<size_t>(nodes_[0]) * nodes_[1] * nodes_[2]);
    Vector3d gradient;
    for (size_t k = 0; k < values_.size(); ++k) {
      values_[k] = distance(position(k), gradient);
      if (values_[k] == 0) values_[k] = 1e-300;  // a node on the surface counts as outside
    }
  }

  TriangleMesh run() {
    for (int z = 0; z + 1 < nodes_[2]; ++z) {
      for (int y = 0; y + 1 < nodes_[1]; ++y) {
        for (int x = 0; x + 1 < nodes_[0]; ++x) add_cell(x, y, z);
      }
    }
    return std::move(mesh_);
  }

 private:
  size_t node(int x, int y, int z) const {
    return (static_cast<size_t>(z) * nodes_[1] + y) * nodes_[0] + x;
  }
  Vector3d position(size_t k) const {
    const size_t row = k / nodes_[0];
    return origin_ + edge_ * Vector3d(static_cast<double>(k % nodes_[0]),
                                      static_cast<double>(row % nodes_[1]),
                                      static_cast<double>(row / nodes_[1]));
  }

  void add_cell(int x, int y, int z) {
    std::array<size_t, 8> corners;
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
      corners[c] = node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
      inside += values_[corners[c]] < 0;
    }
    if (inside == 0 || inside == 8) return;
    for (const auto& t : kTetrahedra) {
      add_tetrahedron({corners[t[0]], corners[t[1]], corners[t[2]], corners[t[3]]});
    }
  }

  void add_tetrahedron(const std::array<size_t, 4>& corners) {
    std::array<size_t, 4> in, out;
    int n_in = 0, n_out = 0;
    for (const size_t c : corners) (values_[c] < 0 ? in[n_in++] : out[n_out++]) = c;
    if (n_in == 0 || n_out == 0) return;
    const Vector3d outward = position(out[0]) - position(in[0]);
    if (n_in == 1) {
      add({cut(in[0], out[0]), cut(in[0], out[1]), cut(in[0], out[2])}, outward);
    } else if (n_out == 1) {
      add({cut(in[0], out[0]), cut(in[1], out[0]), cut(in[2], out[0])}, outward);
    } else {
      const int a = cut(in[0], out[0]), b = cut(in[0], out[1]);
      const int c = cut(in[1], out[1]), d = cut(in[1], out[0]);
      add({a, b, c}, outward);
      add({a, c, d}, outward);
    }
  }

  // Turned outwards as the middles of the cell's edges are, which never shrink to a point.
  void add(Vector3i triangle, const Vector3d& outward) {
    const Vector3d& a = middles_[triangle[0]];
    const Vector3d normal = (middles_[triangle[1]] - a).cross(middles_[triangle[2]] - a);
    if (normal.dot(outward) < 0) std::swap(triangle[1], triangle[2]);
    mesh_.triangles.push_back(triangle);
  }

  int cut(size_t in, size_t out) {
    const auto [it, added] =
        cuts_.try_emplace(std::minmax(in, out), static_cast<int>(mesh_.vertices.size()));
    if (added) {
      mesh_.vertices.push_back(zero_between(position(in), position(out)));
      middles_.push_back((position(in) + position(out)) / 2);
    }
    return it->second;
  }

  // By halving: the zero lies on the cell's edge, whatever kinks the distance has nearby.
  Vector3d zero_between(Vector3d in, Vector3d out) const {
    Vector3d gradient;
    for (int k = 0; k < 50; ++k) {
      const Vector3d middle = (in + out) / 2;
      (distance_(middle, gradient) < 0 ? in : out) = middle;
    }
    return (in + out) / 2;
  }

  const DistanceFunction& distance_;
  double edge_;
  Vector3i nodes_;
  Vector3d origin_;
  std::vector<double> values_;
  std::map<std::pair<size_t, size_t>, int> cuts_;
  std::vector<Vector3d> middles_;  // of the edges that are cut, per vertex
  TriangleMesh mesh_;
};

}  // namespace

Bounds bounds_of(const TriangleMesh& mesh) {
  Bounds bounds;
  if (mesh.vertices.empty()) return bounds;
  bounds = {mesh.vertices[0], mesh.vertices[0]};
  for (const Vector3d& p : mesh.vertices) {
    bounds.lower = bounds.lower.cwiseMin(p);
    bounds.upper = bounds.upper.cwiseMax(p);
  }
  return bounds;
}

void move_to_zero(const DistanceFunction& distance, Vector3d& p) {
  Vector3d gradient;
  for (int k = 0; k < 8; ++k) {
    const double d = distance(p, gradient);
    if (d == 0 || !(gradient.squaredNorm() > 0)) return;
    p -= d / gradient.squaredNorm() * gradient;
  }
}

TriangleMesh contour(const std::string& name, const DistanceFunction& distance,
                     const Bounds& bounds, double edge) {
  const Vector3d size = bounds.upper - bounds.lower;
  if (!(edge > 0) || !((size / edge).prod() < 256.0 * 256 * 256)) {
    throw InputError("sdf '" + name + "': edge " + number_text(edge) +
                     " m is too small for its size, or not positive");
  }
  const Bounds wider{bounds.lower - Vector3d::Constant(1.5 * edge), bounds.upper};
  const Vector3i cells = ((size / edge).array().ceil() + 3).cast<int>();
  TriangleMesh mesh = Contour(distance, wider, edge, cells).run();
  if (mesh.triangles.empty()) {
    throw InputError("sdf '" + name + "': no surface found with edge " + number_text(edge) + " m");
  }
  mesh.name = name;
  return mesh;
}

}  // namespace stiction
