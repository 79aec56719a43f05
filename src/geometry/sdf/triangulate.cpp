#include "geometry/sdf/triangulate.h"

#include <stiction/error.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <tuple>

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

int pieces(double length, double edge) {
  return std::max(1, static_cast<int>(std::ceil(length / edge - 1e-9)));
}

// One grid per face; vertices on edges and corners are shared.
TriangleMesh triangulate_box(const Vector3d& half, double edge) {
  TriangleMesh mesh;
  const Eigen::Vector3i cells(pieces(2 * half.x(), edge), pieces(2 * half.y(), edge),
                              pieces(2 * half.z(), edge));
  std::map<std::tuple<int, int, int>, int> index;
  const auto vertex = [&](const Eigen::Vector3i& k) {
    const auto [it, added] =
        index.try_emplace({k[0], k[1], k[2]}, static_cast<int>(mesh.vertices.size()));
    if (added) {
      const Vector3d share = k.cast<double>().cwiseQuotient(cells.cast<double>());
      mesh.vertices.push_back(half.cwiseProduct(2 * share - Vector3d::Ones()));
    }
    return it->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < cells[u]; ++i) {
        for (int j = 0; j < cells[v]; ++j) {
          Eigen::Vector3i k = Eigen::Vector3i::Zero();
          k[axis] = side * cells[axis];
          const auto corner = [&](int di, int dj) {
            k[u] = i + di;
            k[v] = j + dj;
            return vertex(k);
          };
          const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          mesh.triangles.emplace_back(a, side ? b : c, side ? c : b);
          mesh.triangles.emplace_back(a, side ? c : d, side ? d : c);
        }
      }
    }
  }
  return mesh;
}

}  // namespace

void check_faces(const std::string& where, double count) {
  constexpr double kMost = 4e6;
  if (count <= kMost) return;
  char text[100];
  std::snprintf(text, sizeof text, " would make %.2g triangles of its surface, expected at most %g",
                count, kMost);
  throw InputError(where + text);
}

void add_line(std::vector<Vector2d>& outline, const Vector2d& end, double edge) {
  const Vector2d start = outline.back();
  const int count = pieces((end - start).norm(), edge);
  for (int k = 1; k <= count; ++k) outline.push_back(start + (end - start) * k / count);
}

void add_arc(std::vector<Vector2d>& outline, const Vector2d& center, double radius, double from,
             double to, double step) {
  const int count = pieces(std::abs(to - from), step);
  for (int k = 0; k <= count; ++k) {
    const double angle = from + (to - from) * k / count;
    outline.push_back(center + radius * Vector2d(std::cos(angle), std::sin(angle)));
  }
}

TriangleMesh revolve(const std::vector<Vector2d>& outline, int sectors) {
  TriangleMesh mesh;
  std::vector<int> first;  // vertex of each row; rows on the axis have one
  for (const Vector2d& point : outline) {
    first.push_back(static_cast<int>(mesh.vertices.size()));
    const bool on_axis = point[0] <= 0;
    for (int k = 0; k < (on_axis ? 1 : sectors); ++k) {
      const double angle = 2 * pi * k / sectors;
      mesh.vertices.emplace_back(on_axis ? 0 : point[0] * std::cos(angle),
                                 on_axis ? 0 : point[0] * std::sin(angle), point[1]);
    }
  }
  const auto vertex = [&](size_t row, int k) {
    return first[row] + (outline[row][0] <= 0 ? 0 : k % sectors);
  };
  for (size_t row = 0; row + 1 < outline.size(); ++row) {
    for (int k = 0; k < sectors; ++k) {
      const int a = vertex(row, k), b = vertex(row, k + 1);
      const int c = vertex(row + 1, k + 1), d = vertex(row + 1, k);
      if (a != b) mesh.triangles.emplace_back(a, b, c);
      if (c != d) mesh.triangles.emplace_back(a, c, d);
    }
  }
  return mesh;
}

TriangleMesh triangulate_primitive(const Shape& shape, double edge) {
  if (const auto* box = std::get_if<Box>(&shape)) return triangulate_box(box->half_size, edge);
  std::vector<Vector2d> outline;
  double radius = 0;
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    radius = cylinder->radius;
    outline = {{0, -cylinder->half_length}};
    add_line(outline, {radius, -cylinder->half_length}, edge);
    add_line(outline, {radius, cylinder->half_length}, edge);
    add_line(outline, {0, cylinder->half_length}, edge);
  } else {
    const auto* capsule = std::get_if<Capsule>(&shape);
    radius = capsule ? capsule->radius : std::get<Sphere>(shape).radius;
    const double half = capsule ? capsule->half_length : 0;
    add_arc(outline, {0, -half}, radius, -pi / 2, 0, edge / radius);
    if (half > 0) add_line(outline, {radius, half}, edge);
    outline.pop_back();
    add_arc(outline, {0, half}, radius, 0, pi / 2, edge / radius);
    outline.front()[0] = outline.back()[0] = 0;
  }
  return revolve(outline, std::max(8, pieces(2 * pi * radius, edge)));
}

}  // namespace stiction
