// A and J as full matrices, by the definitions of <stiction/problem.h> and not by our products.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Dense>

namespace stiction {

/// The columns S of b and its ancestors.
inline Eigen::MatrixXd body_jacobian(const Problem& problem, int b) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, problem.n());
  for (; b >= 0; b = problem.bodies[b].parent) {
    const ProblemBody& body = problem.bodies[b];
    J.middleCols(body.dof_begin, body.dof_count) =
        problem.S.middleCols(body.dof_begin, body.dof_count);
  }
  return J;
}

inline Eigen::MatrixXd dense_A(const Problem& problem) {
  Eigen::MatrixXd A = problem.D.asDiagonal();
  for (int b = 0; b < static_cast<int>(problem.bodies.size()); ++b) {
    const Eigen::MatrixXd J = body_jacobian(problem, b);
    A += J.transpose() * problem.bodies[b].H * J;
  }
  for (const Subsystem& s : problem.subsystems) {
    if (s.sparse < 0) continue;
    A.block(s.dof_begin, s.dof_begin, s.dof_count, s.dof_count) +=
        Eigen::MatrixXd(problem.sparse_blocks[s.sparse]);
  }
  return A;
}

inline Eigen::MatrixXd dense_J(const Problem& problem) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(problem.n_c(), problem.n());
  for (const Constraint& c : problem.constraints) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3, problem.n());
    for (int p = c.port_begin; p < c.port_begin + c.port_count; ++p) {
      const Port& port = problem.ports[p];
      if (port.body >= 0) rows += port.block * body_jacobian(problem, port.body);
      for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
        rows.col(problem.port_dofs[k]) += problem.port_columns[k];
      }
    }
    J.middleRows(c.row_begin, c.rows) = rows.topRows(c.rows);
  }
  return J;
}

/// A port on a dof of every subsystem.
inline Port spanning_port(Problem& problem) {
  std::vector<int> dofs;
  std::vector<Eigen::Vector3d> columns;
  for (const Subsystem& s : problem.subsystems) {
    dofs.push_back(s.dof_begin + s.dof_count - 1);
    columns.push_back(Eigen::Vector3d::Random());
  }
  return problem.dof_port(dofs, columns);
}

}  // namespace stiction
