#include "geometry/proof.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Vector3d;
using Kind = ConvexCore::Kind;

// Points are as far apart as their normal separates, to this share of the size.
constexpr double kLoss = 1e-11;
// A normal is that of a face or a side within this angle.
constexpr double kAligned = 1e-12;

// Radius of a ball inside the core that touches its surface at p, where the outward normal is n.
double inner_ball(const ConvexCore& core, const Vector3d& n, const Vector3d& p) {
  if (core.kind == Kind::kEllipsoid) {
    const double least = core.size.minCoeff();
    return least * least / core.size.maxCoeff();
  }
  if (core.kind == Kind::kCylinder) {
    const double rho = std::sqrt(p[0] * p[0] + p[1] * p[1]);
    if (std::abs(n[2]) <= kAligned) return std::min(core.size[0], core.size[2] - std::abs(p[2]));
    if (n.head<2>().norm() <= kAligned) return std::min(core.size[2], core.size[0] - rho);
  }
  if (core.kind == Kind::kBox) {
    int axis;
    if (n.cwiseAbs().maxCoeff(&axis) < 1 - kAligned) return 0;
    Vector3d room = core.size - p.cwiseAbs();
    room[axis] = core.size[axis];
    return room.minCoeff();
  }
  return 0;
}

}  // namespace

bool is_exact(const CorePair& pair, const Separation& separation) {
  return (separation.b - separation.a).norm() - separation.value <= kLoss * pair.size;
}

bool is_proven(const CorePair& pair, const Separation& separation) {
  const double near = kNear * pair.size;
  if (separation.value > near) return is_exact(pair, separation);
  const Vector3d beside = separation.b - separation.a - separation.value * separation.n;
  if (!(beside.norm() <= kLoss * pair.size)) return false;
  if (separation.value >= -near) return true;
  const Vector3d b_B = pair.R_AB.transpose() * (separation.b - pair.p_AB);
  const Vector3d n_B = -(pair.R_AB.transpose() * separation.n);
  return inner_ball(pair.a, separation.n, separation.a) >= -separation.value ||
         inner_ball(pair.b, n_B, b_B) >= -separation.value;
}

}  // namespace stiction
