// Composite rigid bodies: M_ij = S_j . (Ic_b S_i) for dof i of body b and its ancestors j, where
// Ic_b is the inertia of b and all that hangs on it. [F08] 6.2, [TRO25] (42).
#include <stiction/tree.h>

#include "tree/inertia.h"

namespace stiction {
namespace {

/// Entry of M for dofs i >= j on one branch, or -1.
int entry(const TreeLayout& layout, int i, int j) {
  for (int k = layout.row_begin[i]; k < layout.row_begin[i + 1]; ++k) {
    if (layout.col[k] == j) return k;
  }
  return -1;
}

/// M += a J^T J for tendons with armature. Joints on different branches are left uncoupled, as in
/// MuJoCo: M keeps the pattern of the tree.
void add_tendon_armature(const Model& model, TreeData& data) {
  for (const Tendon& tendon : model.tendons) {
    if (tendon.armature == 0) continue;
    for (size_t a = 0; a < tendon.joints.size(); ++a) {
      for (size_t b = 0; b < tendon.joints.size(); ++b) {
        const int i = model.joints[tendon.joints[a]].dof_begin;
        const int j = model.joints[tendon.joints[b]].dof_begin;
        const int k = j <= i ? entry(data.layout, i, j) : -1;
        if (k >= 0) data.M[k] += tendon.armature * tendon.coefs[a] * tendon.coefs[b];
      }
    }
  }
}

}  // namespace

void compute_mass_matrix(const Model& model, TreeData& data) {
  const TreeLayout& layout = data.layout;
  data.composite = data.inertia;
  for (int b = static_cast<int>(model.bodies.size()) - 1; b > 0; --b) {
    const Body& body = model.bodies[b];
    const SpatialInertia& Ic = data.composite[b];
    if (body.parent > 0) data.composite[body.parent] += Ic;
    for (int i = body.dof_begin; i < body.dof_begin + body.dof_count; ++i) {
      const Vector6d momentum = Ic * data.S.col(i);
      for (int k = layout.row_begin[i]; k < layout.row_begin[i + 1]; ++k) {
        data.M[k] = data.S.col(layout.col[k]).dot(momentum);
      }
    }
  }
  for (const Joint& joint : model.joints) {
    for (int i = joint.dof_begin; i < joint.dof_begin + joint.nv(); ++i) {
      data.M[layout.row_begin[i + 1] - 1] += joint.armature;
    }
  }
  add_tendon_armature(model, data);
}

Eigen::MatrixXd dense_mass_matrix(const TreeData& data) {
  const Eigen::Index nv = data.S.cols();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(nv, nv);
  for (int i = 0; i < nv; ++i) {
    for (int k = data.layout.row_begin[i]; k < data.layout.row_begin[i + 1]; ++k) {
      M(i, data.layout.col[k]) = M(data.layout.col[k], i) = data.M[k];
    }
  }
  return M;
}

}  // namespace stiction
