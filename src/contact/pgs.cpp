#include "contact/pgs.h"

#include "contact/operators.h"

namespace stiction {

void solve_pgs(const Problem& problem, const DynamicsFactor& factor, const PgsOptions& options,
               const Start& start, Monitor& monitor) {
  using Eigen::Vector3d;
  using Eigen::VectorXd;
  const VectorXd& m = monitor.evaluator().masses();
  const int count = static_cast<int>(problem.constraints.size());
  const int bodies = static_cast<int>(problem.bodies.size());
  VectorXd lambda = start.lambda;
  VectorXd change = VectorXd::Zero(problem.n_c());
  VectorXd v = problem.b;
  VectorXd dv(problem.n());
  Matrix6Xd V(6, bodies);
  Matrix6Xd W(6, bodies);
  add_J_transposed(problem, lambda, W, v);
  factor.solve_in_place(v);
  for (int sweep = 0;; ++sweep) {
    if (sweep % options.measure_every == 0 && monitor.should_stop(lambda, sweep, 0)) return;
    for (int i = 0; i < count; ++i) {
      const Constraint& constraint = problem.constraints[i];
      const Vector3d e = rows_of(constraint, problem.e);
      const Vector3d before = rows_of(constraint, lambda);
      body_twists(problem, v, V);
      const Vector3d u = constraint_velocity(problem, constraint, v, V) + e;
      const Vector3d after =
          apply_operator(constraint, ContactLaw::kStrict, m[i], e, before - m[i] * u);
      set_rows(constraint, after, lambda);
      set_rows(constraint, after - before, change);
      dv.setZero();
      add_J_transposed(problem, change, W, dv);
      set_rows(constraint, Vector3d::Zero(), change);
      factor.solve_in_place(dv);
      v += dv;
    }
  }
}

}  // namespace stiction
