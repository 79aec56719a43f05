#include <stiction/tree.h>

#include "math/spatial.h"

namespace stiction {

void point_jacobian(const TreeData& data, int body, const Eigen::Vector3d& p_W,
                    Eigen::Ref<Matrix6Xd> jacobian) {
  const Eigen::Vector3d r = p_W - data.p_WO[body];
  jacobian.setZero();
  for (int i = data.layout.last_dof[body]; i >= 0; i = data.layout.dof_parent[i]) {
    jacobian.col(i) = shift_twist(data.S.col(i), r);
  }
}

void add_force(const TreeData& data, int body, const Eigen::Vector3d& p_W,
               const Eigen::Vector3d& force, const Eigen::Vector3d& torque, VectorRef qfrc) {
  Vector6d wrench = wrench_at(p_W - data.p_WO[body], force);
  wrench.tail<3>() += torque;
  for (int i = data.layout.last_dof[body]; i >= 0; i = data.layout.dof_parent[i]) {
    qfrc[i] += data.S.col(i).dot(wrench);
  }
}

}  // namespace stiction
