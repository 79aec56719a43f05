// Equality constraints phi(q) = 0 along their curve. A step that keeps to the tangent, J v = 0,
// leaves the curve by O(h^2); brought back on positions alone (close_loops.h) it turns, but its
// velocity does not, and the next step's J takes away what no longer fits: a body that goes round a
// pin at w rad/s loses w^2 h / 2 of its speed per second. So velocities aim at where positions
// shall be,
//
//   phi(q (+) h v) = phi(q):   J v + e = 0,   e = (phi(q (+) h v*) - phi(q)) / h - J v*
//
// with v* the velocity before the step, then the step's own. This is SHAKE (Ryckaert, Ciccotti,
// Berendsen 1977), which keeps momenta, and energy but for oscillations. What was open when the
// step began has e = 0 and closes on positions alone; so has everything with theta > 0.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Where no velocity follows the curve (a chain that is stretched straight between two pins), e
/// would drive the solver to any impulse. True, and e = 0, for islands whose equalities have done
/// more work in `sim.solution` than a turn of the velocity needs: the step is to be solved again.
bool let_go_of_equalities(Simulation::Impl& sim);

/// Sets e of the equalities, the last constraints of the problem, for v* = v. True if that has
/// changed it so much that the step should be solved again.
bool follow_equalities(Simulation::Impl& sim, const Eigen::VectorXd& v);

}  // namespace stiction
