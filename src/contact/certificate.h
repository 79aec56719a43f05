// The certificate of a solution: every part of its residual (residual.h), from lambda alone and by
// A and J as they stand in the problem, v = A^-1 (b + J^T lambda).
#pragma once

#include <stiction/solve.h>

#include <Eigen/Core>

#include "contact/dynamics.h"

namespace stiction {

class Certificate {
 public:
  Certificate(const Problem& problem, const DynamicsFactor& factor);

  /// v and J v of lambda.
  void update(const Eigen::VectorXd& lambda);
  const Eigen::VectorXd& v() const { return v_; }
  const Eigen::VectorXd& Jv() const { return Jv_; }

  /// All parts for the lambda of the last `update`, m_i per constraint; the dynamics defect is that
  /// of v, or of a v of the caller's.
  Residual measure(const Eigen::VectorXd& lambda, const Eigen::VectorXd& masses);
  Residual measure(const Eigen::VectorXd& lambda, const Eigen::VectorXd& masses,
                   const Eigen::VectorXd& v_returned);

 private:
  void add_contacts(const Eigen::VectorXd& lambda, const Eigen::VectorXd& masses,
                    Residual& residual);

  const Problem& problem_;
  const DynamicsFactor& factor_;
  Eigen::VectorXd rhs_;  ///< b + J^T lambda
  Eigen::VectorXd v_;
  Eigen::VectorXd Jv_;
  Eigen::VectorXd v_free_;  ///< A^-1 b
  Eigen::VectorXd Av_;
  Matrix6Xd V_;
  Matrix6Xd W_;
};

}  // namespace stiction
