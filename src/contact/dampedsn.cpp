#include "contact/dampedsn.h"

namespace stiction {

using Eigen::VectorXd;

void solve_dampedsn(const Problem& problem, const DynamicsFactor& factor,
                    const DampedSnOptions& options, const Start& start, Monitor& monitor) {
  VectorXd d(problem.n());
  VectorXd trial(problem.n());
  const StrictInner newton = [&](StrictSurrogate& surrogate, double tolerance, int max_iterations,
                                 VectorXd& v, int& iterations) {
    double merit = surrogate.evaluate(v);
    for (; surrogate.velocity_error() > tolerance; ++iterations) {
      if (iterations >= max_iterations || monitor.out_of_time()) return false;
      if (!surrogate.linearise()) return false;
      d = -surrogate.r();
      surrogate.solve_newton(d);  // [TRO25] (26) with the strict operator
      const double before = merit;
      double alpha = 1;
      for (;; alpha *= 0.5) {
        trial = v + alpha * d;
        merit = surrogate.evaluate(trial);
        if (merit <= (1 - 2 * options.armijo * alpha) * before) break;
        if (alpha < options.alpha_min) {
          surrogate.evaluate(v);
          return false;
        }
      }
      v = trial;
    }
    return true;
  };
  solve_strict_outer(problem, factor, options, newton, start, monitor);
}

}  // namespace stiction
