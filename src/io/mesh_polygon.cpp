#include <Eigen/Geometry>

#include "io/mesh_formats.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Beyond this many corners the search for ears, cubic at worst, gives way to a fan.
constexpr std::size_t kMostCorners = 200;

/// Twice the polygon's area along its normal, also when it is neither convex nor quite flat.
Vector3d area_vector(const std::vector<Vector3d>& vertices, const std::vector<int>& polygon) {
  Vector3d area = Vector3d::Zero();
  const Vector3d origin = vertices[polygon.front()];
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector3d a = vertices[polygon[i]] - origin;
    const Vector3d b = vertices[polygon[(i + 1) % polygon.size()]] - origin;
    area += a.cross(b);
  }
  return area;
}

/// A corner that can be cut off: it bulges outwards and no other corner lies in its triangle.
bool is_ear(const std::vector<Vector3d>& vertices, const std::vector<int>& polygon,
            std::size_t corner, const Vector3d& normal) {
  const std::size_t n = polygon.size();
  const std::size_t before = (corner + n - 1) % n, after = (corner + 1) % n;
  const Vector3d& a = vertices[polygon[before]];
  const Vector3d& b = vertices[polygon[corner]];
  const Vector3d& c = vertices[polygon[after]];
  const auto left_of = [&normal](const Vector3d& from, const Vector3d& to, const Vector3d& p) {
    return normal.dot((to - from).cross(p - from));
  };
  if (left_of(a, b, c) <= 0) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == before || i == corner || i == after) continue;
    const Vector3d& p = vertices[polygon[i]];
    if (p == a || p == b || p == c) continue;
    if (left_of(a, b, p) >= 0 && left_of(b, c, p) >= 0 && left_of(c, a, p) >= 0) return false;
  }
  return true;
}

}  // namespace

std::vector<Eigen::Vector3i> triangulate(const std::vector<Vector3d>& vertices,
                                         std::vector<int> polygon) {
  std::vector<Eigen::Vector3i> triangles;
  if (polygon.size() < 3) return triangles;
  const Vector3d normal = area_vector(vertices, polygon);
  while (polygon.size() > 3) {
    const std::size_t n = polygon.size();
    std::size_t ear = 1;  // cutting corner 1 again and again makes the fan
    for (std::size_t i = 1; n <= kMostCorners && i <= n; ++i) {
      if (is_ear(vertices, polygon, i % n, normal)) {
        ear = i % n;
        break;
      }
    }
    triangles.emplace_back(polygon[(ear + n - 1) % n], polygon[ear], polygon[(ear + 1) % n]);
    polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  triangles.emplace_back(polygon[0], polygon[1], polygon[2]);
  return triangles;
}

}  // namespace stiction
