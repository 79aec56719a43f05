// One constraint alone, of any type: the impulse that satisfies its law when its velocity is
// u = W lambda + (rest), u and lambda as they are now. What sweeps from constraint to constraint
// do.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <algorithm>

#include "contact/one_contact.h"

namespace stiction {

/// W of three rows with a millionth of its mean diagonal added. A row that nothing can move, such
/// as that of a planar loop across its plane, has rounding for J, and its impulse would be rounding
/// divided by rounding; so it is below every tolerance. Sweeps end where velocities obey the law,
/// whatever W is.
inline Eigen::Matrix3d made_regular(Eigen::Matrix3d W) {
  W.diagonal().array() += 1e-6 * W.trace() / 3;
  return W;
}

class OneConstraint {
 public:
  /// W is J_i A^-1 J_i^T; unused rows have a one on the diagonal.
  OneConstraint(const Constraint& constraint, const Eigen::Vector3d& e, const Eigen::Matrix3d& W);

  /// `gamma` is the memory of `OneContact`.
  Eigen::Vector3d solve(const Eigen::Vector3d& u, const Eigen::Vector3d& lambda,
                        double& gamma) const {
    return is_contact() ? contact_.solve(u - W_ * lambda, gamma) : other(u, lambda);
  }
  /// The same for a constraint of one row.
  double solve_row(double u, double lambda) const {
    const double s = lambda - beta_ * u;
    return clamps_ ? std::min(std::max(s, least_), most_) : other_row(s);
  }
  const Eigen::Vector3d& e() const { return e_; }
  bool is_contact() const { return is_contact_; }

 private:
  Eigen::Vector3d other(const Eigen::Vector3d& u, const Eigen::Vector3d& lambda) const;
  double other_row(double s) const;

  const Constraint* constraint_;
  Eigen::Vector3d e_;
  Eigen::Matrix3d W_;
  double beta_;  ///< 1 / W_00
  bool is_contact_;
  bool clamps_;  ///< whether its law is to keep lambda between these, N s
  double least_;
  double most_;
  OneContact contact_;
};

}  // namespace stiction
