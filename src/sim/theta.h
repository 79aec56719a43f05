// The step with theta > 0. [TRO25] (2) moves positions with theta v + (1 - theta) v+ but takes
// forces and masses at the start of the step, which makes oscillations grow like
// exp(theta h omega^2 t / 2). Here they are those of q' = q (+) theta h v,
//
//   A(q') v+ = b(q', v),   q+ = q' (+) (1 - theta) h v+,
//
// a drift, a kick and a drift: symplectic where masses are constant, of second order with theta =
// 1/2, and reversible then, as far as the mean velocity of Coriolis forces is (dynamics.cpp). Joint
// springs and dampers are implicit by the theta rule, at q + (1 - theta) h v_hat and v_hat = theta
// v + (1 - theta) v+; theta = 1/2 is the midpoint rule, which keeps the energy of springs.
// Actuators are those of the step with theta = 0: they may be stiff, and the midpoint rule would
// let them ring.
//
// Subsystems that a constraint pushes, or that v_hat would take through a contact or a limit, take
// the step with theta = 0: a contact that stopped v_hat would throw v+ back like an elastic one,
// and dry friction would turn the motion around. Which these are is known after the solve, which is
// then repeated.
#pragma once

#include "sim/simulation_impl.h"

namespace stiction {

/// Gives every subsystem the dynamics at q', after those at q.
void drift_dynamics(Simulation::Impl& sim);

/// Gives the bodies of a constraint that stops them the dynamics at q again; true if that changes
/// them.
bool hold(Simulation::Impl& sim, const Constraint& constraint);

/// Gives those that a constraint stops the ones at q again; true if that changes them.
bool hold_stopped(Simulation::Impl& sim);

}  // namespace stiction
