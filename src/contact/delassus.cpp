#include "contact/delassus.h"

#include <cmath>

namespace stiction {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd row_scales(const Problem& problem, const VectorXd& masses) {
  VectorXd scale(problem.n_c());
  for (int i = 0; i < masses.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    scale.segment(constraint.row_begin, constraint.rows).setConstant(std::sqrt(masses[i]));
  }
  return scale;
}

MatrixXd scaled_delassus(const Problem& problem, const DynamicsFactor& factor,
                         const VectorXd& scale) {
  const int n_c = problem.n_c();
  const int bodies = static_cast<int>(problem.bodies.size());
  MatrixXd W(n_c, n_c);
  VectorXd unit = VectorXd::Zero(n_c);
  VectorXd dv(problem.n());
  VectorXd Jdv(n_c);
  Matrix6Xd V(6, bodies);
  for (int r = 0; r < n_c; ++r) {
    unit[r] = scale[r];
    dv.setZero();
    add_J_transposed(problem, unit, V, dv);
    factor.solve_in_place(dv);
    multiply_J(problem, dv, V, Jdv);
    W.col(r) = scale.cwiseProduct(Jdv);
    unit[r] = 0;
  }
  return 0.5 * (W + W.transpose());
}

VectorXd scaled_free_velocity(const Problem& problem, const DynamicsFactor& factor,
                              const VectorXd& scale) {
  VectorXd v = problem.b;
  factor.solve_in_place(v);
  Matrix6Xd V(6, static_cast<int>(problem.bodies.size()));
  VectorXd Jv(problem.n_c());
  multiply_J(problem, v, V, Jv);
  return scale.cwiseProduct(Jv + problem.e);
}

}  // namespace stiction
