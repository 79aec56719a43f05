// Where two solids are nearest, beside edges: by Newton's method on the sum of their distances.
//
// Between two solids that are apart, the sum of both distances is least, and is the gap, on the
// line that joins their nearest points; there it is smooth even if the solids have edges and
// corners. Solids that touch or overlap are first moved apart along the normal. It is the right one
// if the solids apart have the same: then, moved along it by the gap, they touch.
#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace stiction {

struct NearestPair {
  Eigen::Vector3d b;  ///< on B; A's nearest point is at b - gap n
  Eigen::Vector3d n;  ///< unit, from A to B
  double gap = 0;
};

/// Against the slope, by the inverse of the bend, no further than `reach`. Along straight edges and
/// flat faces there is no bend; if there is a slope, it is followed as far as possible.
inline Eigen::Vector2d newton_step(const Eigen::Matrix2d& bend, const Eigen::Vector2d& slope,
                                   double reach) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes((bend + bend.transpose()) / 2);
  Eigen::Vector2d step = -(axes.eigenvectors().transpose() * slope);
  for (int i = 0; i < 2; ++i) {
    const double curvature = std::abs(axes.eigenvalues()[i]);
    if (curvature * reach > 1e-6) {
      step[i] /= curvature;
    } else {
      step[i] = std::abs(step[i]) > 1e-9 ? std::copysign(reach, step[i]) : 0;
    }
  }
  if (step.norm() > reach) step *= reach / step.norm();
  return axes.eigenvectors() * step;
}

/// Improves a guess; false if it does not come to rest within `reach`. `a(x, gradient)` and
/// `b(x, gradient)` are distances outside of the solids; `apart` is how far they are moved apart at
/// least.
template <class FieldA, class FieldB>
bool find_nearest_pair(const FieldA& a, const FieldB& b, double apart, double reach,
                       NearestPair& pair) {
  using Eigen::Vector3d;
  constexpr int kIterations = 20;
  // Of unit vectors; the gap is off by the square. Corner upon corner comes to rest slowly.
  constexpr double kRest = 2e-12, kAlmost = 1e-5;
  const double shift = std::max(0.0, apart - pair.gap);  // of B along n
  Vector3d n = pair.n;
  Vector3d x = pair.b + (shift - pair.gap) / 2 * n;
  const Vector3d start = x;
  Vector3d slope_a, slope_b;
  Vector3d turn_before = Vector3d::Zero();
  double d_a = 0, d_b = 0;
  const auto slope_at = [&](const Vector3d& y) -> Vector3d {
    d_a = a(y, slope_a);
    d_b = b(y - shift * n, slope_b);
    return slope_a + slope_b;
  };
  for (int k = 0; k < kIterations; ++k) {
    const Vector3d slope = slope_at(x);
    const double sum = d_a + d_b;
    const Vector3d across = (slope_a - slope_b).normalized();
    if (!(d_a > 0 && d_b > 0) || (x - start).norm() > reach) return false;
    const double unrest = std::max(slope.norm(), (across - n).norm());
    if (unrest < kRest || (k + 1 == kIterations && unrest < kAlmost)) {
      pair = {x - d_b * slope_b - shift * n, across, sum - shift};
      return true;
    }
    // Midway between the two, and B moved along the new normal. Corner upon corner turns it by a
    // constant share of what is left, at an overshoot a negative one: it is extrapolated (Aitken).
    const Vector3d turn = across - n;
    double length = 1;
    if (turn_before.squaredNorm() > 0 && slope.norm() < 0.1 * turn.norm()) {
      const double share = turn.dot(turn_before) / turn_before.squaredNorm();
      if (share > -3 && share < (sum > shift ? 0.97 : 0.0)) length = 1 / (1 - share);
    }
    const Vector3d next = (n + length * turn).normalized();
    turn_before = length == 1 ? turn : Vector3d(Vector3d::Zero());
    x += 0.5 * (d_b - d_a) * across + 0.5 * shift * (next - n);
    n = next;
    if (slope.norm() < kRest) continue;
    const double h = 1e-5 * apart;
    const Vector3d here = slope_at(x);
    const double before = d_a + d_b;
    Eigen::Matrix<double, 3, 2> plane, bend;
    plane.col(0) = n.unitOrthogonal();
    plane.col(1) = n.cross(plane.col(0));
    for (int i = 0; i < 2; ++i) bend.col(i) = (slope_at(x + h * plane.col(i)) - here) / h;
    const Vector3d move =
        plane * newton_step(plane.transpose() * bend, plane.transpose() * here, reach);
    double share = 1;
    for (int halving = 0; halving < 5; ++halving, share /= 3) {
      slope_at(x + share * move);
      if (d_a > 0 && d_b > 0 && d_a + d_b <= before + 1e-15) break;
    }
    x += share * move;
  }
  return false;
}

}  // namespace stiction
