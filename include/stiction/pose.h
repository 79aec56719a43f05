// Where a frame is.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stiction {

/// A rigid transform: p_A = p + q * p_B.
struct Pose {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
};

inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.p + X_AB.q * X_BC.p, X_AB.q * X_BC.q};
}

inline Pose inverse(const Pose& X_AB) {
  const Eigen::Quaterniond q_BA = X_AB.q.conjugate();
  return {-(q_BA * X_AB.p), q_BA};
}

}  // namespace stiction
