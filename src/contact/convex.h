// The soft convex model of MuJoCo and Drake, as one loop of CANAL [TRO25] VIII-D: with u = 0 and
// z = 0 the surrogate (22) is a convex problem by itself, whose contacts are springs and dampers of
// finite stiffness,
//
//   lambda_i = Pi_C(-beta_i (J_i v + e'_i)),   beta_i = m_i d_i / (1 - d_i).
//
// The parameters follow MuJoCo's defaults: the impedance d rises from d_0 at touch to d_width at a
// penetration of `width` (solimp), and a spring with the time constant `timeconst` (solref) and
// critical damping takes the place of the exact e_n = gap / h,
//
//   e'_n = h k gap,   k = d / (d_width timeconst dampratio)^2,   timeconst >= 2 h.
//
// Deviations: gaps that are still open keep e_n = gap / h, since MuJoCo has no speculative
// contacts; and the contact's velocity before the step, which the problem does not hold, does not
// enter the reference velocity, so that impacts end within one step instead of over `timeconst`.
//
// What it returns solves its own model, not the problem: the status is kRegularized unless the
// tolerance was met.
#pragma once

#include <stiction/problem.h>

#include "contact/dynamics.h"
#include "contact/monitor.h"
#include "contact/start.h"

namespace stiction {

struct ConvexOptions {
  int iterations = 1;
  int newton_iterations = 50;
  double newton_tolerance = 0.01;  ///< of the budget's tolerance
  double h = 1.0 / 240;            ///< s; the simulation sets its own
  double timeconst = 0.02;         ///< s
  double dampratio = 1;
  double d_0 = 0.9;
  double d_width = 0.95;
  double width = 0.001;  ///< m
};

/// Impedance at a gap (m, negative when penetrating): MuJoCo's sigmoid of power 2, middle 1/2.
double soft_impedance(const ConvexOptions& options, double gap);

void solve_convex(const Problem& problem, const DynamicsFactor& factor,
                  const ConvexOptions& options, const Start& start, Monitor& monitor);

}  // namespace stiction
