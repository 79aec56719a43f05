// The point of a triangle where a field is least, by the method of Frank and Wolfe.
#pragma once

#include <Eigen/Core>
#include <array>

namespace stiction {

/// A point of a face, in the field's frame.
struct FacePoint {
  Eigen::Vector3d x;
  double value = 0;  ///< of the field
  Eigen::Vector3d gradient;
  double lead = 0;  ///< of the surface there, see SurfaceTree
  int corner = -1;  ///< if it is one

  double rank() const { return value - lead; }
};

/// Goes on from `start`: the gradient picks a corner, and a line search goes towards it, until that
/// promises less than `tolerance`. Gains of a hundredth of it do not count, so that on a level
/// field the start is the result, whatever the rounding. `field(x, gradient)` is what is minimised.
template <class Function>
FacePoint minimise_on_face(const Function& field, const std::array<FacePoint, 3>& corners,
                           const FacePoint& start, double tolerance) {
  constexpr int kIterations = 12;
  const double gain = 0.01 * tolerance;
  FacePoint m = start;
  for (int k = 0; k < kIterations; ++k) {
    const FacePoint* end = &corners[0];
    for (const FacePoint& corner : corners) {
      if (m.gradient.dot(corner.x - end->x) < corner.lead - end->lead) end = &corner;
    }
    const Eigen::Vector3d step = end->x - m.x;
    const double slope = m.gradient.dot(step);
    if (slope > -tolerance) break;
    const double end_slope = end->gradient.dot(step);
    if (end_slope <= 0 && end->value < m.value - gain) {
      m = *end;
      continue;
    }
    // Where the slope, taken for linear, vanishes.
    const double share = end_slope > 0 ? slope / (slope - end_slope) : 0.5;
    FacePoint next{m.x + share * step, 0, Eigen::Vector3d::Zero(),
                   m.lead + share * (end->lead - m.lead)};
    next.value = field(next.x, next.gradient);
    if (next.value >= m.value - gain) {
      if (end->value < m.value - gain) m = *end;
      break;
    }
    m = next;
  }
  return m;
}

}  // namespace stiction
