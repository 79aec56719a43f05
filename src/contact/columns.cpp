#include "contact/columns.h"

#include <algorithm>

#include "contact/coupling.h"
#include "contact/subsystem_of.h"
#include "linalg/lanes.h"

namespace stiction {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

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

int ConstraintColumns::padded(int n) { return n + kLanes; }

ConstraintColumns::ConstraintColumns(const Problem& problem, const DynamicsFactor& factor)
    : problem_(problem), constraints_on_(problem.subsystems.size(), 0) {
  const std::vector<int> of_dof = SubsystemOf(problem).dof;
  int numbers = 0;
  for (const Constraint& constraint : problem.constraints) {
    find_parts(problem, constraint, of_dof, numbers);
  }
  J_.assign(numbers, 0);
  Y_.assign(numbers, 0);
  alone_.reserve(problem.constraints.size());
  VectorXd x = VectorXd::Zero(problem.n());
  for (size_t i = 0; i < own_.size(); ++i) {
    Own& own = own_[i];
    Matrix3d W = Matrix3d::Zero();
    for (int k = own.part_begin; k < own.part_end; ++k) {
      fill_part(problem, problem.constraints[i], of_dof, parts_[k]);
      solve_part(factor, parts_[k], own.rows, x);
      add_product(parts_[k], own.rows, 1, W);
    }
    for (int r = own.rows; r < 3; ++r) W(r, r) = 1;
    alone_.emplace_back(problem.constraints[i], own.e, W);
    if (own.dof < 0) continue;
    const Part& part = parts_[own.part_begin];
    own.J = J_[part.begin + own.dof - part.dof_begin];
  }
}

void ConstraintColumns::find_parts(const Problem& problem, const Constraint& constraint,
                                   const std::vector<int>& of_dof, int& numbers) {
  Own own;
  own.e = rows_of(constraint, problem.e);
  own.rows = constraint.rows;
  own.part_begin = static_cast<int>(parts_.size());
  own.dof = -1;
  for (int p = 0; p < constraint.port_count; ++p) {
    visit_columns(problem, problem.ports[constraint.port_begin + p], [&](int d, const Vector3d&) {
      const int j = of_dof[d];
      for (size_t k = own.part_begin; k < parts_.size(); ++k) {
        if (parts_[k].subsystem == j) return;
      }
      const Subsystem& subsystem = problem.subsystems[j];
      const int width = padded_width(subsystem.dof_count);
      parts_.push_back({j, subsystem.dof_begin, subsystem.dof_count, numbers, width});
      numbers += constraint.rows * width;
      ++constraints_on_[j];
    });
  }
  own.part_end = static_cast<int>(parts_.size());
  if (constraint.rows == 1 && is_on_one_dof(problem, constraint)) {
    own.dof = problem.port_dofs[problem.ports[constraint.port_begin].entry_begin];
  }
  own_.push_back(own);
}

void ConstraintColumns::fill_part(const Problem& problem, const Constraint& constraint,
                                  const std::vector<int>& of_dof, const Part& part) {
  double* J = J_.data() + part.begin;
  for (int p = 0; p < constraint.port_count; ++p) {
    visit_columns(problem, problem.ports[constraint.port_begin + p],
                  [&](int d, const Vector3d& column) {
                    if (of_dof[d] != part.subsystem) return;
                    for (int r = 0; r < constraint.rows; ++r) {
                      J[r * part.width + d - part.dof_begin] += column[r];
                    }
                  });
  }
}

void ConstraintColumns::solve_part(const DynamicsFactor& factor, const Part& part, int rows,
                                   VectorXd& x) {
  const double* A_inverse = factor.inverse(part.subsystem);
  for (int r = 0; r < rows; ++r) {
    const double* J = J_.data() + part.begin + r * part.width;
    double* Y = Y_.data() + part.begin + r * part.width;
    if (A_inverse != nullptr) {
      for (int d = 0; d < part.dof_count; ++d) {
        if (J[d] == 0) continue;
        for (int k = 0; k < part.width; k += kLanes) {
          const Lanes column = load_lanes(A_inverse + d * part.width + k);
          store_lanes(load_lanes(Y + k) + J[d] * column, Y + k);
        }
      }
    } else {
      std::copy_n(J, part.dof_count, x.data() + part.dof_begin);
      factor.solve_subsystem_in_place(part.subsystem, x);
      std::copy_n(x.data() + part.dof_begin, part.dof_count, Y);
    }
  }
}

void ConstraintColumns::add_product(const Part& part, int rows, double factor, Matrix3d& W) const {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < rows; ++c) {
      Lanes sum = {};
      for (int k = 0; k < part.width; k += kLanes) {
        sum += load_lanes(J_.data() + part.begin + r * part.width + k) *
               load_lanes(Y_.data() + part.begin + c * part.width + k);
      }
      W(r, c) += factor * sum_of(sum);
    }
  }
}

Vector3d ConstraintColumns::velocity(int i, const VectorXd& v) const {
  return own_[i].e + product(own_[i], v);
}

void ConstraintColumns::multiply_J(const VectorXd& v, VectorXd& Jv) const {
  for (size_t i = 0; i < own_.size(); ++i) {
    const Own& own = own_[i];
    if (own.dof >= 0) {
      Jv[problem_.constraints[i].row_begin] = own.J * v[own.dof];
    } else {
      set_rows(problem_.constraints[i], product(own, v), Jv);
    }
  }
}

Vector3d ConstraintColumns::product(const Own& own, const VectorXd& v) const {
  Lanes sum[3] = {};
  for (int k = own.part_begin; k < own.part_end; ++k) {
    const Part& part = parts_[k];
    const double* J = J_.data() + part.begin;
    const double* v_k = v.data() + part.dof_begin;
    for (int d = 0; d < part.width; d += kLanes) {
      const Lanes v_d = load_lanes(v_k + d);
      sum[0] += load_lanes(J + d) * v_d;
      if (own.rows == 1) continue;
      sum[1] += load_lanes(J + part.width + d) * v_d;
      sum[2] += load_lanes(J + 2 * part.width + d) * v_d;
    }
  }
  Vector3d Jv = Vector3d::Zero();
  for (int r = 0; r < own.rows; ++r) Jv[r] = sum_of(sum[r]);
  return Jv;
}

void ConstraintColumns::add(int i, const Vector3d& change, VectorXd& v) const {
  const Own& own = own_[i];
  for (int k = own.part_begin; k < own.part_end; ++k) {
    const Part& part = parts_[k];
    for (int d = 0; d < part.width; d += kLanes) {
      double* v_d = v.data() + part.dof_begin + d;
      Lanes sum = load_lanes(v_d);
      for (int r = 0; r < own.rows; ++r) {
        sum += change[r] * load_lanes(Y_.data() + part.begin + r * part.width + d);
      }
      store_lanes(sum, v_d);
    }
  }
}

double ConstraintColumns::row_velocity(int i, const VectorXd& v) const {
  return own_[i].e[0] + own_[i].J * v[own_[i].dof];
}

void ConstraintColumns::add_row(int i, double change, VectorXd& v) const {
  const Part& part = parts_[own_[i].part_begin];
  for (int d = 0; d < part.width; d += kLanes) {
    double* v_d = v.data() + part.dof_begin + d;
    store_lanes(load_lanes(v_d) + change * load_lanes(Y_.data() + part.begin + d), v_d);
  }
}

OneConstraint ConstraintColumns::sharing(int i) const {
  Matrix3d W = Matrix3d::Zero();
  for (int k = own_[i].part_begin; k < own_[i].part_end; ++k) {
    add_product(parts_[k], own_[i].rows, constraints_on_[parts_[k].subsystem], W);
  }
  for (int r = 0; r < 3; ++r) {
    if (W(r, r) == 0) W(r, r) = 1;
  }
  return {problem_.constraints[i], own_[i].e, W};
}

}  // namespace stiction
