// Articulated bodies. [F08] 7.3, dof by dof: a joint of several dofs is a chain of massless bodies.
// Rates of the columns are not met here: with A_b the part of the body's acceleration that is due
// to qacc, its equation of motion is f_b = H_b A_b + w_b, and w_b (set_body_wrenches) holds the
// rest.
#include <stiction/tree.h>

#include "tree/newton_euler.h"

namespace stiction {
namespace {

/// Leaves to root: articulated inertias, and wrenches at qacc = 0 beyond the dof under tau.
void gather(const Model& model, const ConstVectorRef& tau, TreeData& data) {
  for (int b = static_cast<int>(model.bodies.size()) - 1; b > 0; --b) {
    const Body& body = model.bodies[b];
    Matrix6d& H = data.articulated[b];
    Vector6d& wrench = data.wrench[b];
    for (int j = body.joint_begin + body.joint_count - 1; j >= body.joint_begin; --j) {
      const Joint& joint = model.joints[j];
      for (int i = joint.dof_begin + joint.nv() - 1; i >= joint.dof_begin; --i) {
        const Vector6d U = H * data.S.col(i);
        data.U_inv[i] = 1 / (data.S.col(i).dot(U) + joint.armature);
        data.work[i] = tau[i] - data.S.col(i).dot(wrench);
        wrench += U * (data.work[i] * data.U_inv[i]);
        H -= data.U_inv[i] * U * U.transpose();
        data.U.col(i) = U;
      }
    }
    if (body.parent > 0) {
      data.articulated[body.parent] += H;
      data.wrench[body.parent] += wrench;
    }
  }
}

}  // namespace

void forward_dynamics(const Model& model, const ConstVectorRef& tau, TreeData& data,
                      VectorRef qacc) {
  const int n = static_cast<int>(model.bodies.size());
  set_body_wrenches(model, data);
  for (int b = 1; b < n; ++b) data.articulated[b] = data.inertia[b].matrix();
  gather(model, tau, data);
  for (int b = 1; b < n; ++b) {
    const Body& body = model.bodies[b];
    Vector6d A = data.acceleration[body.parent];
    for (int i = body.dof_begin; i < body.dof_begin + body.dof_count; ++i) {
      qacc[i] = data.U_inv[i] * (data.work[i] - data.U.col(i).dot(A));
      A += data.S.col(i) * qacc[i];
    }
    data.acceleration[b] = A;
  }
}

}  // namespace stiction
