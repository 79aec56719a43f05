// J_i and A^-1 J_i^T of every constraint on the dofs of the subsystems that it touches: what
// solvers that go from constraint to constraint need to keep v up to date at a cost that does not
// grow with the problem.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"
#include "contact/jacobian.h"
#include "contact/one_constraint.h"

namespace stiction {

class ConstraintColumns {
 public:
  ConstraintColumns(const Problem& problem, const DynamicsFactor& factor);

  /// Velocities have so many entries for n dofs: rows are read and written in whole vectors, and
  /// the last may reach beyond n. The entries beyond stay as they are.
  static int padded(int n);

  /// J_i v + e_i.
  Eigen::Vector3d velocity(int i, const Eigen::VectorXd& v) const;
  /// Jv = J v.
  void multiply_J(const Eigen::VectorXd& v, Eigen::VectorXd& Jv) const;
  /// v += A^-1 J_i^T change.
  void add(int i, const Eigen::Vector3d& change, Eigen::VectorXd& v) const;
  /// Constraint i with W = J_i A^-1 J_i^T.
  const OneConstraint& alone(int i) const { return alone_[i]; }
  /// The same with the mass of every subsystem shared out among its constraints: W is the sum of
  /// the number of constraints on subsystem j times J_ij A_j^-1 J_ij^T.
  OneConstraint sharing(int i) const;

  /// The only dof that moves constraint i, which has one row, or -1.
  int only_dof(int i) const { return own_[i].dof; }
  /// `velocity` and `add` for such a constraint.
  double row_velocity(int i, const Eigen::VectorXd& v) const;
  void add_row(int i, double change, Eigen::VectorXd& v) const;

 private:
  struct Part {
    int subsystem;
    int dof_begin;
    int dof_count;
    int begin;  ///< of the rows in J_ and Y_
    int width;  ///< of a row: dof_count and zeros up to a whole vector
  };
  struct Own {
    Eigen::Vector3d e;
    int rows;
    int part_begin;
    int part_end;
    int dof;       ///< the only one that moves the constraint, or -1
    double J = 0;  ///< of that dof
  };

  void find_parts(const Problem& problem, const Constraint& constraint,
                  const std::vector<int>& of_dof, int& numbers);
  void fill_part(const Problem& problem, const Constraint& constraint,
                 const std::vector<int>& of_dof, const Part& part);
  void solve_part(const DynamicsFactor& factor, const Part& part, int rows, Eigen::VectorXd& x);
  Eigen::Vector3d product(const Own& own, const Eigen::VectorXd& v) const;
  /// Adds J Y^T of one part.
  void add_product(const Part& part, int rows, double factor, Eigen::Matrix3d& W) const;

  const Problem& problem_;
  std::vector<Own> own_;  ///< per constraint
  std::vector<Part> parts_;
  std::vector<double> J_;
  std::vector<double> Y_;  ///< (A^-1 J^T)^T
  std::vector<OneConstraint> alone_;
  std::vector<int> constraints_on_;  ///< per subsystem
};

}  // namespace stiction
