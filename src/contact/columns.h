// J_i and A^-1 J_i^T of every constraint on the dofs of the subsystems that it touches: what
// solvers that go from constraint to constraint need to keep v up to date at a cost that does not
// grow with the problem.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/dynamics.h"
#include "contact/jacobian.h"

namespace stiction {

class ConstraintColumns {
 public:
  ConstraintColumns(const Problem& problem, const DynamicsFactor& factor);

  /// Velocities have so many entries for n dofs: rows are read and written in whole vectors, and
  /// the last may reach beyond n. The entries beyond stay as they are.
  static int padded(int n);

  /// J_i v + e_i.
  Eigen::Vector3d velocity(int i, const Eigen::VectorXd& v) const;
  /// v += A^-1 J_i^T change.
  void add(int i, const Eigen::Vector3d& change, Eigen::VectorXd& v) const;
  /// J_i A^-1 J_i^T; unused rows have a one on the diagonal.
  const Eigen::Matrix3d& delassus(int i) const { return W_[i]; }
  /// The same with the mass of every subsystem shared out among its constraints: the sum of the
  /// number of constraints on subsystem j times J_ij A_j^-1 J_ij^T.
  Eigen::Matrix3d shared_delassus(int i) const;

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
    int dof;  ///< the only one that moves the constraint, or -1
  };

  void find_parts(const Problem& problem, const Constraint& constraint,
                  const std::vector<int>& of_dof, int& numbers);
  void fill_part(const Problem& problem, const Constraint& constraint,
                 const std::vector<int>& of_dof, const Part& part);
  void solve_part(const DynamicsFactor& factor, const Part& part, int rows, Eigen::VectorXd& x);
  /// Adds J Y^T of one part.
  void add_product(const Part& part, int rows, double factor, Eigen::Matrix3d& W) const;

  std::vector<Own> own_;  ///< per constraint
  std::vector<Part> parts_;
  std::vector<double> J_;
  std::vector<double> Y_;  ///< (A^-1 J^T)^T
  std::vector<Eigen::Matrix3d> W_;
  std::vector<int> constraints_on_;  ///< per subsystem
};

/// The impulse that satisfies constraint i alone when its velocity is u = W lambda + (rest), u and
/// lambda as they are now. `gamma` is the memory of `solve_one_contact`.
Eigen::Vector3d solve_one_constraint(const Constraint& constraint, const Eigen::Matrix3d& W,
                                     const Eigen::Vector3d& e, const Eigen::Vector3d& u,
                                     const Eigen::Vector3d& lambda, double& gamma);

}  // namespace stiction
