// Implicit nonlinear complementarity, all of [TOD11] (Todorov 2011): write impulse and velocity as
// functions of one hybrid variable per row (implicit_edges.h), so that every constraint's law holds
// by construction, and solve the dynamics for it,
//
//   r(x) = A f(x) + v0 - v(x) = (A - I) f(x) - x + v0 = 0,                       (15), (16)
//   l(x) = |r|^2 / 2,  J = dr/dx,  H = J^T J + lambda I,                         (19), (21)
//   x_N = x - B (B^T H B)^-1 B^T g,  x_C = the minimum along -B B^T g.           (28)
//
// A is the Delassus matrix and v0 the velocity without impulses, both scaled (delassus.h). Per
// iteration: find active edges and choose J there (25), (26); accept x_N if it brings half of what
// the model predicts; otherwise search the dogleg x : x_C : x_N, cut where it crosses edges, with a
// cubic in every piece. Steps that start on an active cone edge are projected back on it. Without a
// warm start all contacts are assumed to stick, f = -A^+ v0. There is no globalisation beyond that:
// where no point of the dogleg is better, [TOD11] ends in a local minimum, and so do we (kStalled).
// Its idea for going on from there (V.A: solve D r = 0 with another positive diagonal D) was tried
// with random D and freed hardly any of the generated problems.
//
// Deviations and choices. Scaling by effective mass; s = J v + e instead of b; all constraint types
// (implicit_edges.h). The columns of B are unit vectors, so that B B^T projects. Rows of
// constraints with f = const nearby (open contacts) are eliminated from the linear system, which
// changes its size and not its solution. The cubic of a piece interpolates four values of l instead
// of two values and two slopes: no choice of side is needed at its ends. [TOD11] does not say how
// lambda adapts: here / 10 on acceptance, x 4 on refusal.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

/// What [TOD11] Table 1 reports, summed over the solves that were given it.
struct ImplicitStatistics {
  int iterations = 0;
  int newton_accepted = 0;    ///< x_N taken at once
  int landed_on_edge = 0;     ///< line search ended at an edge crossing
  int landed_in_piece = 0;    ///< ... or between two
  int beyond_the_cauchy = 0;  ///< of both: in the segment x_C : x_N
  int local_minima = 0;
};

struct ImplicitOptions {
  int iterations = 100;
  double accept = 0.5;  ///< least share of the predicted improvement
  double lambda = 1e-8;
  double lambda_min = 1e-14;
  double lambda_max = 1e2;
  double increase = 4;
  double decrease = 0.1;
  ImplicitStatistics* statistics = nullptr;  ///< optional; one thread only
};

void solve_implicit(const Problem& problem, const DynamicsFactor& factor,
                    const ImplicitOptions& options, const Start& start, Monitor& monitor);

}  // namespace stiction
