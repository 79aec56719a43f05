#include <stiction/error.h>
#include <stiction/problem.h>

#include <cmath>

#include "contact/generate.h"
#include "contact/jacobian.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

void scale_masses(Problem& problem, double mass) {
  problem.D *= mass;
  problem.b *= mass;
  for (ProblemBody& body : problem.bodies) body.H *= mass;
  for (auto& A : problem.sparse_blocks) A *= mass;
  for (Constraint& constraint : problem.constraints) {
    constraint.bound *= mass;
    constraint.k *= mass;
    constraint.c *= mass;
  }
}

// v' = factor v: 1 for translations, 1 / length for rotations.
VectorXd dof_factors(const Problem& problem, double length) {
  VectorXd factor(problem.n());
  for (int d = 0; d < factor.size(); ++d) {
    factor[d] = problem.S.col(d).tail<3>().isZero(0) ? 1 : 1 / length;
  }
  return factor;
}

// (J v)' = factor J v: contacts are in m/s, a row on one dof is in that dof's unit.
double row_factor(const Problem& problem, const Constraint& constraint, const VectorXd& of_dof) {
  const Port& port = problem.ports[constraint.port_begin];
  const bool joint = constraint.rows == 1 && port.body < 0 && port.entry_count == 1;
  return joint ? of_dof[problem.port_dofs[port.entry_begin]] : 1;
}

// Kinetic energy and power do not change; twists become diag(1, 1 / length) times what they were.
void scale_lengths(Problem& problem, double length) {
  const VectorXd of_dof = dof_factors(problem, length);
  Vector6d stretch;
  stretch << 1, 1, 1, length, length, length;
  for (const Constraint& constraint : problem.constraints) {
    const double factor = row_factor(problem, constraint, of_dof);
    problem.e.segment(constraint.row_begin, constraint.rows) *= factor;
    for (int p = 0; p < constraint.port_count; ++p) {
      Port& port = problem.ports[constraint.port_begin + p];
      port.block = factor * port.block * stretch.asDiagonal();
      for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
        problem.port_columns[k] *= factor / of_dof[problem.port_dofs[k]];
      }
    }
  }
  for (Constraint& constraint : problem.constraints) {
    const double factor = row_factor(problem, constraint, of_dof);
    constraint.lower *= factor;
    constraint.upper *= factor;
    constraint.bound /= factor;
    constraint.k /= factor * factor;
    constraint.c /= factor * factor;
  }
  for (ProblemBody& body : problem.bodies) {
    body.H = stretch.asDiagonal() * body.H * stretch.asDiagonal();
  }
  problem.S = stretch.cwiseInverse().asDiagonal() * problem.S * of_dof.cwiseInverse().asDiagonal();
  problem.D.array() /= of_dof.array().square();
  problem.b.array() /= of_dof.array();
}

}  // namespace

Problem scaled_problem(const Problem& problem, double mass, double length) {
  if (!(mass > 0) || !(length > 0) || !std::isfinite(mass) || !std::isfinite(length)) {
    throw InputError("scaled_problem: mass is " + std::to_string(mass) + " and length " +
                     std::to_string(length) + ", expected positive numbers");
  }
  Problem scaled = problem;
  scale_masses(scaled, mass);
  scale_lengths(scaled, length);
  return scaled;
}

// The twist about O + d is X times the one about O.
Problem shifted_problem(const Problem& problem, const Vector3d& d) {
  Problem shifted = problem;
  Matrix6d X = Matrix6d::Identity();
  X.topRightCorner<3, 3>() = -cross_matrix(d);
  Matrix6d X_inverse = Matrix6d::Identity();
  X_inverse.topRightCorner<3, 3>() = cross_matrix(d);
  shifted.S = X * problem.S;
  for (ProblemBody& body : shifted.bodies) body.H = X_inverse.transpose() * body.H * X_inverse;
  for (Port& port : shifted.ports) {
    if (port.body >= 0) port.block = port.block * X_inverse;
  }
  return shifted;
}

}  // namespace stiction
