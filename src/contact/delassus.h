// The problem in contact coordinates, for solvers that work there: the Delassus matrix
// J A^-1 J^T (dense, symmetric, positive semidefinite) and the velocity without impulses.
//
// Both can be scaled by the effective masses, x_hat = impulse / sqrt(m_i), sqrt(m_i) velocity:
// then they share one unit (sqrt(J)), the diagonal blocks have trace = rows, and nothing that
// follows depends on the scale of masses. A contact's three rows share one m_i, so cones stay
// cones.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>

#include "contact/dynamics.h"

namespace stiction {

/// sqrt(m_i), once per row.
Eigen::VectorXd row_scales(const Problem& problem, const Eigen::VectorXd& masses);

/// diag(scale) J A^-1 J^T diag(scale).
Eigen::MatrixXd scaled_delassus(const Problem& problem, const DynamicsFactor& factor,
                                const Eigen::VectorXd& scale);

/// diag(scale) (J A^-1 b + e).
Eigen::VectorXd scaled_free_velocity(const Problem& problem, const DynamicsFactor& factor,
                                     const Eigen::VectorXd& scale);

}  // namespace stiction
