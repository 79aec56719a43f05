// The point of a triangle where a field is least, by the method of Frank and Wolfe.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <limits>

namespace stiction {

/// A point of a face, in the field's frame.
struct FacePoint {
  Eigen::Vector3d x;
  double value = 0;  ///< of the field
  Eigen::Vector3d gradient;
  double lead = 0;  ///< of the surface there, see SurfaceTree
  Eigen::Vector3d weights = Eigen::Vector3d::Constant(1.0 / 3);  ///< of the corners
  int corner = -1;                                               ///< if it is one

  double rank() const { return value - lead; }
};

/// Where the slope of the field between two points vanishes, by false position: `low` is a point of
/// the face where it falls towards `high`, where it rises or is higher. Left at the best of those
/// seen, which is `low` unless the field falls by more than `gain`.
template <class Function>
FacePoint minimise_on_line(const Function& field, FacePoint low, FacePoint high, double gain) {
  constexpr int kIterations = 20;
  const Eigen::Vector3d step = high.x - low.x;
  double t_low = 0, t_high = 1;
  double slope_low = low.gradient.dot(step), slope_high = high.gradient.dot(step);
  FacePoint best = high.value < low.value - gain ? high : low;
  const FacePoint start = low, end = high;
  for (int k = 0; k < kIterations; ++k) {
    // False position keeps an end for long where the field is not a parabola: every third step
    // halves.
    double share = slope_high > 0 ? slope_low / (slope_low - slope_high) : 0.5;
    if (k % 3 == 2) share = 0.5;
    const double t = t_low + share * (t_high - t_low);
    FacePoint next{start.x + t * step, 0, Eigen::Vector3d::Zero(),
                   start.lead + t * (end.lead - start.lead),
                   start.weights + t * (end.weights - start.weights)};
    next.value = field(next.x, next.gradient);
    const double slope = next.gradient.dot(step);
    if (next.value < best.value - gain) best = next;
    // What a parabola has left to fall from here.
    const double left = std::abs(slope) * (t_high - t_low);
    if (slope < 0 && next.value <= low.value) {
      low = next;
      t_low = t;
      slope_low = slope;
    } else {
      t_high = t;
      slope_high = slope;
    }
    if (left < gain) break;
  }
  return best;
}

/// The point of the triangle nearest to q, as weights of its corners (Ericson, "Real-time collision
/// detection", 2005, section 5.1.5).
inline Eigen::Vector3d nearest_weights(const Eigen::Vector3d& corner_a,
                                       const Eigen::Vector3d& corner_b,
                                       const Eigen::Vector3d& corner_c, const Eigen::Vector3d& q) {
  const Eigen::Vector3d ab = corner_b - corner_a, ac = corner_c - corner_a;
  const Eigen::Vector3d ap = q - corner_a, bp = q - corner_b, cp = q - corner_c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double c = d1 * d4 - d3 * d2, b = d5 * d2 - d1 * d6, a = d3 * d6 - d5 * d4;
  if (c <= 0 && d1 >= 0 && d3 <= 0) return {d3 / (d3 - d1), d1 / (d1 - d3), 0};
  if (b <= 0 && d2 >= 0 && d6 <= 0) return {d6 / (d6 - d2), 0, d2 / (d2 - d6)};
  if (a <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const double sum = a + b + c;
  return {a / sum, b / sum, c / sum};
}

/// Along the sides of the face, by the gradients at its corners; 0 if they do not bend upwards.
inline double inverse_curvature(const std::array<FacePoint, 3>& corners) {
  double squares = 0, bend = 0;
  for (int k = 0; k < 3; ++k) {
    const FacePoint &one = corners[k], &other = corners[(k + 1) % 3];
    squares += (other.x - one.x).squaredNorm();
    bend += (other.x - one.x).dot(other.gradient - one.gradient);
  }
  return bend > 0 ? squares / bend : 0;
}

/// The point with the given weights of the corners.
template <class Function>
FacePoint point_on_face(const Function& field, const std::array<FacePoint, 3>& corners,
                        const Eigen::Vector3d& weights) {
  FacePoint point{Eigen::Vector3d::Zero(), 0, Eigen::Vector3d::Zero(), 0, weights};
  for (int k = 0; k < 3; ++k) {
    if (weights[k] == 1) return corners[k];
    point.x += weights[k] * corners[k].x;
    point.lead += weights[k] * corners[k].lead;
  }
  point.value = field(point.x, point.gradient);
  return point;
}

/// Weights where the line from `from` through `through` leaves the face.
inline Eigen::Vector3d leave_face(const Eigen::Vector3d& from, const Eigen::Vector3d& through) {
  const Eigen::Vector3d step = through - from;
  double reach = std::numeric_limits<double>::infinity();
  int edge = -1;
  for (int k = 0; k < 3; ++k) {
    if (step[k] >= 0 || through[k] >= -reach * step[k]) continue;
    reach = -through[k] / step[k];
    edge = k;
  }
  Eigen::Vector3d weights = through;
  if (edge >= 0) {
    weights += reach * step;
    weights[edge] = 0;
  }
  return weights;
}

/// Goes on from `start` until no corner promises more than `tolerance`. Gains of a thousandth of
/// that do not count, so that on a level field the start is the result, whatever the rounding. A
/// step goes towards the corner that the gradient picks, by a line search. Two of these across a
/// narrow valley are followed by one along it; and where the field is `smooth`, steps along the
/// gradient by the inverse of the curvature seen last come first. `field(x, gradient)` is
/// minimised.
template <class Function>
FacePoint minimise_on_face(const Function& field, const std::array<FacePoint, 3>& corners,
                           const FacePoint& start, double tolerance, bool smooth) {
  constexpr int kIterations = 40;
  const double gain = 1e-3 * tolerance;
  FacePoint m = start;
  Eigen::Vector3d before = start.weights;  // two steps ago
  double length = smooth ? inverse_curvature(corners) : 0;
  for (int k = 0; k < kIterations; ++k) {
    const FacePoint* end = &corners[0];
    for (const FacePoint& corner : corners) {
      if (m.gradient.dot(corner.x - end->x) < corner.lead - end->lead) end = &corner;
    }
    const Eigen::Vector3d step = end->x - m.x;
    if (m.gradient.dot(step) > -tolerance) break;
    if (end->gradient.dot(step) <= 0 && end->value < m.value - gain) {
      m = *end;
      continue;
    }
    FacePoint next = m;
    if (length > 0) {
      const FacePoint other = point_on_face(
          field, corners,
          nearest_weights(corners[0].x, corners[1].x, corners[2].x, m.x - length * m.gradient));
      const Eigen::Vector3d moved = other.x - m.x;
      const double bend = moved.dot(other.gradient - m.gradient);
      length = bend > 0 ? moved.squaredNorm() / bend : 2 * length;
      if (other.value < next.value - gain) next = other;
    }
    if (next.value >= m.value - 0.1 * tolerance) {
      const FacePoint other = minimise_on_line(field, m, *end, gain);
      if (other.value < next.value - gain) next = other;
    }
    if (!(next.value < m.value - gain)) break;
    m = next;
    if (k % 2 == 0) continue;
    const FacePoint edge = point_on_face(field, corners, leave_face(before, m.weights));
    if (m.gradient.dot(edge.x - m.x) < 0) m = minimise_on_line(field, m, edge, gain);
    before = m.weights;
  }
  return m;
}

}  // namespace stiction
