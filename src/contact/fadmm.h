// ADMM without the body split of SubADMM, the two comparisons of [TRO25] Table III:
//
//   fadmm   No Sub:  one slack per constraint, (A + beta J^T J) v = b + J^T (beta z - u) (29)
//   nobody  No Body: one slack per constraint and subsystem, as [ICRA23] (15): a constraint between
//           two bodies of one tree couples them inside the tree's matrix
//
// Both have the iteration of SubADMM, see subadmm.h and subadmm_pack.h for z, u, y in terms of x
// and tau, and its beta, relaxation and stopping rule; only the matrix differs. It is factorized by
// the block Cholesky of linalg/, which finds the subsystems by itself where they are not coupled.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"
#include "contact/subadmm.h"

namespace stiction {

struct FadmmOptions {
  int iterations = 2000;
  int measure_every = 20;         ///< iterations between two residuals
  bool split_subsystems = false;  ///< nobody
  SubAdmmOptions penalty{};       ///< beta_factor, open_weight, first_recount and relaxation
};

void solve_fadmm(const Problem& problem, const DynamicsFactor& factor, const FadmmOptions& options,
                 const Start& start, Monitor& monitor);

}  // namespace stiction
