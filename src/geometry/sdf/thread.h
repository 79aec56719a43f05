// The profile of an ISO metric thread (ISO 68-1) and its helical distance.
//
// Turning about z by an angle and rising by pitch / (2 pi) times it maps a thread onto itself, so
// its distance depends on the radius rho and on zeta = z - pitch azimuth / (2 pi) only. With f the
// exact distance to the profile in that plane, the thread is the zero of F(x) = f(rho, zeta),
//   |grad F|^2 = f_rho^2 + f_zeta^2 (1 + (pitch / (2 pi rho))^2),   distance = F / |grad F|.
// That is exact to first order; what is left is of the order of the squared slope of the helix
// (0.0356 for M48) times distance^2 / radius: 0.03 um at 1 mm from an M48 thread.
#pragma once

#include <stiction/sdf.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// Material on the side of the axis: a ridge around zeta = 0, a groove around pitch / 2, flanks at
/// 30 degrees from the radial direction. The profile of a nut's hole is one, too.
struct ThreadProfile {
  double pitch = 0;
  double pitch_radius = 0;  ///< where ridge and groove are equally wide
  double crest_radius = 0;  ///< of the ridge: flat, unless crest_round > 0
  double root_radius = 0;   ///< of the groove: flat, unless root_round > 0
  double crest_round = 0;   ///< radius of an arc tangent to both flanks; it then sets crest_radius
  double root_round = 0;
  // What `completed` works out of these, as (rho, zeta): centres of the arcs, corners where there
  // are none; and the ends of the straight part of the flank.
  Eigen::Vector2d crest_center = Eigen::Vector2d::Zero();
  Eigen::Vector2d root_center = Eigen::Vector2d::Zero();
  Eigen::Vector2d flank_top = Eigen::Vector2d::Zero();
  Eigen::Vector2d flank_bottom = Eigen::Vector2d::Zero();
};

/// Sets what follows from the rest, crest_radius and root_radius where an arc determines them.
ThreadProfile completed(ThreadProfile profile);

/// Radius of the profile at zeta.
double profile_radius(const ThreadProfile& profile, double zeta);

/// Half a pitch of the profile from crest to root as (rho, zeta): corners, tangent points and
/// points of arcs.
void profile_points(const ThreadProfile& profile, int arc_points, double flank_edge,
                    std::vector<Eigen::Vector2d>& points);

/// A function of (rho, zeta) and its derivatives.
struct ThreadSlope {
  double value, d_rho, d_zeta;
};

/// The flank and the groove beside a ridge, zero on them and smooth: beyond the ridge's edge the
/// flank goes on, beyond the middle of the groove its bottom does. `zeta` is 0 in the ridge's
/// middle. The ridges of a `hole` are of the solid around it, between those of the profile.
ThreadSlope ridge_flank(const ThreadProfile& profile, bool hole, double rho, double zeta);

/// Signed distance of the endless thread, right-handed, with its gradient.
double thread_distance(const ThreadProfile& profile, const Eigen::Vector3d& p,
                       Eigen::Vector3d& gradient);
void thread_distances(const ThreadProfile& profile, DistanceBlock& block);

}  // namespace stiction
