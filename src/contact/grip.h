// Grip, our own solver and the default: the augmented Lagrangian of [TRO25] IV with the strict
// operator, beta as its trust region, and CANAL as its safety net. docs/grip.md has the reasons and
// the measurements.
//
// Every loop solves the surrogate problem (12) of lambda_prev = -u exactly as printed,
//
//   r(v) = A v - b - sum_i J_i^T Pi_strict(lambda_prev_i - beta_i (J_i v + e_i)) = 0     (20)
//   beta_i = s m_i,   m_i = rows / tr(J_i A^-1 J_i^T),
//
// and then takes lambda_prev <- lambda (13). Without the lagged term p of CANAL the loop is a
// proximal point method whose rate is about 1 / (1 + s) per loop, friction included, and the scale
// s alone decides how hard a loop is: small s, easy and slow; large s, hard and superlinear.
// - Grip tightens while it holds: a loop that needed at most `fast` Newton steps makes s three
//   times larger. When it slips (no convergence in 20 steps), v and lambda go back, s is divided
//   by five and kept for two loops.
// - Newton steps take the unsymmetric derivative of the strict operator (LU). Its step length is
//   the root of phi'(alpha) = d^T r(v + alpha d), as for the convex surrogate of CANAL: phi' is not
//   a derivative here, but along d it behaves like one far more often than |r| decreases. Where d
//   is no descent direction, the coupling of friction to the normal impulse in the derivative is
//   halved, then dropped; without it the matrix is positive definite and d descends.
// - Below s_min a loop of CANAL (proximal operator, lagged p, convex) replaces the strict one.
// - A loop is solved when |J A^-1 r|, the velocity error that it leaves, is below 0.6 of the best
//   residual so far; at least one step is taken.
// - Warm start: s = 10 times the gain of the guess over lambda = 0 in residual, so that a scene at
//   rest starts at s_warm. A guess worse than lambda = 0 is dropped. One within the tolerance gets
//   up to twenty sweeps, to a hundredth of it, and loops if a tenth is left (grains: more
//   sweeps): at rest its error would be the same in every step, a creep, or grow until the forces
//   jump.
// - At round-off (loops solved, residual not falling) s is divided by ten: smaller beta, smaller
//   rounding error of beta (J v + e). If that does not help, the solver ends with kStalled.
// - It begins with sweeps of accelerated Gauss-Seidel, to the tolerance or, where the guess is near
//   it, to a tenth of the guess's residual, as long as they promise to be done soon: a Newton step
//   costs as much as ten sweeps on robots and hundreds in a pile. The first sweep shares loads out
//   (PgsOptions::shared). Not so for a few free bodies without a guess. Most steps of robots and of
//   moving grains end here, without a factorization. Good guesses of free bodies are for Newton.
//   Where few dofs carry many contacts a Newton step costs little more than a sweep, and there are
//   no sweeps.
// - Without a guess, and unless the problem is large, smoothing Newton (nnewton) goes next, from
//   lambda = 0: it needs half the factorizations that loops from there do. It ends when it has come
//   to `smoothed` of the residual of lambda = 0 and does not converge quadratically: from then on
//   loops are faster, and reach round-off. If it fails, the loops begin at lambda = 0 after all.
// - Grains (many free bodies) that sweeps do not solve soon go to SubADMM before any loop. A huge
//   pile with a guess ends there if the residual is small enough (`nearly`), as stalled if above
//   the tolerance: steps of a simulation should not take seconds.
// - `patience` loops without progress in a large problem call for SubADMM from lambda = 0, with
//   Anderson acceleration, unless there was a guess and the residual is small enough. In a small
//   problem, or if that did not help, they call for a detour: the problems with compliance
//   R_i = R / m_i, J v + e + R lambda instead of J v + e, always have a solution. R falls from
//   10^-2 to `compliance`, every stage starting from the one before and cut in two where it gets
//   stuck; the loops then go on at s = 1 / compliance. If they get stuck again, smoothing Newton
//   (nnewton) and long runs of sweeps take turns with them, but not for a large problem with a
//   guess.
// - A problem without a solution (wedged bodies) shows after the detour as impulses that grow
//   beyond all proportion. Then the lambda of the last compliant problem is returned as
//   kRegularized: bounded, and with a v close to what any solver would find.
// - When time is up before the tolerance is met, ten plain sweeps follow, from the better of the
//   guess and the best iterate, both brought inside the cones: nothing pulls, and bodies stay up.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

struct GripOptions {
  int iterations = 1000;          ///< AL loops
  int newton_iterations = 20;     ///< per loop
  double newton_tolerance = 0.6;  ///< of the best residual
  double s_cold = 10;
  double s_warm = 1e5;
  double s_swept = 1e3;
  double s_min = 1;
  double s_max = 1e8;
  double tighten = 3;
  double loosen = 5;
  int hold = 2;              ///< loops without tightening after a slip
  int fast = 6;              ///< Newton steps of a loop that went well
  int patience = 15;         ///< loops without progress
  double good_guess = 0.01;  ///< residual over that of lambda = 0 below which no sweeps are needed
  int sweeps = 150;          ///< before the first loop, if they will do
  int most_sweeps = 8000;    ///< for a problem of more than `large` dofs
  int large = 200;
  int huge = 600;            ///< dofs from which a factorization costs hundreds of sweeps
  double redundant = 8;      ///< rows per dof from which sweeps do not pay
  int smooth_steps = 40;     ///< of smoothing Newton, without a guess
  double smoothed = 1e-3;    ///< residual over that of lambda = 0 from which loops are faster
  double compliance = 1e-6;  ///< R_i m_i of the regularised problem
  int rescues = 8;           ///< by smoothing Newton and long runs of sweeps, once stuck for good
};

void solve_grip(const Problem& problem, const DynamicsFactor& factor, const GripOptions& options,
                const Start& start, Monitor& monitor);

}  // namespace stiction
