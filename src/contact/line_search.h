// Exact line search for the convex surrogate, [TRO25] (27).
#pragma once

#include "contact/surrogate.h"

namespace stiction {

/// alpha > 0 with phi'(alpha) = d^T r(v + alpha d) = 0 up to `tolerance` |phi'(0)|: Newton's method
/// on phi', safeguarded by bisection (rtsafe). d must be a descent direction of a convex phi.
double exact_line_search(const Surrogate& surrogate, double tolerance);

}  // namespace stiction
