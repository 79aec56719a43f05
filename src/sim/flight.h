// Bodies and robots that float (their root has a free joint) keep their momentum while nothing
// pushes them. The step's own update, o <- o + h v of the root's origin o, is right to first order
// only where the centre of mass c is elsewhere: c leaves its line by the arc of its way round o, and
// v of o, with c on the other side of it, means another momentum. So in flight the root is put where
// c is right, with the velocity that has the momentum,
//
//   m u+ = m u + h f,   c+ = c + h (theta u + (1 - theta) u+),
//
// u the velocity of c, and h f what the solve says of all that is no inertial force: the change of
// momentum, without that by Coriolis and centrifugal forces. Turning and limbs are those of the
// step: a uniform motion changes nothing about them. What a contact or an equality pushes stays
// where the solve wants it.
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
  std::vector<char> pushed;
};

/// Corrects qpos and qvel, to which the step leads, for all that flies. What `recovery` moves, a
/// velocity, does not fly. sim.tree_next and sim.V are work space.
void keep_momentum(Simulation::Impl& sim, const Eigen::VectorXd& recovery, Eigen::VectorXd& qpos,
                   Eigen::VectorXd& qvel);

}  // namespace stiction
