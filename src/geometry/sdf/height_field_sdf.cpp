// Height fields against signed distance solids: the height above the triangle below a point, seen
// along the triangle's normal, is a distance near the surface; the solid shows its triangles to it.
// Peaks of the field, which may be finer than those triangles, are points against the solid.
#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/sdf/surface_contacts.h"

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

class Ground {
 public:
  explicit Ground(const HeightGrid& grid)
      : grid_(grid),
        step_(2 * grid.half_extent[0] / (grid.cols - 1),
              2 * grid.half_extent[1] / (grid.rows - 1)) {}

  double height(int c, int r) const {
    return grid_.heights[static_cast<size_t>(r) * static_cast<size_t>(grid_.cols) + c];
  }
  Vector3d point(int c, int r) const {
    return {c * step_[0] - grid_.half_extent[0], r * step_[1] - grid_.half_extent[1], height(c, r)};
  }
  bool holds(const Vector3d& p) const {
    return std::abs(p.x()) <= grid_.half_extent[0] && std::abs(p.y()) <= grid_.half_extent[1];
  }
  // Columns and rows of points, at least one cell away from the border, within `reach` of p.
  std::array<int, 4> points_around(const Vector3d& p, double reach) const {
    const auto first = [&](int axis, int count) {
      const double at = (p[axis] - reach + grid_.half_extent[axis]) / step_[axis];
      return static_cast<int>(std::clamp(std::ceil(at), 1.0, count - 1.0));
    };
    const auto last = [&](int axis, int count) {
      const double at = (p[axis] + reach + grid_.half_extent[axis]) / step_[axis];
      return static_cast<int>(std::clamp(std::floor(at), 0.0, count - 2.0));
    };
    return {first(0, grid_.cols), last(0, grid_.cols), first(1, grid_.rows), last(1, grid_.rows)};
  }
  bool is_peak(int c, int r) const {
    const double h = height(c, r);
    return h > height(c - 1, r) && h > height(c + 1, r) && h > height(c, r - 1) &&
           h > height(c, r + 1);
  }

  // Beyond the border the field goes on as it ends.
  double distance(const Vector3d& p, Vector3d& gradient) const {
    const auto place = [&](int axis, int count) {
      return std::clamp((p[axis] + grid_.half_extent[axis]) / step_[axis], 0.0, count - 1.0);
    };
    const double x = place(0, grid_.cols), y = place(1, grid_.rows);
    const int c = std::min(static_cast<int>(x), grid_.cols - 2);
    const int r = std::min(static_cast<int>(y), grid_.rows - 2);
    const double u = x - c, v = y - r;
    // The diagonal runs from (c, r) to (c + 1, r + 1), as in height_field.cpp.
    const double low = height(c, r), high = height(c + 1, r + 1);
    const double side = u >= v ? height(c + 1, r) : height(c, r + 1);
    const double rise_x = u >= v ? side - low : high - side;
    const double rise_y = u >= v ? high - side : side - low;
    gradient = Vector3d(-rise_x / step_[0], -rise_y / step_[1], 1).normalized();
    return (p.z() - low - u * rise_x - v * rise_y) * gradient.z();
  }

  // Among these points the function above falls by no more than this per metre; twice, for its
  // jumps at edges.
  double lipschitz(const std::array<int, 4>& points) const {
    const auto [c0, c1, r0, r1] = points;
    double steepest = 0;
    for (int r = r0 - 1; r <= r1; ++r) {
      for (int c = c0 - 1; c <= c1; ++c) {
        const double x = std::max(std::abs(height(c + 1, r) - height(c, r)),
                                  std::abs(height(c + 1, r + 1) - height(c, r + 1)));
        const double y = std::max(std::abs(height(c, r + 1) - height(c, r)),
                                  std::abs(height(c + 1, r + 1) - height(c + 1, r)));
        steepest = std::max(steepest, Vector2d(x / step_[0], y / step_[1]).squaredNorm());
      }
    }
    return 2 * std::sqrt(1 + steepest);
  }

 private:
  const HeightGrid& grid_;
  Vector2d step_;
};

template <class Unwanted>
void drop(Contacts& contacts, size_t first, const Unwanted& unwanted) {
  const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
  contacts.erase(std::remove_if(begin, contacts.end(), unwanted), contacts.end());
}

}  // namespace

void height_field_sdf(const HeightField& field, const Frame& X_WF, const SdfSolid& solid,
                      const Frame& X_WS, double margin, Contacts& contacts) {
  const Ground ground(*field.grid);
  const size_t first = contacts.size();
  const Vector3d p_FS = X_WF.R.transpose() * (X_WS.p - X_WF.p);
  const std::array<int, 4> around = ground.points_around(p_FS, solid.tree->radius + margin);
  for (int r = around[2]; r <= around[3]; ++r) {
    for (int c = around[0]; c <= around[1]; ++c) {
      if (!ground.is_peak(c, r)) continue;
      add_probe({solid.sdf->distance, X_WS}, X_WF.R * ground.point(c, r) + X_WF.p, margin,
                kProbeFeature + static_cast<std::uint32_t>(r * 4096 + c), contacts);
    }
  }
  for (size_t k = first; k < contacts.size(); ++k) contacts[k].n = -contacts[k].n;
  // From below, or through the side: not a contact with a peak.
  drop(contacts, first, [&](const ContactPoint& c) { return c.n.dot(X_WF.R.col(2)) <= 0; });
  const DistanceFunction distance = [&ground](const Vector3d& p, Vector3d& gradient) {
    return ground.distance(p, gradient);
  };
  collide_surface({distance, X_WF, ground.lipschitz(around)},
                  {*solid.tree, X_WS, &solid.sdf->distance, solid.sdf->lipschitz}, margin,
                  contacts);
  drop(contacts, first,
       [&](const ContactPoint& c) { return !ground.holds(X_WF.R.transpose() * (c.p - X_WF.p)); });
}

}  // namespace stiction
