// Projected Gauss-Seidel: sweeps over the constraints, each brought to its own law with the others
// frozen. The baseline of [TRO25] VII and the workhorse of game engines.
//
//   lambda_i <- the solution of constraint i alone, exactly (one_contact.h),
//   v <- v + A^-1 J_i^T (change of lambda_i), in the coordinates w = F v of root_rows.h
//
// A constraint on two free bodies costs 72 products however large the problem is; nothing bigger
// than 3x3 is ever formed of J A^-1 J^T. Of many free bodies, constraints that have none in common
// go through the vector unit together (sweep_packs.h); the order of the sweep follows from that.
//
// Fewer sweeps do with an acceleration (accelerate_sweeps.h): conjugate gradients, as [ICRA23] did,
// or Anderson's, which needs half as many on robots.
//
// Stopping: the residual of contact/residual.h, every `measure_every` sweeps, and when accelerated
// as soon as a sweep changed next to nothing: |change of lambda_i| / m_i is nearly the residual
// before it.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

enum class SweepAcceleration { kNone, kConjugateGradients, kAnderson };

struct PgsOptions {
  int iterations = 2000;
  int measure_every = 10;  ///< sweeps between two residuals
  SweepAcceleration acceleration = SweepAcceleration::kNone;
  /// So many first sweeps are of the Jacobi kind (pj.h): contacts that could each carry a load
  /// alone then share it. Without them the first one takes all, and a cube held by its corner alone
  /// turns, which is a solution too.
  int shared = 0;
  /// Ends when, at the rate of the last `judge_every` sweeps, it would take more than this; 0:
  /// never.
  int within = 0;
  int judge_every = 10;
};

void solve_pgs(const Problem& problem, const DynamicsFactor& factor, const PgsOptions& options,
               const Start& start, Monitor& monitor);

}  // namespace stiction
