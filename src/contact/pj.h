// Projected Jacobi: as projected Gauss-Seidel, but all constraints at once, each with the others as
// they were before. A baseline of [ICRA23].
//
// The plain iteration diverges as soon as constraints share bodies. Here every subsystem's mass is
// shared out among its constraints, so that each one is solved with
//
//   W_i = sum_j k_j J_ij A_j^-1 J_ij^T,   k_j = number of constraints on subsystem j,
//
// which bounds the true coupling: sum_i J_i^T lambda_i moves no constraint by more than its own W_i
// allows. It converges for every problem with convex laws, slowly where many constraints meet.
//
// Stopping: the residual of contact/residual.h, every `measure_every` iterations.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

struct PjOptions {
  int iterations = 5000;
  int measure_every = 20;  ///< iterations between two residuals
};

void solve_pj(const Problem& problem, const DynamicsFactor& factor, const PjOptions& options,
              const Start& start, Monitor& monitor);

}  // namespace stiction
