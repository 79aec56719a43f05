#include "contact/pj.h"

#include "contact/jacobian.h"
#include "contact/one_constraint.h"
#include "contact/root_rows.h"

namespace stiction {

using Eigen::Vector3d;
using Eigen::VectorXd;

void solve_pj(const Problem& problem, const DynamicsFactor&, const PjOptions& options,
              const Start& start, Monitor& monitor) {
  const RootRows& rows = monitor.evaluator().rows();
  const int count = rows.count();
  std::vector<OneConstraint> alone;
  alone.reserve(count);
  for (int i = 0; i < count; ++i) {
    alone.emplace_back(problem.constraints[i], rows.e(i), rows.shared_W(i));
  }
  VectorXd lambda = start.lambda;
  VectorXd w(rows.width());
  VectorXd w_next(w);
  std::vector<double> gamma(count, 0);
  for (int l = 0;; ++l) {
    if (l % options.measure_every == 0 || l >= monitor.max_iterations()) {
      if (monitor.should_stop(lambda, l, 0)) return;
      rows.move_to(lambda, w);
    }
    w_next = w;
    for (int i = 0; i < count; ++i) {
      const Constraint& constraint = problem.constraints[i];
      const Vector3d before = rows_of(constraint, lambda);
      const Vector3d after = alone[i].solve(rows.velocity(i, w), before, gamma[i]);
      set_rows(constraint, after, lambda);
      rows.add(i, after - before, w_next);
    }
    w.swap(w_next);
  }
}

}  // namespace stiction
