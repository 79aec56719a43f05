// Fischer-Burmeister functions: Phi(p, q) = 0 exactly where impulse p and velocity q obey a
// constraint's law, and differentiable almost everywhere. Smoothed by tau > 0, everywhere.
//
//   scalar   phi(a, b) = a + b - sqrt(a^2 + b^2 + 2 tau^2):  0 <= a, b >= 0, a b = 0
//   cone     Phi(x, y) = x + y - (x^2 + y^2 + 2 tau^2 e)^(1/2) with the Jordan product of the
//            second-order cone: x, y in the cone and x^T y = 0 (Fukushima, Luo, Tseng 2002)
//   box      phi(a - l, -phi(u - a, -b)): a in [l, u], b >= 0 at l, <= 0 at u (Billups 1995)
//
// Signorini-Coulomb is cone complementarity of [TRO25] (21): lambda in C, u + mu |u_t| n in C*,
// made self-dual by x = (mu lambda_n, lambda_t), y = (u_n + mu |u_t|, mu u_t).
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>

namespace stiction {

/// Phi and its derivatives; rows beyond the constraint's own are zero.
struct FbValue {
  Eigen::Vector3d phi = Eigen::Vector3d::Zero();
  Eigen::Matrix3d P = Eigen::Matrix3d::Zero();  ///< dPhi/dp
  Eigen::Matrix3d Q = Eigen::Matrix3d::Zero();  ///< dPhi/dq
};

/// p = lambda / sqrt(m_i), q = sqrt(m_i) (J v + e), both in sqrt(J).
FbValue fischer_burmeister(const Constraint& constraint, double root_mass, const Eigen::Vector3d& e,
                           double tau, const Eigen::Vector3d& p, const Eigen::Vector3d& q);
/// Phi alone, at a fraction of the cost.
Eigen::Vector3d fischer_burmeister_phi(const Constraint& constraint, double root_mass,
                                       const Eigen::Vector3d& e, double tau,
                                       const Eigen::Vector3d& p, const Eigen::Vector3d& q);

}  // namespace stiction
