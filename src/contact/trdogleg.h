// Trust-region dogleg (Nocedal & Wright, Numerical Optimization, 2nd ed., sections 4.1 and 11.2)
// inside the strict augmented Lagrangian: the baseline TRDogleg of [TRO25] VII-D.1
// (strict_surrogate.h has the equation and the outer loop). Inner iteration on the model
//
//   m(p) = |r + M p|^2 / 2,   |p| <= Delta,   norms of A^-1 for r and of A for p:
//
//   Newton point  M p_N = -r,   Cauchy point  p_C = -(g^T A^-1 g) / |M A^-1 g|^2 A^-1 g,
//   g = M^T A^-1 r, and the path 0 : p_C : p_N cut at the radius. With rho = actual / predicted
//   decrease: rho < 1/4 shrinks Delta to |p| / 4, rho > 3/4 at the boundary doubles it, and p is
//   taken if rho > eta.
//
// Each loop begins with Delta = |p_N|. It fails when Delta has shrunk to nothing.
#pragma once

#include "contact/strict_surrogate.h"

namespace stiction {

struct TrDoglegOptions : StrictOuterOptions {
  double eta = 1e-4;
  double least_radius = 1e-10;  ///< over the first
};

void solve_trdogleg(const Problem& problem, const DynamicsFactor& factor,
                    const TrDoglegOptions& options, const Start& start, Monitor& monitor);

}  // namespace stiction
