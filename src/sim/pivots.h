// A free body turns about its centre of mass c, wherever its origin o is: the step is that of the
// same body with its origin at c. The velocity v of o means, with the arm r = c - o of the moment,
//
//   u = v + w x r,   c <- c + h u,   R <- R exp(h w),   o <- c - r+,   v <- u - w x r+,
//
// and the solve, whose masses have the arm of its start, takes no centrifugal force: u and w are
// what it keeps. So momentum is kept, and no impact or friction can add energy. (With o <- o + h v
// and a force m w x (w x r), a rod that turned by 0.1 rad in a step gained half of its energy in
// one impact.)
//
// Contacts close their gaps by velocities along tangents, and c does not go along one where a ball
// rolls whose c is not its centre: what a contact pushes and turns slowly has o <- o + h v. Then a
// ball stays on the floor exactly, if o is its centre.
#pragma once

#include <stiction/simulation.h>
#include <stiction/tree.h>

#include "sim/structure.h"

namespace stiction {

/// qpos <- qpos (+) h v, free bodies about their centres of mass.
void move_positions(const Model& model, const Structure& structure, const ConstVectorRef& v,
                    double h, VectorRef qpos);

/// v of the origins at `from` becomes that at `to`, for the same velocities of the centres.
void carry_velocities(const Structure& structure, const ConstVectorRef& from,
                      const ConstVectorRef& to, VectorRef v);

/// Origins of what contacts push go straight, from qpos with v, into qpos_next; after find_held.
void keep_on_ground(const Simulation::Impl& sim, const Eigen::VectorXd& qpos,
                    const Eigen::VectorXd& v, Eigen::VectorXd& qpos_next);

/// Takes from v of the origins what turning the arms takes in h seconds, h w x (w x r), at the
/// poses and spins of the tree.
void turn_arms(const Structure& structure, const TreeData& tree, double h, VectorRef v);

}  // namespace stiction
