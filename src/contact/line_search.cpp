#include "contact/line_search.h"

#include <cmath>

namespace stiction {
namespace {

constexpr int kEvaluations = 40;

}  // namespace

double exact_line_search(const Surrogate& surrogate, double tolerance) {
  const double small = tolerance * std::abs(surrogate.slope(0).value);
  double low = 0;  // phi'(low) < 0 < phi'(high); high = 0 while unknown
  double high = 0;
  double alpha = 1;
  for (int k = 0; k < kEvaluations; ++k) {
    const Slope slope = surrogate.slope(alpha);
    if (!(std::abs(slope.value) > small)) return alpha;
    (slope.value < 0 ? low : high) = alpha;
    const double newton = alpha - slope.value / slope.derivative;
    if (high == 0) {
      alpha = std::max(newton, 2 * alpha);
    } else {
      alpha = newton > low && newton < high ? newton : 0.5 * (low + high);
    }
  }
  return alpha;
}

}  // namespace stiction
