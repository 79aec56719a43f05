#include "geometry/sdf/foot.h"

#include <Eigen/Geometry>
#include <cmath>

#include "geometry/sdf/nearest_pair.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// A point of the function, near its zero.
struct Probe {
  Probe(const DistanceFunction& function, const Vector3d& point) : y(point) {
    Vector3d gradient;
    const double value = function(y, gradient);
    steepness = gradient.norm();
    n = gradient / steepness;
    off = value / steepness;
  }
  Vector3d y;
  Vector3d n;  // unit
  double off;  // the zero, roughly
  double steepness;
};

// The curvature of the surface in the plane across n.
Eigen::Matrix2d curvature(const DistanceFunction& function, const Probe& probe, double step,
                          const Eigen::Matrix<double, 3, 2>& plane) {
  Eigen::Matrix2d bend;
  for (int i = 0; i < 2; ++i) {
    const Probe beside(function, probe.y + step * plane.col(i));
    bend.col(i) = plane.transpose() * (beside.n - probe.n) / step;
  }
  return bend;
}

}  // namespace

double distance_to_foot(const DistanceFunction& function, double scale, const Vector3d& p,
                        Vector3d& gradient) {
  constexpr int kIterations = 20;
  constexpr double kRest = 1e-11;  // of unit vectors
  const Probe start(function, p);
  gradient = start.n;
  if (!(start.off > 0 && start.off < 4 * scale)) return start.off * start.steepness;
  Probe probe(function, p - start.off * start.n);
  for (int k = 0; k < kIterations; ++k) {
    const Vector3d to_p = p - probe.y;
    const double d = probe.n.dot(to_p);
    if (!(d > 0)) break;
    Eigen::Matrix<double, 3, 2> plane;
    plane.col(0) = probe.n.unitOrthogonal();
    plane.col(1) = probe.n.cross(plane.col(0));
    const Eigen::Vector2d aside = plane.transpose() * to_p;
    if (aside.norm() < kRest * scale && std::abs(probe.off) < kRest * scale) {
      gradient = probe.n;
      return d;
    }
    // |p - y|^2 / 2 on the surface has the slope -aside and bends by 1 + d times the curvature.
    const Eigen::Matrix2d bend =
        Eigen::Matrix2d::Identity() + d * curvature(function, probe, 1e-4 * scale, plane);
    const Vector3d move = plane * newton_step(bend, -aside, 0.5 * scale);
    probe = Probe(function, probe.y + move - probe.off * probe.n);
  }
  return start.off * start.steepness;
}

}  // namespace stiction
