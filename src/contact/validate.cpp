// Refuses a malformed problem before any iteration, with the index and the value.
#include <stiction/error.h>
#include <stiction/problem.h>

#include <cmath>

#include "contact/dynamics.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using std::to_string;

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

int count_of(const auto& list) { return static_cast<int>(list.size()); }

[[noreturn]] void refuse(const std::string& where, int index, const std::string& what) {
  throw InputError("problem: " + where + " " + to_string(index) + ": " + what);
}

void require_finite(const Eigen::Ref<const MatrixXd>& x, const std::string& name) {
  for (int c = 0; c < x.cols(); ++c) {
    for (int r = 0; r < x.rows(); ++r) {
      if (std::isfinite(x(r, c))) continue;
      const std::string row = x.cols() > 1 ? " row " + to_string(r) + ", column" : ",";
      refuse(name + row, x.cols() > 1 ? c : r,
             "is " + text(x(r, c)) + ", expected a finite number");
    }
  }
}

void require_size(int size, int expected, const std::string& name, const char* what) {
  if (size == expected) return;
  throw InputError("problem: " + name + ": has " + to_string(size) + " " + what + ", expected " +
                   to_string(expected));
}

void validate_sparse(const Problem& problem, int j, std::vector<bool>& used) {
  const Subsystem& subsystem = problem.subsystems[j];
  if (subsystem.sparse >= count_of(problem.sparse_blocks)) {
    refuse("subsystem", j, "there is no sparse block " + to_string(subsystem.sparse));
  }
  if (used[subsystem.sparse]) {
    refuse("subsystem", j,
           "sparse block " + to_string(subsystem.sparse) + " belongs to another subsystem already");
  }
  used[subsystem.sparse] = true;
  const Eigen::SparseMatrix<double>& A = problem.sparse_blocks[subsystem.sparse];
  if (A.rows() != subsystem.dof_count || A.cols() != subsystem.dof_count) {
    refuse("subsystem", j,
           "its sparse block is " + to_string(A.rows()) + " x " + to_string(A.cols()) +
               ", expected " + to_string(subsystem.dof_count));
  }
  const double asymmetry = (A - Eigen::SparseMatrix<double>(A.transpose())).norm();
  if (!(asymmetry <= 1e-9 * A.norm())) {  // also for NaN
    refuse("subsystem", j, "A is not symmetric, |A - A^T| = " + text(asymmetry));
  }
}

void validate_body(const Problem& problem, const Subsystem& tree, int b, int next_dof) {
  const ProblemBody& body = problem.bodies[b];
  if (body.parent < -1 || body.parent >= b || (body.parent >= 0 && body.parent < tree.body_begin)) {
    refuse("body", b, "parent " + to_string(body.parent) + " must come before it in its tree");
  }
  if (body.dof_begin != next_dof || body.dof_count < 0 ||
      body.dof_count > tree.dof_begin + tree.dof_count - next_dof) {
    refuse("body", b,
           "has " + to_string(body.dof_count) + " dofs from " + to_string(body.dof_begin) +
               ", expected them from " + to_string(next_dof) + " and inside its subsystem");
  }
  require_finite(body.H, "inertia of body " + to_string(b));
  if (!body.H.isApprox(body.H.transpose(), 1e-9)) {
    refuse("body", b,
           "inertia is not symmetric, |H - H^T| = " + text((body.H - body.H.transpose()).norm()));
  }
}

void validate_tree(const Problem& problem, int j, int next_body) {
  const Subsystem& tree = problem.subsystems[j];
  if (tree.body_begin != next_body || tree.body_count <= 0 ||
      tree.body_count > count_of(problem.bodies) - next_body) {
    refuse("subsystem", j,
           "has " + to_string(tree.body_count) + " bodies from " + to_string(tree.body_begin) +
               ", expected at least one from " + to_string(next_body));
  }
  int next_dof = tree.dof_begin;
  for (int b = next_body; b < next_body + tree.body_count; ++b) {
    validate_body(problem, tree, b, next_dof);
    next_dof += problem.bodies[b].dof_count;
  }
  if (next_dof != tree.dof_begin + tree.dof_count) {
    refuse("subsystem", j,
           "its bodies have " + to_string(next_dof - tree.dof_begin) + " dofs, expected " +
               to_string(tree.dof_count));
  }
}

void validate_dynamics(const Problem& problem) {
  const int n = problem.n();
  require_size(static_cast<int>(problem.S.cols()), n, "S", "columns");
  require_size(static_cast<int>(problem.D.size()), n, "D", "entries");
  require_finite(problem.b, "b");
  require_finite(problem.S, "S");
  require_finite(problem.D, "D");
  int next_dof = 0;
  int next_body = 0;
  std::vector<bool> used(problem.sparse_blocks.size(), false);
  for (int j = 0; j < count_of(problem.subsystems); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    if (subsystem.dof_begin != next_dof || subsystem.dof_count <= 0 ||
        subsystem.dof_count > n - next_dof) {
      refuse("subsystem", j,
             "has " + to_string(subsystem.dof_count) + " dofs from " +
                 to_string(subsystem.dof_begin) + ", expected at least one from " +
                 to_string(next_dof) + " and n = " + to_string(n));
    }
    next_dof += subsystem.dof_count;
    if (subsystem.sparse >= 0) {
      validate_sparse(problem, j, used);
    } else {
      validate_tree(problem, j, next_body);
      next_body += subsystem.body_count;
    }
  }
  require_size(next_dof, n, "subsystems", "dofs");
  require_size(count_of(problem.bodies), next_body, "bodies", "members");
  const DynamicsFactor factor(problem);
  if (!factor.ok()) {
    refuse("subsystem", factor.failed_subsystem(), "A is not positive definite");
  }
}

// `owner[d]` is the constraint that saw dof d last: a dof may appear once per constraint.
void validate_dof_port(const Problem& problem, const Port& port, const std::string& where, int p,
                       int i, std::vector<int>& owner) {
  const int entries = count_of(problem.port_dofs);
  if (port.entry_count < 1 || port.entry_begin < 0 ||
      port.entry_count > entries - port.entry_begin) {
    refuse(where, p,
           "has " + to_string(port.entry_count) + " dofs from entry " +
               to_string(port.entry_begin) + ", expected at least one of " + to_string(entries));
  }
  for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
    const int dof = problem.port_dofs[k];
    if (dof < 0 || dof >= problem.n()) refuse(where, p, "there is no dof " + to_string(dof));
    if (owner[dof] == i) refuse(where, p, "dof " + to_string(dof) + " appears twice");
    owner[dof] = i;
    if (problem.constraints[i].rows == 1 && !problem.port_columns[k].tail<2>().isZero(0)) {
      refuse(where, p, "has more than one row at dof " + to_string(dof) + ", expected zeros");
    }
    require_finite(problem.port_columns[k], where + " " + to_string(p) + ", dof " + to_string(dof));
  }
}

void validate_ports(const Problem& problem, int i, std::vector<int>& owner) {
  const Constraint& constraint = problem.constraints[i];
  const int ports = count_of(problem.ports);
  if (constraint.port_count < 1 || constraint.port_count > 2 || constraint.port_begin < 0 ||
      constraint.port_count > ports - constraint.port_begin) {
    refuse("constraint", i,
           "has " + to_string(constraint.port_count) + " ports from " +
               to_string(constraint.port_begin) + ", expected 1 or 2 of " + to_string(ports));
  }
  const std::string where = "constraint " + to_string(i) + ", port";
  for (int p = 0; p < constraint.port_count; ++p) {
    const Port& port = problem.ports[constraint.port_begin + p];
    if (port.body < -1 || port.body >= count_of(problem.bodies)) {
      refuse(where, p, "there is no body " + to_string(port.body));
    }
    if (port.body < 0) {
      validate_dof_port(problem, port, where, p, i, owner);
      continue;
    }
    if (port.entry_count != 0) {
      refuse(where, p, "is on body " + to_string(port.body) + " and on dofs, expected one of them");
    }
    require_finite(port.block, where + " " + to_string(p) + ", block");
    if (constraint.rows == 1 && !port.block.bottomRows<2>().isZero(0)) {
      refuse(where, p, "has more than one row, expected zeros in the others");
    }
  }
  const Port* port = &problem.ports[constraint.port_begin];
  if (constraint.port_count == 2 && port[0].body >= 0 && port[0].body == port[1].body) {
    refuse("constraint", i, "both ports are on body " + to_string(port[0].body));
  }
}

void validate_rows(const Problem& problem, int i, int next_row) {
  const Constraint& constraint = problem.constraints[i];
  const ConstraintType type = constraint.type;
  const bool three = type == ConstraintType::kContact;
  const bool either = type == ConstraintType::kEquality || type == ConstraintType::kSoft;
  if (either ? constraint.rows != 1 && constraint.rows != 3 : constraint.rows != (three ? 3 : 1)) {
    refuse("constraint", i,
           "has " + to_string(constraint.rows) + " rows, expected " +
               (either  ? "1 or 3"
                : three ? "3"
                        : "1"));
  }
  if (constraint.row_begin != next_row) {
    refuse("constraint", i,
           "row_begin is " + to_string(constraint.row_begin) + ", expected " + to_string(next_row));
  }
}

void validate_law(const Constraint& constraint, int i) {
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

void validate(const Problem& problem) {
  validate_dynamics(problem);
  require_finite(problem.e, "e");
  require_size(count_of(problem.port_columns), count_of(problem.port_dofs), "port_columns",
               "members");
  int next_row = 0;
  std::vector<int> owner(problem.n(), -1);
  for (int i = 0; i < count_of(problem.constraints); ++i) {
    validate_rows(problem, i, next_row);
    validate_law(problem.constraints[i], i);
    validate_ports(problem, i, owner);
    next_row += problem.constraints[i].rows;
  }
  require_size(problem.n_c(), next_row, "e", "entries");
  if (!problem.names.empty()) {
    require_size(count_of(problem.names), count_of(problem.constraints), "names", "members");
  }
}

}  // namespace stiction
