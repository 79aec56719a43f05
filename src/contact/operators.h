// The operators T of [TRO25] (19): lambda = T(s), s = lambda* = -beta J v - u - beta e, their
// derivatives, and the energies whose gradients they are. One place for every solver.
//
//   contact, strict    lambda_n = max(s_n, 0), lambda_t = s_t clipped to the disc mu lambda_n  (18)
//   contact, proximal  Euclidean projection on the friction cone                               (22)
//   unilateral         max(s, 0)                                                               (15)
//   equality           s
//   soft               (c s + beta (c - k) e) / (c + beta), which is (16) written in s
//   joint friction     s clamped to [-bound, bound]                                    [JOINT] (7)
//   joint limit        s + beta upper | s + beta lower | 0                       [JOINT] (9), (10)
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>

namespace stiction {

enum class ContactLaw { kStrict, kProximal };

/// lambda = T(s) for a constraint of one row.
double apply_row(const Constraint& constraint, double beta, double e, double s);

/// lambda = T(s) for one constraint; rows beyond the constraint's own come back zero.
Eigen::Vector3d apply_operator(const Constraint& constraint, ContactLaw law, double beta,
                               const Eigen::Vector3d& e, const Eigen::Vector3d& s);

/// The same with an element of the generalised derivative dT/ds. It is symmetric for every law but
/// the strict one, [TRO25] (24).
Eigen::Vector3d apply_operator(const Constraint& constraint, ContactLaw law, double beta,
                               const Eigen::Vector3d& e, const Eigen::Vector3d& s,
                               Eigen::Matrix3d& dT);

/// d^T T(s) and d^T dT/ds d: all that a line search along d needs of the derivative.
struct AlongDirection {
  double value = 0;
  double derivative = 0;
};
AlongDirection operator_along(const Constraint& constraint, ContactLaw law, double beta,
                              const Eigen::Vector3d& e, const Eigen::Vector3d& s,
                              const Eigen::Vector3d& d);

/// psi(s) with gradient T(s), for the proximal law. The printed |lambda|^2 / 2 of (23) holds for
/// cones and limits; soft constraints and saturated joint friction need their own form.
double operator_energy(const Constraint& constraint, double beta, const Eigen::Vector3d& e,
                       const Eigen::Vector3d& s);

Eigen::Vector3d project_strict(double mu, const Eigen::Vector3d& s);
Eigen::Vector3d project_cone(double mu, const Eigen::Vector3d& s);

}  // namespace stiction
