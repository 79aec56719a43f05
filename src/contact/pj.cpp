#include "contact/pj.h"

#include "contact/columns.h"

namespace stiction {

using Eigen::Vector3d;
using Eigen::VectorXd;

void solve_pj(const Problem& problem, const DynamicsFactor& factor, const PjOptions& options,
              const Start& start, Monitor& monitor) {
  const int count = static_cast<int>(problem.constraints.size());
  const ConstraintColumns columns(problem, factor);
  std::vector<OneConstraint> alone;
  alone.reserve(count);
  for (int i = 0; i < count; ++i) alone.push_back(columns.sharing(i));
  VectorXd lambda = start.lambda;
  VectorXd v = VectorXd::Zero(ConstraintColumns::padded(problem.n()));
  VectorXd v_next(v);
  std::vector<double> gamma(count, 0);
  for (int l = 0;; ++l) {
    if (l % options.measure_every == 0 || l >= monitor.max_iterations()) {
      if (monitor.should_stop(lambda, l, 0)) return;
      v.head(problem.n()) = monitor.evaluator().v();
    }
    v_next = v;
    for (int i = 0; i < count; ++i) {
      const Constraint& constraint = problem.constraints[i];
      const Vector3d before = rows_of(constraint, lambda);
      const Vector3d after = alone[i].solve(columns.velocity(i, v), before, gamma[i]);
      set_rows(constraint, after, lambda);
      columns.add(i, after - before, v_next);
    }
    v.swap(v_next);
  }
}

}  // namespace stiction
