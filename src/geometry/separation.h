// The direction in which two cores are furthest apart, or overlap least: what is likely (see
// likely_normal.h), else GJK when they are apart, or just touch and are apart once made a little
// smaller, EPA when they overlap, and then refinements that make the normal exact.
//
// The support function of a core has kinks at the normals of its faces and along the directions at
// right angles to its edges, and the best n often lies on one:
//   face      n is the normal of a face of either core,
//   edges     n is at right angles to an edge of each core, n = u_A x u_B,
//   edge      n is at right angles to one edge, and free otherwise,
//   smooth    n is free.
// Where it is free, Newton's method finds the maximum of s(n) on the unit sphere. With the Hessians
// H of the support functions and the supports a, b, the step t in the tangent plane solves
//   (H_A(n) + H_B(-n) + s(n)) t = (1 - n n^T) (b - a).
#pragma once

#include "geometry/support.h"

namespace stiction {

enum class ReferenceFace { kNone, kOfA, kOfB };

/// In the frame of A.
struct Separation {
  double value = 0;                              ///< of the cores along n
  Eigen::Vector3d n = Eigen::Vector3d::UnitX();  ///< unit, from A to B
  Eigen::Vector3d a = Eigen::Vector3d::Zero();   ///< nearest or deepest points of the cores
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  ReferenceFace reference = ReferenceFace::kNone;  ///< whose face's normal is n
};

/// False if the cores are further apart than `limit`; only n is set then, and proves
/// it. `guess` is a normal to try, or zero; it changes no bit of the result.
bool separate(CorePair& pair, double limit, const Eigen::Vector3d& guess, Separation& separation);

/// Takes the two edges next to contacts along `guess`, if they cross, as GJK and refinement would
/// in the end: the same bits, whatever the guess. False if their nearest points do not prove it.
bool separate_by_edges(CorePair& pair, const Eigen::Vector3d& guess, Separation& separation);

/// Moves n to the edge that is nearly at right angles to it, if that separates no worse, and to the
/// maximum along the directions left.
void refine_normal(CorePair& pair, Separation& separation);

}  // namespace stiction
