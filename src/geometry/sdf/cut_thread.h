// A thread cut by a cone and a plane, and where it is nearest beside the edges that these leave.
//
// A ridge of the thread with its core, cut, is what four smooth surfaces leave of space: the flank
// with the groove beside it, the flat of the ridge, the cone and the plane. Its point nearest to p
// is found by projecting p onto the four tangent planes at the last guess, again and again; what
// they have in common is a polyhedron, whose nearest point lies on a plane, an edge or a corner of
// it. Each step divides what is left by about the radius of curvature over the distance.
#pragma once

#include <Eigen/Core>

#include "geometry/sdf/thread.h"

namespace stiction {

/// The half space normal (rho, z) <= offset turned about z: a plane or a cone.
struct TurnedCut {
  Eigen::Vector2d normal = Eigen::Vector2d::Zero();  ///< unit
  double offset = 0;

  double at(double rho, double z) const { return normal[0] * rho + normal[1] * z - offset; }
  Eigen::Vector3d gradient(const Eigen::Vector3d& p) const;
};

struct CutThread {
  ThreadProfile profile;
  bool hole = false;  ///< the solid is around the profile, a nut
  TurnedCut cone{}, plane{};
};

/// Cuts the endless thread, whose distance and gradient at p are given. Exact outside, to rounding
/// beside edges of the cuts and to the thread's own accuracy elsewhere, or to rounding everywhere
/// if `exact`; inside, the depth below the nearest of the surfaces. Two pitches away and further,
/// it is a lower bound.
void cut_thread(const CutThread& thread, bool exact, const Eigen::Vector3d& p, double& distance,
                Eigen::Vector3d& gradient);

}  // namespace stiction
