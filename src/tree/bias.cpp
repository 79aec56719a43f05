// Recursive Newton-Euler. [F08] 5.3, in world axes about one point, where nothing needs
// transforming between bodies.
#include <stiction/tree.h>

#include "math/spatial.h"
#include "tree/inertia.h"
#include "tree/newton_euler.h"

namespace stiction {

void set_body_wrenches(const Model& model, TreeData& data) {
  // Gravity enters here: a world that accelerates upwards is a world with gravity.
  Vector6d lift = Vector6d::Zero();
  if (model.options.gravity_enabled) lift.head<3>() = -model.options.gravity;
  const int n = static_cast<int>(model.bodies.size());
  for (int b = 1; b < n; ++b) {
    data.wrench[b] = data.inertia[b] * Vector6d(data.Vdot0[b] + lift) +
                     cross_force(data.V[b], data.momentum[b]);  // [F08] (2.68)
  }
}

namespace {

/// tau_i = S_i . (sum of the wrenches of the body and of all that hangs on it).
void project_wrenches(const Model& model, TreeData& data, VectorRef tau) {
  for (int b = static_cast<int>(model.bodies.size()) - 1; b > 0; --b) {
    const Body& body = model.bodies[b];
    const Vector6d& wrench = data.wrench[b];
    for (int i = body.dof_begin; i < body.dof_begin + body.dof_count; ++i) {
      tau[i] = data.S.col(i).dot(wrench);
    }
    if (body.parent > 0) data.wrench[body.parent] += wrench;
  }
}

}  // namespace

void compute_bias(const Model& model, TreeData& data) {
  set_body_wrenches(model, data);
  project_wrenches(model, data, data.bias);
}

void generalized_momentum(const Model& model, const ConstVectorRef& qvel, TreeData& data,
                          VectorRef p) {
  data.wrench = data.momentum;  // momenta sum like wrenches
  project_wrenches(model, data, p);
  p += data.constants.armature.cwiseProduct(qvel);
}

void inverse_dynamics(const Model& model, const ConstVectorRef& qacc, TreeData& data,
                      VectorRef tau) {
  set_body_wrenches(model, data);
  const int n = static_cast<int>(model.bodies.size());
  for (int b = 1; b < n; ++b) {
    const Body& body = model.bodies[b];
    data.acceleration[b] = data.acceleration[body.parent];
    for (int i = body.dof_begin; i < body.dof_begin + body.dof_count; ++i) {
      data.acceleration[b] += data.S.col(i) * qacc[i];
    }
    data.wrench[b] += data.inertia[b] * data.acceleration[b];
  }
  project_wrenches(model, data, tau);
  tau += data.constants.armature.cwiseProduct(qacc);
}

}  // namespace stiction
