// Height fields against signed distance solids: the field is asked for the distance to its
// triangles, the solid shows its surface. So a solid has as many contacts on a large cell as on a
// plane. Corners of the field, which may be finer than that surface, are points against the solid.
#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/sdf/face_search.h"
#include "geometry/sdf/surface_contacts.h"

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// The part of a field around a solid.
class Ground {
 public:
  // Within `reach` of p along x and y. Distances above `far` need not be right, only large.
  Ground(const HeightGrid& grid, const Vector3d& p, double reach, double far)
      : grid_(grid),
        step_(2 * grid.half_extent[0] / (grid.cols - 1), 2 * grid.half_extent[1] / (grid.rows - 1)),
        rate_(step_.cwiseInverse()),
        columns_(cells(0, p.x() - reach, p.x() + reach)),
        rows_(cells(1, p.y() - reach, p.y() + reach)),
        slope_(steepest()),
        far_(far) {}

  Vector3d point(int c, int r) const {
    return {c * step_[0] - grid_.half_extent[0], r * step_[1] - grid_.half_extent[1], height(c, r)};
  }
  bool holds(const Vector3d& p) const {
    return std::abs(p.x()) <= grid_.half_extent[0] && std::abs(p.y()) <= grid_.half_extent[1];
  }

  // Calls `visit(c, r)` for every corner within this part that may be the furthest of its
  // neighbours in some direction: above the middle of any two opposite ones.
  template <class Visit>
  void for_corners(const Visit& visit) const {
    for (int r = std::max(1, rows_.first); r <= rows_.last; ++r) {
      for (int c = std::max(1, columns_.first); c <= columns_.last; ++c) {
        const double twice = 2 * height(c, r) - 1e-9 * step_.minCoeff();
        if (twice > height(c - 1, r) + height(c + 1, r) &&
            twice > height(c, r - 1) + height(c, r + 1) &&
            twice > height(c - 1, r - 1) + height(c + 1, r + 1)) {
          visit(c, r);
        }
      }
    }
  }
  // Whether it is the furthest of its neighbours along n.
  bool leads(int c, int r, const Vector3d& n) const {
    const Vector3d here = point(c, r);
    for (const auto& [i, j] : {std::pair(1, 0), {0, 1}, {1, 1}, {-1, 0}, {0, -1}, {-1, -1}}) {
      if (n.dot(point(c + i, r + j) - here) > 0) return false;
    }
    return true;
  }

  // To the nearest triangle, negative below the field. Beyond the border it goes on as it ends.
  double distance(const Vector3d& p, Vector3d& gradient) const {
    const Vector3d q(std::clamp(p.x(), -grid_.half_extent[0], grid_.half_extent[0]),
                     std::clamp(p.y(), -grid_.half_extent[1], grid_.half_extent[1]), p.z());
    const double above = height_above(q, gradient);
    const double least = above / std::sqrt(1 + slope_ * slope_);
    if (least > far_ || slope_ == 0) return least;
    Nearest nearest{std::abs(above), gradient};
    // The foot on the plane of the triangle below is near the nearest point.
    const Vector3d foot = q - above * gradient.z() * gradient;
    const int at_c = std::clamp(cells(0, foot.x(), foot.x()).first, columns_.first, columns_.last);
    const int at_r = std::clamp(cells(1, foot.y(), foot.y()).first, rows_.first, rows_.last);
    look_at_cell(at_c, at_r, q, nearest);
    // What is nearer is no further away along x and y: at the distance s there, the height
    // differs by |above| - slope s at least.
    const double square = 1 + slope_ * slope_;
    const double spread = square * nearest.distance * nearest.distance - above * above;
    const double reach = (slope_ * std::abs(above) + std::sqrt(std::max(0.0, spread))) / square;
    const Cells columns = cells(0, q.x() - reach, q.x() + reach),
                rows = cells(1, q.y() - reach, q.y() + reach);
    for (int r = std::max(rows.first, rows_.first); r <= std::min(rows.last, rows_.last); ++r) {
      for (int c = std::max(columns.first, columns_.first);
           c <= std::min(columns.last, columns_.last); ++c) {
        if (c != at_c || r != at_r) look_at_cell(c, r, q, nearest);
      }
    }
    const double side = above < 0 ? -1 : 1;
    gradient = nearest.upward ? nearest.direction : Vector3d(side * nearest.direction);
    return side * nearest.distance;
  }

 private:
  struct Cells {
    int first, last;
  };
  struct Nearest {
    double distance;
    Vector3d direction;  // unit, to the point that asks, or upward as the triangle's normal is
    bool upward = true;
  };

  double height(int c, int r) const {
    return grid_.heights[static_cast<size_t>(r) * static_cast<size_t>(grid_.cols) + c];
  }

  // Columns (axis 0) or rows (axis 1) of cells between two coordinates.
  Cells cells(int axis, double low, double high) const {
    const double last = (axis == 0 ? grid_.cols : grid_.rows) - 2;
    const auto at = [&](double x) {
      return static_cast<int>(std::clamp((x + grid_.half_extent[axis]) * rate_[axis], 0.0, last));
    };
    return {at(low), at(high)};
  }

  // Along z; `normal` is that of the triangle below or above q.
  double height_above(const Vector3d& q, Vector3d& normal) const {
    const int c = cells(0, q.x(), q.x()).first, r = cells(1, q.y(), q.y()).first;
    const double u = (q.x() + grid_.half_extent[0]) * rate_[0] - c;
    const double v = (q.y() + grid_.half_extent[1]) * rate_[1] - r;
    // The diagonal runs from (c, r) to (c + 1, r + 1), as in height_field.cpp.
    const double low = height(c, r), high = height(c + 1, r + 1);
    const double side = u >= v ? height(c + 1, r) : height(c, r + 1);
    const double rise_x = u >= v ? side - low : high - side;
    const double rise_y = u >= v ? high - side : side - low;
    normal = Vector3d(-rise_x * rate_[0], -rise_y * rate_[1], 1).normalized();
    return q.z() - low - u * rise_x - v * rise_y;
  }

  void look_at_cell(int c, int r, const Vector3d& q, Nearest& nearest) const {
    const Vector3d low = point(c, r), high = point(c + 1, r + 1);
    const Vector3d right(high.x(), low.y(), height(c + 1, r));
    const Vector3d left(low.x(), high.y(), height(c, r + 1));
    const auto [bottom, top] = std::minmax({low.z(), high.z(), right.z(), left.z()});
    const Vector3d lower(low.x(), low.y(), bottom), upper(high.x(), high.y(), top);
    const Vector3d beyond = (lower - q).cwiseMax(q - upper).cwiseMax(0);
    if (beyond.squaredNorm() > nearest.distance * nearest.distance) return;
    look_at_triangle(low, right, high, q, nearest);
    look_at_triangle(low, high, left, q, nearest);
  }

  void look_at_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& q,
                        Nearest& nearest) const {
    const Vector3d cross = (b - a).cross(c - a);
    const double volume = cross.dot(q - a), area = cross.squaredNorm();
    if (volume * volume > nearest.distance * nearest.distance * area) return;
    const Vector3d normal = cross / std::sqrt(area);
    const double above = normal.dot(q - a);
    const Vector3d w = nearest_weights(a, b, c, q);
    const Vector3d away = q - w[0] * a - w[1] * b - w[2] * c;
    // Beside the triangle by no more than rounding is above it.
    const bool beside = (away - above * normal).squaredNorm() > 1e-24 * step_.squaredNorm();
    const double d = beside ? away.norm() : std::abs(above);
    if (d > nearest.distance) return;
    nearest = {d, beside ? Vector3d(away / d) : normal, !beside};
  }

  double steepest() const {
    double square = 0;
    for (int r = rows_.first; r <= rows_.last; ++r) {
      for (int c = columns_.first; c <= columns_.last; ++c) {
        const double x = std::max(std::abs(height(c + 1, r) - height(c, r)),
                                  std::abs(height(c + 1, r + 1) - height(c, r + 1)));
        const double y = std::max(std::abs(height(c, r + 1) - height(c, r)),
                                  std::abs(height(c + 1, r + 1) - height(c + 1, r)));
        square = std::max(square, Vector2d(x / step_[0], y / step_[1]).squaredNorm());
      }
    }
    return std::sqrt(square);
  }

  const HeightGrid& grid_;
  Vector2d step_;
  Vector2d rate_;  // inverse of the step
  Cells columns_, rows_;
  double slope_;
  double far_;
};

template <class Unwanted>
void drop(Contacts& contacts, size_t first, const Unwanted& unwanted) {
  const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
  contacts.erase(std::remove_if(begin, contacts.end(), unwanted), contacts.end());
}

}  // namespace

void height_field_sdf(const HeightField& field, const Frame& X_WF, const SdfSolid& solid,
                      const Frame& X_WS, double margin, Contacts& contacts) {
  const SurfaceTree& tree = *solid.tree;
  const Vector3d p_FS = X_WF.R.transpose() * (X_WS.p - X_WF.p);
  // A face that has a point further away than its diameter and the margin does not touch.
  const double far = margin + 2 * *std::max_element(tree.sizes.begin(), tree.sizes.end());
  const Ground ground(*field.grid, p_FS, tree.radius + margin, far);
  const size_t first = contacts.size();
  ground.for_corners([&](int c, int r) {
    const size_t before = contacts.size();
    add_probe({solid.sdf->distance, X_WS}, X_WF.R * ground.point(c, r) + X_WF.p, margin,
              kProbeFeature + static_cast<std::uint32_t>(r * 4096 + c), contacts);
    if (contacts.size() == before) return;
    contacts.back().n = -contacts.back().n;
    // From below, through the side, or beside a neighbour: not a contact with a corner.
    const Vector3d n = X_WF.R.transpose() * contacts.back().n;
    if (n.z() <= 0 || !ground.leads(c, r, n)) contacts.pop_back();
  });
  const DistanceFunction distance = [&ground](const Vector3d& p, Vector3d& gradient) {
    return ground.distance(p, gradient);
  };
  collide_surface({distance, X_WF}, surface_of(solid, X_WS), margin, contacts);
  drop(contacts, first,
       [&](const ContactPoint& c) { return !ground.holds(X_WF.R.transpose() * (c.p - X_WF.p)); });
}

}  // namespace stiction
