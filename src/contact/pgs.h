// Projected Gauss-Seidel: sweeps over the constraints, each brought to its own law with the others
// frozen. The baseline of [TRO25] VII and the workhorse of game engines.
//
//   lambda_i <- T(lambda_i - m_i (J_i v + e_i)),   v <- v + A^-1 J_i^T (change of lambda_i)
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

struct PgsOptions {
  int iterations = 1000;
  int measure_every = 10;  ///< sweeps between two residuals
};

void solve_pgs(const Problem& problem, const DynamicsFactor& factor, const PgsOptions& options,
               const Start& start, Monitor& monitor);

}  // namespace stiction
