#include "geometry/sdf/bolt_mesh.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

using Loop = std::vector<int>;  // vertex per column

class Builder {
 public:
  Builder(int sectors, TriangleMesh& mesh) : sectors_(sectors), mesh_(mesh) {}

  double azimuth(int column) const { return 2 * pi * column / sectors_; }

  int add(int column, double radius, double z) {
    mesh_.vertices.emplace_back(radius * std::cos(azimuth(column)),
                                radius * std::sin(azimuth(column)), z);
    return static_cast<int>(mesh_.vertices.size()) - 1;
  }

  void triangle(int a, int b, int c) {
    if (a != b && b != c && c != a) mesh_.triangles.emplace_back(a, b, c);
  }

  /// Between two loops; seen from outside, `to` is to the left of the direction of the columns.
  void band(const Loop& from, const Loop& to) {
    for (int i = 0; i < sectors_; ++i) {
      const int j = (i + 1) % sectors_;
      triangle(from[i], from[j], to[j]);
      triangle(from[i], to[j], to[i]);
    }
  }

  Loop hexagon(double apothem, double z) {
    Loop loop;
    for (int i = 0; i < sectors_; ++i) {
      loop.push_back(add(i, apothem / std::cos(std::remainder(azimuth(i), pi / 3)), z));
    }
    return loop;
  }

  /// A loop between two others.
  Loop between(const Loop& a, const Loop& b, double share) {
    Loop loop;
    for (int i = 0; i < sectors_; ++i) {
      loop.push_back(static_cast<int>(mesh_.vertices.size()));
      mesh_.vertices.push_back((1 - share) * mesh_.vertices[a[i]] + share * mesh_.vertices[b[i]]);
    }
    return loop;
  }

  /// Bands from one loop to the other.
  void bands(const Loop& from, const Loop& to, int count) {
    Loop last = from;
    for (int k = 1; k <= count; ++k) {
      const Loop next = k == count ? to : between(from, to, static_cast<double>(k) / count);
      band(last, next);
      last = next;
    }
  }

  /// A flat lid over the loop, which runs counter-clockwise seen from outside.
  void lid(const Loop& loop, double z, int rings) {
    const Loop center(sectors_, add(0, 0, z));
    Loop last = loop;
    for (int k = 1; k < rings; ++k) {
      const Loop next = between(loop, center, static_cast<double>(k) / rings);
      band(last, next);
      last = next;
    }
    band(last, center);
  }

 private:
  int sectors_;
  TriangleMesh& mesh_;
};

struct Wall {
  Loop bottom, top;
};

// The thread between two heights as seen from outside of a bolt; `cut` turns the profile's radius
// at a height into that of the surface. Vertices beyond the ends fall onto them.
Wall add_wall(const ThreadProfile& profile, double low, double high, int sectors,
              const std::function<double(double radius, double z)>& cut, bool inward,
              TriangleMesh& mesh) {
  Builder builder(sectors, mesh);
  std::vector<Vector2d> half;
  profile_points(profile, 2, 0.6 * profile.pitch, half);
  std::vector<Vector2d> period;  // from groove to groove
  for (size_t k = half.size() - 1; k > 0; --k) period.emplace_back(half[k][0], -half[k][1]);
  for (size_t k = 0; k + 1 < half.size(); ++k) period.push_back(half[k]);
  const int rows = static_cast<int>(period.size());
  const int first_turn = static_cast<int>(std::floor(low / profile.pitch)) - 2;
  const int last_turn = static_cast<int>(std::ceil(high / profile.pitch)) + 2;
  const int count = (last_turn - first_turn + 1) * rows;
  const double close = 0.01 * profile.pitch;

  Wall wall;
  std::vector<Loop> vertex(sectors, Loop(count));  // per column and row
  for (int i = 0; i < sectors; ++i) {
    const double rise = profile.pitch * i / sectors;
    wall.bottom.push_back(builder.add(i, cut(profile_radius(profile, low - rise), low), low));
    wall.top.push_back(builder.add(i, cut(profile_radius(profile, high - rise), high), high));
    for (int r = 0; r < count; ++r) {
      const Vector2d& point = period[r % rows];
      const double z = point[1] + (first_turn + r / rows) * profile.pitch + rise;
      vertex[i][r] = z < low + close    ? wall.bottom[i]
                     : z > high - close ? wall.top[i]
                                        : builder.add(i, cut(point[0], z), z);
    }
  }
  const auto at = [&](int i, int r) { return i < sectors ? vertex[i][r] : vertex[0][r + rows]; };
  for (int i = 0; i < sectors; ++i) {
    for (int r = 0; r + 1 + rows < count; ++r) {
      const int a = at(i, r), b = at(i + 1, r), c = at(i + 1, r + 1), d = at(i, r + 1);
      builder.triangle(a, inward ? c : b, inward ? b : c);
      builder.triangle(a, inward ? d : c, inward ? c : d);
    }
  }
  return wall;
}

}  // namespace

TriangleMesh bolt_mesh(const Bolt& bolt, const ThreadProfile& profile) {
  TriangleMesh mesh;
  const auto chamfer = [&](double radius, double z) {
    return std::min(radius, profile.root_radius + bolt.length - z);
  };
  const Wall wall = add_wall(profile, 0, bolt.length, bolt.sectors, chamfer, false, mesh);
  Builder builder(bolt.sectors, mesh);
  builder.lid(wall.top, bolt.length, 4);
  const Loop face = builder.hexagon(bolt.across_flats / 2, 0);
  const Loop back = builder.hexagon(bolt.across_flats / 2, -bolt.head_height);
  builder.bands(face, wall.bottom, 3);
  builder.bands(back, face, 4);
  // The underside looks down: the same lid with its triangles turned over.
  const size_t first = mesh.triangles.size();
  builder.lid(back, -bolt.head_height, 6);
  for (size_t k = first; k < mesh.triangles.size(); ++k) {
    std::swap(mesh.triangles[k][1], mesh.triangles[k][2]);
  }
  return mesh;
}

TriangleMesh nut_mesh(const Nut& nut, const ThreadProfile& hole) {
  TriangleMesh mesh;
  const double half = nut.height / 2;
  const auto sink = [&](double radius, double z) {
    return std::max(radius, countersink_radius(nut) - kCountersinkSlope * (half - std::abs(z)));
  };
  const Wall wall = add_wall(hole, -half, half, nut.sectors, sink, true, mesh);
  Builder builder(nut.sectors, mesh);
  const Loop bottom = builder.hexagon(nut.across_flats / 2, -half);
  const Loop top = builder.hexagon(nut.across_flats / 2, half);
  builder.bands(bottom, top, 5);
  builder.bands(top, wall.top, 3);
  builder.bands(wall.bottom, bottom, 3);
  return mesh;
}

}  // namespace stiction
