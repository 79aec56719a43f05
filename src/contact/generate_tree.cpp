#include "contact/generate_tree.h"

#include "contact/jacobian.h"

namespace stiction {

using Eigen::Vector3d;

Vector6d hinge_column(const Vector3d& axis, const Vector3d& p_W, const Vector3d& O_W) {
  Vector6d column;
  column << (p_W - O_W).cross(axis), axis;
  return column;
}

int add_link(GeneratedScene& scene, const Link& link, const Vector3d& O_W) {
  Problem& problem = scene.problem;
  const int body = static_cast<int>(problem.bodies.size());
  const int begin = problem.n();
  const int dofs = static_cast<int>(link.S.cols());
  if (link.parent < 0) problem.subsystems.push_back({begin, 0, body, 0, -1});
  problem.subsystems.back().dof_count += dofs;
  problem.subsystems.back().body_count += 1;
  problem.bodies.push_back(
      {link.parent, begin, dofs, spatial_inertia(link.mass, link.p_WC - O_W, link.I_c)});
  problem.S.conservativeResize(6, begin + dofs);
  problem.S.rightCols(dofs) = link.S;
  problem.D.conservativeResize(begin + dofs);
  problem.D.tail(dofs).setZero();
  problem.b.conservativeResize(begin + dofs);
  problem.b.tail(dofs).setZero();
  scene.origins.push_back(O_W);
  return body;
}

void add_tree_momentum(GeneratedScene& scene, const Subsystem& tree, const Eigen::VectorXd& v) {
  Problem& problem = scene.problem;
  Matrix6Xd V(6, problem.bodies.size());
  body_twists(problem, v, V);
  for (int k = tree.body_begin; k < tree.body_begin + tree.body_count; ++k) {
    // H knows mass and first moment: its upper left and lower left blocks give the weight's wrench.
    const Matrix6d& H = problem.bodies[k].H;
    const Vector6d wrench = H * V.col(k) - kTimeStep * kGravity * H.col(2);
    for (int a = k; a >= 0; a = problem.bodies[a].parent) {
      const ProblemBody& body = problem.bodies[a];
      problem.b.segment(body.dof_begin, body.dof_count) +=
          problem.S.middleCols(body.dof_begin, body.dof_count).transpose() * wrench;
    }
  }
}

}  // namespace stiction
