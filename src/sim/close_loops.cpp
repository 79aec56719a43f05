#include "sim/close_loops.h"

#include <Eigen/QR>

#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "sim/dynamics.h"
#include "sim/equalities.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kNewtonSteps = 5;

// A, J and e = phi at qpos.
void linearize(const Model& model, const Structure& structure, const VectorXd& qpos, TreeData& tree,
               Problem& loops) {
  update_kinematics(model, qpos, tree);
  assemble_masses(structure, tree, loops);
  loops.constraints.clear();
  loops.ports.clear();
  loops.port_dofs.clear();
  loops.port_columns.clear();
  loops.e.resize(0);
  for (const Equality& equality : model.equalities) {
    add_equality(model, structure, tree, qpos, equality, 1, kInfinity, loops);
  }
}

// d with A d = J^T mu, J d = -phi; rows that say the same thing twice share mu.
VectorXd newton_step(const Problem& loops) {
  const DynamicsFactor factor(loops);
  const int rows = loops.n_c();
  Matrix6Xd V(6, loops.bodies.size());
  MatrixXd W(rows, rows);       // J A^-1 J^T
  MatrixXd Y(loops.n(), rows);  // A^-1 J^T
  for (int r = 0; r < rows; ++r) {
    VectorXd y = VectorXd::Zero(loops.n());
    add_J_transposed(loops, VectorXd::Unit(rows, r), V, y);
    factor.solve_in_place(y);
    VectorXd Jy(rows);
    multiply_J(loops, y, V, Jy);
    Y.col(r) = y;
    W.col(r) = Jy;
  }
  return Y * -W.completeOrthogonalDecomposition().solve(loops.e);
}

}  // namespace

void close_loops(const Model& model, const Structure& structure, double reach, TreeData& tree,
                 Problem& loops, VectorXd& qpos) {
  for (int k = 0; k < kNewtonSteps; ++k) {
    linearize(model, structure, qpos, tree, loops);
    const double open = loops.n_c() > 0 ? loops.e.lpNorm<Eigen::Infinity>() : 0;
    if (open <= kLoopTolerance || open > reach) return;
    integrate_positions(model, newton_step(loops), 1, qpos);
  }
}

}  // namespace stiction
