#include "geometry/features.h"

#include <Eigen/Geometry>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Vector3d;
using Kind = ConvexCore::Kind;

int largest_axis(const Vector3d& n) {
  int axis;
  n.cwiseAbs().maxCoeff(&axis);
  return axis;
}

// Unit vector within the discs along n's part there; fixed in the body when n has next to none.
Vector3d radial_direction(const Vector3d& n) {
  const double rho = std::sqrt(n[0] * n[0] + n[1] * n[1]);
  return rho > 1e-6 ? Vector3d(n[0] / rho, n[1] / rho, 0) : Vector3d::UnitX();
}

int hull_face(const ConvexHull& hull, const Vector3d& n, int vertex) {
  int best = -1;
  double cosine = -2;
  for (int k = hull.faces.start[vertex]; k < hull.faces.start[vertex + 1]; ++k) {
    const int face = hull.faces.items[k];
    const double value = n.dot(hull.normals[face]);
    if (value <= cosine) continue;
    cosine = value;
    best = face;
  }
  return best;
}

// The neighbour whose edge is closest to a right angle with n, and the sine of what is missing.
int level_neighbor(const ConvexHull& hull, const Vector3d& n, int vertex, double& sine) {
  int best = vertex;
  sine = 2;
  for (int k = hull.neighbors.start[vertex]; k < hull.neighbors.start[vertex + 1]; ++k) {
    const int other = hull.neighbors.items[k];
    const double value =
        std::abs(n.dot((hull.vertices[other] - hull.vertices[vertex]).normalized()));
    if (value >= sine) continue;
    sine = value;
    best = other;
  }
  return best;
}

}  // namespace

int aligned_face(const ConvexCore& core, const Vector3d& n, int vertex) {
  switch (core.kind) {
    case Kind::kBox: {
      const int axis = largest_axis(n);
      return 2 * axis + (n[axis] > 0);
    }
    case Kind::kCylinder:
      return std::abs(n[2]) > 0.7 ? 4 + (n[2] > 0) : -1;
    case Kind::kHull:
      return hull_face(*core.hull, n, vertex);
    default:
      return -1;
  }
}

Vector3d face_normal(const ConvexCore& core, int face) {
  if (core.kind == Kind::kHull) return core.hull->normals[face];
  return (face % 2 ? 1 : -1) * Vector3d::Unit(face / 2);
}

void face_ring(const ConvexCore& core, int face, const Vector3d& lowest, Ring& ring) {
  ring.count = 0;
  ring.face = static_cast<std::uint32_t>(face);
  const double side = face % 2 ? 1 : -1;
  if (core.kind == Kind::kHull) {
    const int begin = core.hull->rings.start[face];
    const int count = core.hull->rings.start[face + 1] - begin;
    for (int k = 0; k < count; ++k) {
      const auto name = static_cast<std::uint32_t>(k);
      ring.add(core.hull->vertices[core.hull->rings.items[begin + k]], name, name);
    }
  } else if (core.kind == Kind::kBox) {
    const int u = (face / 2 + 1) % 3;
    const int w = (face / 2 + 2) % 3;
    for (std::uint32_t k = 0; k < 4; ++k) {
      Vector3d p = side * core.size;
      p[u] = (k == 0 || k == 3 ? 1 : -1) * core.size[u];
      p[w] = side * (k < 2 ? 1 : -1) * core.size[w];
      ring.add(p, k, k);
    }
  } else {
    const Vector3d x = core.size[0] * radial_direction(lowest);
    const Vector3d y = side * Vector3d::UnitZ().cross(x);
    for (std::uint32_t k = 0; k < 8; ++k) {
      const double angle = k * M_PI / 4;
      ring.add(side * core.size[2] * Vector3d::UnitZ() + std::cos(angle) * x + std::sin(angle) * y,
               k, k);
    }
  }
}

void facing_ring(const ConvexCore& core, const Vector3d& n, int vertex, Ring& ring) {
  if (const int face = aligned_face(core, n, vertex); face >= 0) {
    face_ring(core, face, n, ring);
    return;
  }
  ring.count = 0;
  ring.face = 0;
  if (core.kind == Kind::kSegment || core.kind == Kind::kCylinder) {
    const Vector3d radial = core.size[0] * radial_direction(n);
    ring.add(radial + core.size[2] * Vector3d::UnitZ(), 0, 0);
    ring.add(radial - core.size[2] * Vector3d::UnitZ(), 1, 1);
  } else {
    ring.add(support(core, n, vertex), 0, 0);
  }
}

bool supporting_segment(const ConvexCore& core, const Vector3d& n, int vertex, double tolerance,
                        std::array<Vector3d, 2>& ends) {
  switch (core.kind) {
    case Kind::kSegment:
    case Kind::kCylinder: {
      const Vector3d radial = core.size[0] * radial_direction(n);
      ends = {radial - core.size[2] * Vector3d::UnitZ(), radial + core.size[2] * Vector3d::UnitZ()};
      return std::abs(n[2]) < tolerance && core.size[2] > 0;
    }
    case Kind::kBox: {
      int axis;
      if (n.cwiseAbs().minCoeff(&axis) >= tolerance) return false;
      ends[0] = ends[1] = support(core, n, vertex);
      ends[0][axis] = -core.size[axis];
      ends[1][axis] = core.size[axis];
      return true;
    }
    case Kind::kHull: {
      double sine;
      const int other = level_neighbor(*core.hull, n, vertex, sine);
      ends = {core.hull->vertices[vertex], core.hull->vertices[other]};
      return sine < tolerance;
    }
    default:
      return false;
  }
}

}  // namespace stiction
