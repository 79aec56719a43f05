#include "contact/columns.h"

#include <Eigen/LU>

#include "contact/one_contact.h"
#include "contact/operators.h"

namespace stiction {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

using Block = Eigen::Matrix<double, 3, 6>;  // of a single rigid body, the common case

std::vector<int> subsystems_of_dofs(const Problem& problem) {
  std::vector<int> of_dof(problem.n());
  for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    for (int d = 0; d < subsystem.dof_count; ++d) of_dof[subsystem.dof_begin + d] = j;
  }
  return of_dof;
}

// The dofs that move a port, with their columns of J.
template <class Visit>
void visit_columns(const Problem& problem, const Port& port, const Visit& visit) {
  for (int b = port.body; b >= 0; b = problem.bodies[b].parent) {
    const ProblemBody& body = problem.bodies[b];
    for (int d = body.dof_begin; d < body.dof_begin + body.dof_count; ++d) {
      visit(d, Vector3d(port.block * problem.S.col(d)));
    }
  }
  if (port.body >= 0) return;
  for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
    visit(problem.port_dofs[k], problem.port_columns[k]);
  }
}

}  // namespace

ConstraintColumns::ConstraintColumns(const Problem& problem, const DynamicsFactor& factor)
    : constraints_on_(problem.subsystems.size(), 0) {
  const std::vector<int> of_dof = subsystems_of_dofs(problem);
  int columns = 0;
  part_begin_.push_back(0);
  for (const Constraint& constraint : problem.constraints) {
    for (int p = 0; p < constraint.port_count; ++p) {
      visit_columns(problem, problem.ports[constraint.port_begin + p], [&](int d, const Vector3d&) {
        const int j = of_dof[d];
        for (size_t k = part_begin_.back(); k < parts_.size(); ++k) {
          if (parts_[k].subsystem == j) return;
        }
        const Subsystem& subsystem = problem.subsystems[j];
        parts_.push_back({j, subsystem.dof_begin, subsystem.dof_count, columns});
        columns += subsystem.dof_count;
        ++constraints_on_[j];
      });
    }
    part_begin_.push_back(static_cast<int>(parts_.size()));
    e_.push_back(rows_of(constraint, problem.e));
  }
  J_.setZero(3, columns);
  Y_.setZero(3, columns);
  W_.assign(problem.constraints.size(), Matrix3d::Zero());
  VectorXd x = VectorXd::Zero(problem.n());
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    const Constraint& constraint = problem.constraints[i];
    for (int k = part_begin_[i]; k < part_begin_[i + 1]; ++k) {
      const Part& part = parts_[k];
      auto J = J_.middleCols(part.column_begin, part.dof_count);
      auto Y = Y_.middleCols(part.column_begin, part.dof_count);
      for (int p = 0; p < constraint.port_count; ++p) {
        visit_columns(problem, problem.ports[constraint.port_begin + p],
                      [&](int d, const Vector3d& column) {
                        if (of_dof[d] == part.subsystem) J.col(d - part.dof_begin) += column;
                      });
      }
      for (int r = 0; r < constraint.rows; ++r) {
        x.segment(part.dof_begin, part.dof_count) = J.row(r).transpose();
        factor.solve_subsystem_in_place(part.subsystem, x);
        Y.row(r) = x.segment(part.dof_begin, part.dof_count).transpose();
      }
      W_[i] += J * Y.transpose();
    }
    for (int r = constraint.rows; r < 3; ++r) W_[i](r, r) = 1;
  }
}

Vector3d ConstraintColumns::velocity(int i, const VectorXd& v) const {
  Vector3d sum = e_[i];
  for (int k = part_begin_[i]; k < part_begin_[i + 1]; ++k) {
    const Part& part = parts_[k];
    if (part.dof_count == 6) {
      sum +=
          Eigen::Map<const Block>(J_.col(part.column_begin).data()) * v.segment<6>(part.dof_begin);
    } else {
      sum.noalias() += J_.middleCols(part.column_begin, part.dof_count) *
                       v.segment(part.dof_begin, part.dof_count);
    }
  }
  return sum;
}

void ConstraintColumns::add(int i, const Vector3d& change, VectorXd& v) const {
  for (int k = part_begin_[i]; k < part_begin_[i + 1]; ++k) {
    const Part& part = parts_[k];
    if (part.dof_count == 6) {
      v.segment<6>(part.dof_begin) +=
          Eigen::Map<const Block>(Y_.col(part.column_begin).data()).transpose() * change;
    } else {
      v.segment(part.dof_begin, part.dof_count).noalias() +=
          Y_.middleCols(part.column_begin, part.dof_count).transpose() * change;
    }
  }
}

Matrix3d ConstraintColumns::shared_delassus(int i) const {
  Matrix3d W = Matrix3d::Zero();
  for (int k = part_begin_[i]; k < part_begin_[i + 1]; ++k) {
    const Part& part = parts_[k];
    W += constraints_on_[part.subsystem] * J_.middleCols(part.column_begin, part.dof_count) *
         Y_.middleCols(part.column_begin, part.dof_count).transpose();
  }
  for (int r = 0; r < 3; ++r) {
    if (W(r, r) == 0) W(r, r) = 1;
  }
  return W;
}

Vector3d solve_one_constraint(const Constraint& constraint, const Matrix3d& W, const Vector3d& e,
                              const Vector3d& u, const Vector3d& lambda, double& gamma) {
  if (constraint.type == ConstraintType::kContact) {
    return solve_one_contact(W, constraint.mu, u - W * lambda, gamma);
  }
  if (constraint.rows == 1) {
    const double beta = 1 / W(0, 0);
    return apply_operator(constraint, ContactLaw::kStrict, beta, e, lambda - beta * u);
  }
  if (constraint.type == ConstraintType::kEquality) return lambda - W.inverse() * u;
  // Soft: lambda' = -k e - c (J v + W (lambda' - lambda)).
  const Vector3d rhs = -constraint.k * e - constraint.c * (u - e - W * lambda);
  return (Matrix3d::Identity() + constraint.c * W).inverse() * rhs;
}

}  // namespace stiction
