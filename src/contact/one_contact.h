// One contact alone: given u = W lambda + u_free with the 3x3 Delassus block W (rows t1, t2, n),
// the lambda that satisfies Signorini and Coulomb exactly, [TRO25] (5):
//
//   open   u_free,n >= 0                            lambda = 0
//   stick  -W^-1 u_free in the cone                 lambda = -W^-1 u_free
//   slip   u_n = 0, u_t = -gamma lambda_t, |lambda_t| = mu lambda_n with one unknown gamma > 0
#pragma once

#include <Eigen/Core>

namespace stiction {

/// `gamma`, in m/(N s^2): in, where to start the search; out, what it found when it slips.
Eigen::Vector3d solve_one_contact(const Eigen::Matrix3d& W, double mu,
                                  const Eigen::Vector3d& u_free, double& gamma);

}  // namespace stiction
