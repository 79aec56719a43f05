// Nonsmooth Newton on Fischer-Burmeister functions: the baseline NNewton of [ICRA23] (Macklin et
// al. 2019, Non-smooth Newton methods for deformable multi-body dynamics), in its strongest form
// that we found. Unknowns v and lambda; with p = lambda / sqrt(m), q = sqrt(m) (J v + e),
//
//   A v = b + J^T lambda,   Phi_i(p_i, q_i) = 0                          (fischer_burmeister.h)
//
// Newton: (P + eps) dp + Q dq = -Phi per constraint, from which dlambda is eliminated,
//
//   (A + sum_i J_i^T m_i (P_i + eps)^-1 Q_i J_i) dv = -sum_i J_i^T sqrt(m_i) (P_i + eps)^-1 Phi_i.
//
// v always follows from lambda, so the merit is sum |Phi_i|^2 / 2. The step is halved until the
// merit falls below the largest of the last few (Grippo, Lampariello, Lucidi 1986); where no step
// does, one along its gradient is taken instead.
//
// Deviations. Macklin et al. freeze the friction's direction and stiffness within a step and use
// scalar functions; here friction is the second-order-cone function of lambda and u + mu |u_t| n,
// with its full derivative. Their preconditioner of complementarity is the scaling by m_i, their
// compliance the eps. tau starts large and shrinks with Phi, as in smoothing methods.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

struct NNewtonOptions {
  int iterations = 200;
  double eps = 1e-8;     ///< regularisation of P
  double tau = 3;        ///< largest smoothing over the root mean square of the unsmoothed Phi
  double tau_cut = 0.5;  ///< when that of the smoothed Phi is below tau
  int memory = 10;       ///< merits that a step is compared with
  double armijo = 1e-4;
  double alpha_min = 1e-6;
  double enough = 0;   ///< residual below which it ends with the first slow step
  double slow = 0.01;  ///< a step is slow if more than this share of the residual is left
};

void solve_nnewton(const Problem& problem, const DynamicsFactor& factor,
                   const NNewtonOptions& options, const Start& start, Monitor& monitor);

}  // namespace stiction
