// Free bodies that land: impacts at their own times within the step.
//
// What falls on its rim or a corner claps: other points come down within milliseconds, and which
// is next depends on when the last was hit. A bounce that began when the step does, with
// q+ = q (+) h v+, would leave the body as much as a step's way too high and turned too far, the
// next impact would be another, and the weight of the step would be lost. So here the step is gone
// through in time. Between impacts a body flies, with the acceleration a of the step's forces,
//
//   V <- V + dt a,   x <- x + dt V + dt^2 a / 2,   gap = g + J_n x,
//
// and at the first gap that closes, with all that close at once with it, A V <- A V + J^T lambda,
// J_n V <- -r J_n V, with friction. A flight of [TRO25] (2) is a parabola whose velocity when the
// step begins is V = v + (1/2 - theta) h a, v being the velocity that impacts turn round
// (bounce.h); at its end v+ = V - (1/2 - theta) h a. So energy is kept by r = 1 to rounding, with
// weight as without.
//
// v+ and the sum of the impulses solve the step's own problem if a contact that was hit has
// e = -J v+ in all its rows: the sum of impulses in a cone is in it. The step then moves by
// x = h (v+ + detour) instead of h v+.
//
// An impact that would add energy (bounce.h), or has no solution, has the largest share of its r
// that does not, to 1/256.
//
// J is that of the start of the step, which it turns by h w at most. All this is for bodies on free
// joints which touch nothing but what does not move, all with restitution, and rest on none of it:
// others bounce when the step begins (impacts.h).
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Sets e of all contacts of bodies that land in this step, the guess of its solution,
/// sim.detour, sim.landed and sim.thrown; after set_bounces. True if with theta > 0 their bodies
/// take the step with theta = 0 from now on: then it is to be done again.
bool land(Simulation::Impl& sim);

}  // namespace stiction
