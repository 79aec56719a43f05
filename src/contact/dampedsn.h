// Damped semismooth Newton inside the strict augmented Lagrangian: the baseline DampedSN of [TRO25]
// VII-D.1 (strict_surrogate.h has the equation and the outer loop). Inner iteration:
//
//   v <- v + alpha d,  M d = -r,  alpha = 1, 1/2, 1/4 ... until
//   merit(v + alpha d) <= (1 - 2 c alpha) merit(v)                      (Armijo: d' merit = -2
//   merit)
//
// It fails where M is singular or no alpha >= alpha_min will do.
#pragma once

#include "contact/strict_surrogate.h"

namespace stiction {

struct DampedSnOptions : StrictOuterOptions {
  double armijo = 1e-4;
  double alpha_min = 1e-5;
};

void solve_dampedsn(const Problem& problem, const DynamicsFactor& factor,
                    const DampedSnOptions& options, const Start& start, Monitor& monitor);

}  // namespace stiction
