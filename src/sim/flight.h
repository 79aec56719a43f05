// Robots that float (their root has a free joint, and limbs) keep their momentum while nothing
// pushes them. The step's own update, o <- o + h v of the root's origin o, is right to first order
// only: the centre of mass c of all leaves its line by the arcs of its parts, and v with the parts
// elsewhere means another momentum. So in flight the root is put where c is right, with the
// velocity that has the momentum,
//
//   m u+ = m u + h f,   c+ = c + h (theta u + (1 - theta) u+),
//
// u the velocity of c, and h f what the solve says of all that is no inertial force: the change of
// momentum, without that by Coriolis and centrifugal forces. Turning and limbs are those of the
// step: a uniform motion changes nothing about them. What a contact or an equality holds stays
// where the solve wants it. (Single bodies: pivots.h.)
#pragma once

#include <stiction/simulation.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// Of a subsystem.
struct FlyingMass {
  double m = 0;
  Eigen::Vector3d mc = Eigen::Vector3d::Zero();  ///< m times its centre, in the world
  Eigen::Vector3d p = Eigen::Vector3d::Zero();   ///< momentum
};

/// Scratch of keep_momentum, per subsystem.
struct FlightMemory {
  std::vector<FlyingMass> before, drifted, after;
  std::vector<char> pushed, tied;
};

/// Finds out who is pushed by a contact, or tied by an equality, from outside.
void find_held(Simulation::Impl& sim);

/// Corrects qpos and qvel, to which the step leads, for all that flies. What `recovery` moves, a
/// velocity, does not fly. sim.tree_next and sim.V are work space.
void keep_momentum(Simulation::Impl& sim, const Eigen::VectorXd& recovery, Eigen::VectorXd& qpos,
                   Eigen::VectorXd& qvel);

}  // namespace stiction
