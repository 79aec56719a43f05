// Where two solids are nearest, beside edges, by their distances.
//
// Between two solids that are apart, the sum of both distances is least, and is the gap, on the
// line that joins their nearest points; there it is smooth even if the solids have edges and
// corners, and Newton's method finds it. Solids that touch or overlap are first moved apart by a
// vector T. At a distance D with the normal m, the planes across m that part them were
// s = D - m T apart before: what the solids are separated by along m. If T is along the normal
// before, s does not fall (for convex solids D(T) is the maximum of s(m) + m T over all m), and
// it rises the faster the shorter T is; where the normal comes back, s is the gap: moved along the
// normal by as much, the solids touch. At hollow edges s may fall a little.
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

/// Two distances, the second one of a solid that is moved by `shift`; at the point x.
template <class FieldA, class FieldB>
struct BetweenSolids {
  const FieldA& a;
  const FieldB& b;
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  Eigen::Vector3d x{}, slope_a{}, slope_b{};
  double d_a = 0, d_b = 0;

  void ask(const Eigen::Vector3d& point) {
    x = point;
    d_a = a(x, slope_a);
    d_b = b(x - shift, slope_b);
  }
  double sum() const { return d_a + d_b; }
  Eigen::Vector3d slope() const { return slope_a + slope_b; }
  Eigen::Vector3d across() const { return (slope_a - slope_b).normalized(); }
  Eigen::Vector3d on_a() const { return x - d_a * slope_a; }
  Eigen::Vector3d on_b() const { return x - d_b * slope_b - shift; }  // where it was before

  /// To a point between the solids next to it: from there to A, and on to B. Between two edges, a
  /// narrow valley of the sum that may be bent, its bottom is that way.
  void go_between(const Eigen::Vector3d& point) {
    ask(point);
    const Eigen::Vector3d p = on_a();
    Eigen::Vector3d gradient;
    const double d = b(p - shift, gradient);
    ask(p - d / 2 * gradient);
  }

  /// Moves x midway between the nearest points; false if it does not find them within `reach`.
  bool settle(double reach) {
    constexpr int kIterations = 30;
    // Of unit vectors; the gap is off by the square.
    constexpr double kRest = 1e-9, kAlmost = 1e-4;
    constexpr double kGain = 1e-10;  // of a step, relative, that is worth another one
    const Eigen::Vector3d start = x;
    for (int k = 0; k < kIterations; ++k) {
      if (slope().norm() < kRest) return true;
      const Eigen::Vector3d m = across();
      go_between(x);
      if (!(d_a > 0 && d_b > 0) || (x - start).norm() > reach) return false;
      Eigen::Matrix<double, 3, 2> plane, bend;
      plane.col(0) = m.unitOrthogonal();
      plane.col(1) = m.cross(plane.col(0));
      const BetweenSolids here = *this;
      const double h = 1e-5 * sum();
      for (int i = 0; i < 2; ++i) {
        ask(here.x + h * plane.col(i));
        bend.col(i) = (slope() - here.slope()) / h;
      }
      const Eigen::Vector3d move =
          plane * newton_step(plane.transpose() * bend, plane.transpose() * here.slope(), reach);
      double share = 1;
      bool fell = false;
      for (int shorter = 0; shorter < 6 && !fell; ++shorter, share /= 6) {
        go_between(here.x + share * move);
        fell = d_a > 0 && d_b > 0 && sum() < here.sum();
      }
      if (fell && here.sum() - sum() > kGain * sum()) continue;
      if (fell) return slope().norm() < kAlmost;
      if (slope().norm() > here.slope().norm()) ask(here.x);  // nothing left but rounding
      return slope().norm() < kAlmost;
    }
    return slope().norm() < kAlmost;
  }
};

/// Whether the guess is the nearest pair already, but for slopes below `level`.
template <class FieldA, class FieldB>
bool is_nearest_pair(const FieldA& a, const FieldB& b, double apart, double level,
                     const NearestPair& pair) {
  BetweenSolids<FieldA, FieldB> between{a, b};
  between.shift = std::max(0.0, apart - pair.gap) * pair.n;
  between.ask(pair.b + (between.shift - pair.gap * pair.n) / 2);
  return between.d_a > 0 && between.d_b > 0 && between.slope().norm() < level;
}

/// Improves a guess; false if nothing comes to rest within `reach`. `a(x, gradient)` and
/// `b(x, gradient)` are distances outside of the solids; `apart` is how far they are moved apart at
/// first.
template <class FieldA, class FieldB>
bool find_nearest_pair(const FieldA& a, const FieldB& b, double apart, double reach,
                       NearestPair& pair) {
  constexpr int kIterations = 30;
  constexpr double kRest = 1e-7;  // of unit vectors: the gap is off by the square
  constexpr double kFall = 0.02;  // of the gap; by more, it is another place
  const double least = 1e-5 * apart;
  double nearer = 0.2;  // than before, if they came to rest there
  double apart_before = apart;
  bool found = false;
  BetweenSolids<FieldA, FieldB> between{a, b};
  Eigen::Vector3d on_a = pair.b - pair.gap * pair.n;
  const auto part = [&] {
    between.shift = std::max(0.0, apart - pair.gap) * pair.n;
    between.ask((on_a + pair.b + between.shift) / 2);
  };
  part();
  for (int k = 0; k < kIterations; ++k) {
    if (!between.settle(reach)) {
      nearer = std::sqrt(nearer);
      if (!found || nearer > 0.9) break;
      apart = nearer * apart_before;
      part();
      continue;
    }
    const Eigen::Vector3d m = between.across();
    const double gap = between.sum() - m.dot(between.shift);
    if (found && gap < pair.gap - kFall * apart_before) break;
    const double turn = (m - pair.n).norm();
    pair = {between.on_b(), m, gap};
    on_a = between.on_a();
    found = true;
    if (between.shift.norm() == 0 || turn < kRest) return true;
    apart_before = apart;
    apart = std::max({least, nearer * apart, 0.5 * std::abs(gap)});
    part();
  }
  return found;
}

}  // namespace stiction
