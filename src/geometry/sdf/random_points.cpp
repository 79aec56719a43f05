#include "geometry/sdf/random_points.h"

#include <Eigen/Geometry>
#include <algorithm>

namespace stiction {

using Eigen::Vector3d;

RandomPoints::RandomPoints(const Sdf& solid, const NeuralNetwork& network)
    : solid_(solid), network_(network) {
  double area = 0;
  for (const Eigen::Vector3i& t : solid.surface.triangles) {
    const Vector3d& a = solid.surface.vertices[t[0]];
    const Vector3d& b = solid.surface.vertices[t[1]];
    const Vector3d& c = solid.surface.vertices[t[2]];
    area += (b - a).cross(c - a).norm() / 2;
    areas_.push_back(area);
  }
}

Vector3d RandomPoints::near(std::mt19937& rng, double spread) const {
  std::uniform_real_distribution<double> share(0, 1);
  std::normal_distribution<double> normal;
  const auto found = std::upper_bound(areas_.begin(), areas_.end() - 1, share(rng) * areas_.back());
  const Eigen::Vector3i& t = solid_.surface.triangles[found - areas_.begin()];
  double u = share(rng), v = share(rng);
  if (u + v > 1) {
    u = 1 - u;
    v = 1 - v;
  }
  const Vector3d& a = solid_.surface.vertices[t[0]];
  const Vector3d p =
      a + u * (solid_.surface.vertices[t[1]] - a) + v * (solid_.surface.vertices[t[2]] - a);
  const double x = normal(rng), y = normal(rng), z = normal(rng);
  return p + spread * Vector3d(x, y, z);
}

Vector3d RandomPoints::anywhere(std::mt19937& rng) const {
  std::uniform_real_distribution<double> share(-1, 1);
  const double x = share(rng), y = share(rng), z = share(rng);
  return network_.center + network_.half_size.cwiseProduct(Vector3d(x, y, z));
}

}  // namespace stiction
