// CANAL, the cascaded Newton-based augmented Lagrangian: Algorithm 1 of [TRO25].
//
// Every loop solves the surrogate problem with the proximal operator and the lagged term
// p_i = (0, 0, mu_i |z_t|), which is the minimum of a strongly convex function (23), by Newton's
// method with exact line search; then it updates the multiplier and, if that brought too little,
// beta:
//
//   e~ = e + p(z^l)                                                              (21)
//   r(v) = A v - b - sum_i J_i^T Pi_C(-beta J_i v - u_i - beta e~_i) = 0         (22)
//   d = -(A + sum_i beta J_i^T dlambda/dlambda* J_i)^-1 r                        (24)-(26)
//   alpha: d^T r(v + alpha d) = 0 by rtsafe                                      (27)
//   z = J v + (u + lambda) / beta,   u <- u + beta (J v - z) = -lambda           (13), (14)
//   beta <- min(kappa beta, beta_max) if |J v - z| > zeta |J v^l - z^l|          (28)
//
// Deviations, all of them corrections or options:
// - The loop stops on the strict residual of lambda (Monitor). The printed test |J v - z| does not
//   see the error of p.
// - beta_i = beta m_i with the effective mass m_i of the constraint, so that nothing depends on the
//   unit of mass; `scale_beta = false` gives the printed beta. 1e3 times m_i at first takes fewer
//   Newton steps than 1e4 where contacts slide: there beta only makes (22) stiffer.
// - Cold start z = 0, u = 0. Tangential e is allowed: p_i = mu_i |z_t + e_t|.
// - The Newton loop ends when J A^-1 r, the velocity error that the remaining r causes, is below
//   `newton_tolerance` times the last residual: the printed threshold on |r| has the unit of mass.
// - p is a fixed-point iteration of rate mu^2 / (1 + mu^2) per sliding contact, and those of one
//   body couple: Anderson's method with a memory of `anderson` loops accelerates it. 0: as printed.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"
#include "contact/surrogate.h"

namespace stiction {

struct CanalOptions {
  int iterations = 60;            ///< AL loops
  int newton_iterations = 50;     ///< per loop
  double newton_tolerance = 0.1;  ///< of the last residual
  double beta = 1e3;              ///< kg per kg with scale_beta, else kg (printed: 1e4)
  double beta_max = 1e6;
  double kappa = 10;
  double zeta = 0.75;  ///< printed: 0.25
  bool scale_beta = true;
  int anderson = 2;  ///< memory of the acceleration of p
};

/// Solves (22), the surrogate with the proximal law, to a velocity defect of at most `enough`;
/// counts its Newton steps. False if it did not get there.
bool minimise(Surrogate& surrogate, double enough, int max_steps, int& steps);

void solve_canal(const Problem& problem, const DynamicsFactor& factor, const CanalOptions& options,
                 const Start& start, Monitor& monitor);

}  // namespace stiction
