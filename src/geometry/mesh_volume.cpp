#include <stiction/error.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "geometry/mesh.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Below this share of the cube on its largest extent a mesh counts as flat: rounding of the sums
// stays under 1e-14, the thinnest real parts above 1e-9.
constexpr double kFlatMesh = 1e-12;
constexpr double kWidest = 1e9;  // m

struct Moments {
  double mass = 0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
};

double largest_extent(const TriangleMesh& mesh) {
  Vector3d low = mesh.vertices.front();
  Vector3d high = low;
  for (const Vector3d& p : mesh.vertices) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).maxCoeff();
}

/// Of the tetrahedra between the triangles and the apex, about the apex.
Moments solid_moments(const TriangleMesh& mesh, const Vector3d& apex, bool absolute) {
  Moments sum;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Vector3d a = mesh.vertices[t[0]] - apex;
    const Vector3d b = mesh.vertices[t[1]] - apex;
    const Vector3d d = mesh.vertices[t[2]] - apex;
    const Vector3d s = a + b + d;
    const double signed_volume = a.dot(b.cross(d)) / 6;
    const double volume = absolute ? std::abs(signed_volume) : signed_volume;
    sum.mass += volume;
    sum.first += volume / 4 * s;
    sum.second += volume / 20 *
                  (a * a.transpose() + b * b.transpose() + d * d.transpose() + s * s.transpose());
  }
  return sum;
}

/// Of the triangles themselves at 1 kg/m^2, about the origin given.
Moments surface_moments(const TriangleMesh& mesh, const Vector3d& origin) {
  Moments sum;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    const Vector3d a = mesh.vertices[t[0]] - origin;
    const Vector3d b = mesh.vertices[t[1]] - origin;
    const Vector3d d = mesh.vertices[t[2]] - origin;
    const Vector3d s = a + b + d;
    const double area = (b - a).cross(d - a).norm() / 2;
    sum.mass += area;
    sum.first += area / 3 * s;
    sum.second +=
        area / 12 * (a * a.transpose() + b * b.transpose() + d * d.transpose() + s * s.transpose());
  }
  return sum;
}

Matrix3d inertia_of(const Matrix3d& second) {
  return second.trace() * Matrix3d::Identity() - second;
}

/// `moments` are about `origin`; the inertia moves to the centre by the parallel axis theorem.
VolumeProperties about_center(const Moments& moments, const Vector3d& origin) {
  const Vector3d offset = moments.first / moments.mass;
  return {moments.mass, origin + offset,
          inertia_of(moments.second - moments.mass * offset * offset.transpose())};
}

void require_volume(const TriangleMesh& mesh, double volume, double smallest) {
  if (!(std::abs(volume) > smallest)) {
    throw InputError("mesh '" + mesh.name + "': no volume (" + std::to_string(volume) +
                     " m^3), it is flat or empty");
  }
}

VolumeProperties exact_properties(const TriangleMesh& mesh, const Vector3d& apex, double smallest) {
  const Moments moments = solid_moments(mesh, apex, false);
  require_volume(mesh, moments.mass, smallest);
  if (moments.mass < 0) {
    throw InputError("mesh '" + mesh.name + "': volume " + std::to_string(moments.mass) +
                     " m^3 is negative, the mesh is inside out");
  }
  return about_center(moments, apex);
}

VolumeProperties legacy_properties(const TriangleMesh& mesh, const Vector3d& surface_center,
                                   double smallest) {
  const Moments rough = solid_moments(mesh, surface_center, true);
  require_volume(mesh, rough.mass, smallest);
  const Vector3d center = surface_center + rough.first / rough.mass;
  const Moments moments = solid_moments(mesh, center, true);
  require_volume(mesh, moments.mass, smallest);
  return {moments.mass, center, inertia_of(moments.second)};
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

int open_edges(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> runs;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      if (a < b) ++runs[{a, b}];
      if (b < a) --runs[{b, a}];
    }
  }
  return static_cast<int>(
      std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.second != 0; }));
}

std::string mesh_fault(const TriangleMesh& mesh) {
  if (const int open = open_edges(mesh); open > 0) {
    return "not closed, " + std::to_string(open) +
           " edges have no neighbour that runs the other way";
  }
  const double volume = solid_moments(mesh, mesh.vertices.front(), false).mass;
  return volume < 0 ? "inside out, its volume is " + number_text(volume) + " m^3" : "";
}

void check_mesh(const TriangleMesh& mesh) {
  for (const Vector3d& p : mesh.vertices) {
    if (!p.allFinite()) throw InputError("mesh '" + mesh.name + "': a vertex is not finite");
  }
  if (const double extent = mesh.vertices.empty() ? 0 : largest_extent(mesh); extent > kWidest) {
    throw InputError("mesh '" + mesh.name + "': " + number_text(extent) +
                     " m wide, expected at most 1e9 m");
  }
  const int count = static_cast<int>(mesh.vertices.size());
  for (const Eigen::Vector3i& t : mesh.triangles) {
    if (t.minCoeff() < 0 || t.maxCoeff() >= count) {
      throw InputError("mesh '" + mesh.name + "': a triangle refers to vertex " +
                       std::to_string(t.minCoeff() < 0 ? t.minCoeff() : t.maxCoeff()) + " of " +
                       std::to_string(count));
    }
  }
}

VolumeProperties mesh_volume_properties(const TriangleMesh& mesh, MeshInertia method) {
  check_mesh(mesh);
  if (mesh.triangles.empty()) throw InputError("mesh '" + mesh.name + "': no triangles");
  if (method == MeshInertia::kConvex) {
    return mesh_volume_properties(convex_hull(mesh), MeshInertia::kExact);
  }
  const double extent = largest_extent(mesh);
  const Vector3d origin = mesh.vertices[mesh.triangles[0][0]];
  const Moments surface = surface_moments(mesh, origin);
  if (!(surface.mass > kFlatMesh * extent * extent)) {
    throw InputError("mesh '" + mesh.name + "': its triangles have no area");
  }
  const Vector3d surface_center = origin + surface.first / surface.mass;
  const double smallest = kFlatMesh * extent * extent * extent;

  VolumeProperties result;
  if (method == MeshInertia::kShell) {
    result = about_center(surface, origin);
  } else if (method == MeshInertia::kExact) {
    result = exact_properties(mesh, surface_center, smallest);
  } else {
    result = legacy_properties(mesh, surface_center, smallest);
  }
  if (!std::isfinite(result.volume) || !result.center.allFinite() || !result.inertia.allFinite()) {
    throw InputError("mesh '" + mesh.name + "': too large, its inertia is not finite");
  }
  return result;
}

}  // namespace stiction
