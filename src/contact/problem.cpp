#include <stiction/error.h>
#include <stiction/problem.h>

#include <cmath>

#include "contact/dynamics.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

[[noreturn]] void refuse(const std::string& where, int index, const std::string& what) {
  throw InputError("problem: " + where + " " + std::to_string(index) + ": " + what);
}

void require_finite(const Eigen::Ref<const MatrixXd>& x, const std::string& name) {
  for (int c = 0; c < x.cols(); ++c) {
    for (int r = 0; r < x.rows(); ++r) {
      if (!std::isfinite(x(r, c))) {
        refuse(name + (x.cols() > 1 ? " row " + std::to_string(r) + ", column" : ","),
               x.cols() > 1 ? c : r, "is " + text(x(r, c)) + ", expected a finite number");
      }
    }
  }
}

void validate_dynamics(const Problem& problem) {
  const int n = problem.n();
  if (problem.S.cols() != n) {
    refuse(
        "S,", 0,
        "has " + std::to_string(problem.S.cols()) + " columns, expected n = " + std::to_string(n));
  }
  if (problem.D.size() != n) {
    refuse("D,", 0,
           "has size " + std::to_string(problem.D.size()) + ", expected n = " + std::to_string(n));
  }
  require_finite(problem.b, "b");
  require_finite(problem.S, "S");
  require_finite(problem.D, "D");
  int next_dof = 0;
  int next_body = 0;
  for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    if (subsystem.dof_begin != next_dof || subsystem.dof_count <= 0) {
      refuse("subsystem", j, "dofs must follow those of the one before and not be empty");
    }
    next_dof += subsystem.dof_count;
    if (subsystem.sparse >= 0) {
      if (subsystem.sparse >= static_cast<int>(problem.sparse_blocks.size())) {
        refuse("subsystem", j, "has no sparse block " + std::to_string(subsystem.sparse));
      }
      const auto& A = problem.sparse_blocks[subsystem.sparse];
      if (A.rows() != subsystem.dof_count || A.cols() != subsystem.dof_count) {
        refuse("subsystem", j,
               "its sparse block is " + std::to_string(A.rows()) + " x " +
                   std::to_string(A.cols()) + ", expected " + std::to_string(subsystem.dof_count));
      }
      const double asymmetry = (A - Eigen::SparseMatrix<double>(A.transpose())).norm();
      if (!(asymmetry <= 1e-9 * A.norm())) {
        refuse("subsystem", j, "A is not symmetric, |A - A^T| = " + text(asymmetry));
      }
      continue;
    }
    if (subsystem.body_begin != next_body || subsystem.body_count <= 0) {
      refuse("subsystem", j, "bodies must follow those of the one before and not be empty");
    }
    for (int b = next_body; b < next_body + subsystem.body_count; ++b) {
      const ProblemBody& body = problem.bodies.at(b);
      if (body.parent >= b || (body.parent >= 0 && body.parent < next_body)) {
        refuse("body", b,
               "parent " + std::to_string(body.parent) + " must come before it in its tree");
      }
      require_finite(body.H, "inertia of body " + std::to_string(b));
      if (!body.H.isApprox(body.H.transpose(), 1e-9)) {
        refuse("body", b, "inertia is not symmetric");
      }
    }
    next_body += subsystem.body_count;
  }
  if (next_dof != n) {
    refuse("subsystems,", static_cast<int>(problem.subsystems.size()),
           "cover " + std::to_string(next_dof) + " dofs, expected n = " + std::to_string(n));
  }
  const DynamicsFactor factor(problem);
  if (!factor.ok()) {
    refuse("subsystem", factor.failed_subsystem(), "A is not positive definite");
  }
}

void validate_ports(const Problem& problem, int i) {
  const Constraint& constraint = problem.constraints[i];
  if (constraint.port_count < 1 || constraint.port_count > 2 || constraint.port_begin < 0 ||
      constraint.port_begin + constraint.port_count > static_cast<int>(problem.ports.size())) {
    refuse("constraint", i,
           "has " + std::to_string(constraint.port_count) + " ports, expected 1 or 2");
  }
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem.ports[constraint.port_begin + p];
    const std::string where = "constraint " + std::to_string(i) + ", port";
    if (port.body >= static_cast<int>(problem.bodies.size())) {
      refuse(where, p, "there is no body " + std::to_string(port.body));
    }
    if (port.body >= 0) {
      require_finite(port.block, where + " " + std::to_string(p) + ", block");
      continue;
    }
    if (port.entry_count < 1 || port.entry_begin < 0 ||
        port.entry_begin + port.entry_count > static_cast<int>(problem.port_dofs.size())) {
      refuse(where, p, "has no dofs");
    }
    for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
      if (problem.port_dofs[k] < 0 || problem.port_dofs[k] >= problem.n()) {
        refuse(where, p, "there is no dof " + std::to_string(problem.port_dofs[k]));
      }
      require_finite(problem.port_columns[k], where + " " + std::to_string(p) + ", column");
    }
  }
  const Port* port = &problem.ports[constraint.port_begin];
  if (constraint.port_count == 2 && port[0].body >= 0 && port[0].body == port[1].body) {
    refuse("constraint", i, "both ports are on body " + std::to_string(port[0].body));
  }
}

void validate_law(const Constraint& constraint, int i) {
  const bool three = constraint.type == ConstraintType::kContact;
  const bool either =
      constraint.type == ConstraintType::kEquality || constraint.type == ConstraintType::kSoft;
  if (constraint.rows != 3 && constraint.rows != 1) {
    refuse("constraint", i, "has " + std::to_string(constraint.rows) + " rows, expected 1 or 3");
  }
  if (!either && constraint.rows != (three ? 3 : 1)) {
    refuse("constraint", i,
           "has " + std::to_string(constraint.rows) + " rows, expected " + (three ? "3" : "1"));
  }
  if (!(constraint.mu >= 0) || !std::isfinite(constraint.mu)) {
    refuse("constraint", i, "mu is " + text(constraint.mu) + ", expected a finite number >= 0");
  }
  if (!(constraint.bound >= 0)) {
    refuse("constraint", i, "bound is " + text(constraint.bound) + ", expected >= 0");
  }
  if (!(constraint.lower <= constraint.upper)) {
    refuse("constraint", i,
           "limits are " + text(constraint.lower) + " and " + text(constraint.upper) +
               ", expected lower <= upper");
  }
  if (constraint.type == ConstraintType::kSoft &&
      (!(constraint.c > 0) || !std::isfinite(constraint.c) || !std::isfinite(constraint.k))) {
    refuse("constraint", i,
           "soft c is " + text(constraint.c) + ", k " + text(constraint.k) +
               ", expected finite, c > 0");
  }
}

}  // namespace

int Problem::add_rigid_body(const Eigen::Matrix<double, 6, 6>& H,
                            const Eigen::Matrix<double, 6, 1>& b_body) {
  const int begin = n();
  const int body = static_cast<int>(bodies.size());
  subsystems.push_back({begin, 6, body, 1, -1});
  bodies.push_back({-1, begin, 6, H});
  S.conservativeResize(6, begin + 6);
  S.rightCols<6>().setIdentity();
  D.conservativeResize(begin + 6);
  D.tail<6>().setZero();
  b.conservativeResize(begin + 6);
  b.tail<6>() = b_body;
  return body;
}

int Problem::add_sparse_block(const Eigen::SparseMatrix<double>& A, const VectorXd& b_block) {
  const int begin = n();
  const int count = static_cast<int>(A.rows());
  const int body = static_cast<int>(bodies.size());
  subsystems.push_back({begin, count, body, 0, static_cast<int>(sparse_blocks.size())});
  sparse_blocks.push_back(A);
  S.conservativeResize(6, begin + count);
  S.rightCols(count).setZero();
  D.conservativeResize(begin + count);
  D.tail(count).setZero();
  b.conservativeResize(begin + count);
  b.tail(count) = b_block;
  return begin;
}

int Problem::add_constraint(Constraint constraint, const std::vector<Port>& constraint_ports,
                            const Vector3d& e_rows) {
  constraint.row_begin = n_c();
  constraint.port_begin = static_cast<int>(ports.size());
  constraint.port_count = static_cast<int>(constraint_ports.size());
  ports.insert(ports.end(), constraint_ports.begin(), constraint_ports.end());
  e.conservativeResize(constraint.row_begin + constraint.rows);
  e.tail(constraint.rows) = e_rows.head(constraint.rows);
  constraints.push_back(constraint);
  return static_cast<int>(constraints.size()) - 1;
}

Port Problem::dof_port(const std::vector<int>& dofs, const std::vector<Vector3d>& columns) {
  Port port;
  port.entry_begin = static_cast<int>(port_dofs.size());
  port.entry_count = static_cast<int>(dofs.size());
  port_dofs.insert(port_dofs.end(), dofs.begin(), dofs.end());
  port_columns.insert(port_columns.end(), columns.begin(), columns.end());
  return port;
}

void validate(const Problem& problem) {
  validate_dynamics(problem);
  require_finite(problem.e, "e");
  int next_row = 0;
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    validate_law(problem.constraints[i], i);
    validate_ports(problem, i);
    if (problem.constraints[i].row_begin != next_row) {
      refuse("constraint", i,
             "row_begin is " + std::to_string(problem.constraints[i].row_begin) + ", expected " +
                 std::to_string(next_row));
    }
    next_row += problem.constraints[i].rows;
  }
  if (next_row != problem.n_c()) {
    refuse("e,", 0,
           "has size " + std::to_string(problem.n_c()) + ", expected " + std::to_string(next_row));
  }
}

}  // namespace stiction
