#include "contact/jacobian.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// Adds block^T lambda of every port to the wrench of its body, or to the port's dofs in `out`.
void scatter_impulses(const Problem& problem, const VectorXd& lambda, Matrix6Xd& W, VectorXd& out) {
  for (const Constraint& constraint : problem.constraints) {
    const Vector3d impulse = rows_of(constraint, lambda);
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      if (port.body >= 0) {
        W.col(port.body).noalias() += port.block.transpose() * impulse;
      } else {
        for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
          out[problem.port_dofs[k]] += problem.port_columns[k].dot(impulse);
        }
      }
    }
  }
}

}  // namespace

void add_wrenches(const Problem& problem, Matrix6Xd& W, VectorXd& out) {
  for (int b = static_cast<int>(problem.bodies.size()) - 1; b >= 0; --b) {
    const ProblemBody& body = problem.bodies[b];
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      out[d] += problem.S.col(d).dot(W.col(b));
    }
    if (body.parent >= 0) W.col(body.parent) += W.col(b);
  }
}

void body_twists(const Problem& problem, const VectorXd& v, Matrix6Xd& V) {
  for (int b = 0; b < static_cast<int>(problem.bodies.size()); ++b) {
    const ProblemBody& body = problem.bodies[b];
    Vector6d twist = Vector6d::Zero();
    if (body.parent >= 0) twist = V.col(body.parent);
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      twist += problem.S.col(d) * v[d];
    }
    V.col(b) = twist;
  }
}

Vector3d constraint_velocity(const Problem& problem, const Constraint& constraint,
                             const VectorXd& v, const Matrix6Xd& V) {
  Vector3d sum = Vector3d::Zero();
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem.ports[constraint.port_begin + p];
    if (port.body >= 0) {
      sum.noalias() += port.block * V.col(port.body);
    } else {
      for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
        sum += problem.port_columns[k] * v[problem.port_dofs[k]];
      }
    }
  }
  return sum;
}

void multiply_J(const Problem& problem, const VectorXd& v, Matrix6Xd& V, VectorXd& Jv) {
  body_twists(problem, v, V);
  for (const Constraint& constraint : problem.constraints) {
    set_rows(constraint, constraint_velocity(problem, constraint, v, V), Jv);
  }
}

void add_J_transposed(const Problem& problem, const VectorXd& lambda, Matrix6Xd& W, VectorXd& out) {
  W.setZero();
  scatter_impulses(problem, lambda, W, out);
  add_wrenches(problem, W, out);
}

void multiply_A(const Problem& problem, const VectorXd& v, Matrix6Xd& V, Matrix6Xd& W,
                VectorXd& out) {
  body_twists(problem, v, V);
  for (int b = 0; b < static_cast<int>(problem.bodies.size()); ++b) {
    W.col(b).noalias() = problem.bodies[b].H * V.col(b);
  }
  out = problem.D.cwiseProduct(v);
  add_wrenches(problem, W, out);
  for (const Subsystem& subsystem : problem.subsystems) {
    if (subsystem.sparse < 0) continue;
    out.segment(subsystem.dof_begin, subsystem.dof_count).noalias() +=
        problem.sparse_blocks[subsystem.sparse] *
        v.segment(subsystem.dof_begin, subsystem.dof_count);
  }
}

}  // namespace stiction
