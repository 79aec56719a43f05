#include "sim/close_loops.h"

#include <Eigen/QR>
#include <algorithm>

#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "sim/dynamics.h"
#include "sim/equalities.h"
#include "sim/pivots.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kNewtonSteps = 5;

// A, J and e = phi at qpos.
void linearize(const Model& model, const Structure& structure, const std::vector<char>& active,
               const VectorXd& qpos, TreeData& tree, Problem& loops) {
  update_kinematics(model, qpos, tree);
  assemble_masses(structure, tree, loops);
  assemble_equalities(model, structure, tree, qpos, active, loops);
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

// phi in e becomes what each constraint is further open than it may be.
void subtract(const VectorXd& allowed, Problem& loops) {
  for (size_t i = 0; i < loops.constraints.size(); ++i) {
    auto phi = loops.e.segment(loops.constraints[i].row_begin, loops.constraints[i].rows);
    const double open = phi.norm();
    phi *= open > allowed[i] ? 1 - allowed[i] / open : 0;
  }
}

// How far each constraint may be open when the step ends, from phi at its start: less by `reach`,
// unless a coordinate would move further for it.
VectorXd allowed_openings(const VectorXd& phi, double reach, Problem& loops) {
  VectorXd allowed(loops.constraints.size());
  for (size_t i = 0; i < loops.constraints.size(); ++i) {
    const Constraint& loop = loops.constraints[i];
    allowed[i] = std::max(phi.segment(loop.row_begin, loop.rows).norm() - reach, 0.0);
  }
  loops.e = phi;
  subtract(allowed, loops);
  const double furthest = newton_step(loops).lpNorm<Eigen::Infinity>();
  if (furthest <= reach) return allowed;
  for (size_t i = 0; i < loops.constraints.size(); ++i) {
    const Constraint& loop = loops.constraints[i];
    allowed[i] += (1 - reach / furthest) * loops.e.segment(loop.row_begin, loop.rows).norm();
  }
  return allowed;
}

}  // namespace

void close_loops(const Model& model, const Structure& structure, const std::vector<char>& active,
                 const VectorXd& phi, double reach, TreeData& tree, Problem& loops,
                 VectorXd& qpos) {
  linearize(model, structure, active, qpos, tree, loops);
  VectorXd allowed = VectorXd::Zero(loops.constraints.size());
  if (phi.lpNorm<Eigen::Infinity>() > kOpenLoop) {
    const VectorXd phi_next = loops.e;
    allowed = allowed_openings(phi, reach, loops);
    loops.e = phi_next;
  }
  VectorXd before;
  double error_before = kInfinity;
  for (int k = 0; k < kNewtonSteps; ++k) {
    subtract(allowed, loops);
    const double error = loops.e.norm();
    if (error >= error_before) qpos = before;  // as near as they come
    if (error >= error_before || error <= kLoopTolerance) return;
    before = qpos;
    error_before = error;
    move_positions(model, structure, newton_step(loops), 1, qpos);
    linearize(model, structure, active, qpos, tree, loops);
  }
}

}  // namespace stiction
