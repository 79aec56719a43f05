// Hybrid variables of [TOD11] and the geometry of their edges, one constraint at a time.
//
// x encodes impulse f and velocity v of a constraint at once, so that its law holds for every x:
//
//   v(x) = f(x) + x,                                                                  [TOD11] (14)
//   contact: f_n = max(0, -x_n),  f_t = -min(1, mu f_n / |x_t|) x_t.          (10), (12), (13)
//
// Seen from [TRO25] (19) this is f(x) = T(-x) with the strict operator and beta = 1, which extends
// the idea to every other constraint: unilateral max(0, -x), equality -x (so v = 0), joint friction
// -x clamped, joint limit the two-sided rule, soft an affine function. Velocities are s = J v + e,
// so [TOD11]'s b = -e_n is 0 here and tangential e needs no special case. Impulses are divided and
// velocities multiplied by sqrt(m_i). Rows are (t1, t2, n), where [TOD11] has (n, t1, t2).
//
// An edge is where f has a kink: for a contact the plane x_n = 0 (break | slip) and the cone
// |x_t| = -mu x_n (slip | stick); for scalar laws the points where they change.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>

namespace stiction {

/// A constraint with what its scaled law needs.
struct HybridLaw {
  const Constraint* constraint = nullptr;
  double root_mass = 1;  ///< sqrt(m_i)
  Eigen::Vector3d e = Eigen::Vector3d::Zero();
};

/// f(x).
Eigen::Vector3d hybrid_impulse(const HybridLaw& law, const Eigen::Vector3d& x);
/// f(x) and D = -df/dx.
Eigen::Vector3d hybrid_impulse(const HybridLaw& law, const Eigen::Vector3d& x, Eigen::Matrix3d& D);

enum class EdgeKind { kNone, kPlane, kCone };

/// The edge that x lies on, if any, with the derivatives of its two sides.
struct Edge {
  EdgeKind kind = EdgeKind::kNone;
  double offset = 0;   ///< of a plane along its axis
  Eigen::Vector3d d;   ///< unit normal, towards side 1
  Eigen::Matrix3d D1;  ///< -df/dx there: break for a contact's plane, stick for its cone
  Eigen::Matrix3d D2;
};
Edge edge_at(const HybridLaw& law, const Eigen::Vector3d& x);

/// Orthonormal basis of the edge's tangent space at x in the first columns of B; returns how many.
/// That is (29) with unit columns, so that B B^T in (28) is the projector on the tangent space.
int edge_tangents(const HybridLaw& law, const Edge& edge, const Eigen::Vector3d& x,
                  Eigen::Matrix3d& B);

/// The nearest point of the edge.
Eigen::Vector3d project_on_edge(const HybridLaw& law, const Edge& edge, const Eigen::Vector3d& x);

/// Where x + alpha u crosses an edge.
struct Crossing {
  double alpha = 0;
  int constraint = -1;
  EdgeKind kind = EdgeKind::kNone;
  double offset = 0;
};
/// All crossings with 0 < alpha < 1, at most three; returns how many.                         (27)
int edge_crossings(const HybridLaw& law, const Eigen::Vector3d& x, const Eigen::Vector3d& u,
                   Crossing crossings[3]);

}  // namespace stiction
