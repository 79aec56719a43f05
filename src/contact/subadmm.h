// SubADMM, Algorithm 2 of [TRO25]: ADMM on the problem cut at every body, so that the velocity of
// each subsystem and the impulse of each constraint are found independently of all others.
//
// Problem    A_j v_j = b_j + sum_i J_ij^T lambda_i,  (Z_i, lambda_i) in S_c,  z_ij = J_ij v_j (33)
// Iteration  (A_j + sum_i beta J_ij^T J_ij) v_j = b_j + sum_i J_ij^T (beta z_ij - u_ij) (35)
//            lambda_i = T(-(sum_j y_ij + beta e_i) / |Z_i|),  y_ij = beta J_ij v_j + u_ij (37)-(39)
//            beta z_ij = y_ij + lambda_i,  u_ij = -lambda_i                                (36),
//            (40)
// Stopping   on the residual of contact/residual.h, every `measure_every` iterations at first.
//
// Symbols    i constraint, j subsystem, Z_i the slacks of constraint i, one per body it touches.
//
// Deviations from the paper
//  - beta is 3 times the pseudodensity, counts open contacts for a tenth, and is shared out among
//    the contacts by their effective masses, see subadmm_penalty.h.
//  - Over-relaxation: J v becomes a J v + (1 - a) z. With a = 1 it is the paper's iteration.
//  - z, u and y are not stored: they follow from one vector per slot and one per constraint, see
//    subadmm_pack.h.
//  - (44) compares two velocities, so that it does not depend on the scale of the masses.
//  - The paper stops on theta_p + theta_d, which adds m/s to N s.
//
// SubADMM is a first-order method: linear convergence, cost linear in bodies and constraints.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

struct SubAdmmOptions {
  int iterations = 2000;
  int measure_every = 30;  ///< iterations between two residuals, more after the first 600

  double beta_factor = 3;        ///< times the pseudodensity; 1 in the paper
  double open_weight = 0.1;      ///< of an open contact in the pseudodensity; 1 in the paper
  int first_recount = 5;         ///< open contacts are counted after so many iterations, twice as
                                 ///< many, four times as many ...; 0: never
  double relaxation = 1.6;       ///< a, in (0, 2); 1 in the paper
  bool effective_masses = true;  ///< contacts have beta_i ~ m_i; false: all the same, as printed
  bool adaptive_beta = true;     ///< (44), after every measurement
  double gamma = 4;              ///< of (44), > 1

  bool per_subsystem_beta = false;  ///< [ICRA23] (23) instead of the pseudodensity
  bool y_residual = false;   ///< measure only when [ICRA23] (22), as a velocity, is below tolerance
  bool articulated = false;  ///< trees by the articulated-body algorithm, Remark 1
  int anderson = 0;          ///< memory of Anderson acceleration, up to 16; 0: none
};

void solve_subadmm(const Problem& problem, const DynamicsFactor& factor,
                   const SubAdmmOptions& options, const Start& start, Monitor& monitor);

}  // namespace stiction
