#include "sim/pivots.h"

#include "sim/simulation_impl.h"
#include "tree/springs.h"

namespace stiction {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// rad in a step. Of what turns further, contacts are looked for about c (detect_turned.cpp).
constexpr double kSlowTurn = 0.1;

}  // namespace

void move_positions(const Model& model, const Structure& structure, const ConstVectorRef& v,
                    double h, VectorRef qpos) {
  for (const OffCenter& body : structure.off_center) {  // o + h v + h w x r + r
    const Vector3d w_B = v.segment<3>(body.dof_begin + 3);
    const Quaterniond q = quaternion_at(qpos, body.qpos_begin + 3);
    qpos.segment<3>(body.qpos_begin) += q * Vector3d(h * w_B.cross(body.com_B) + body.com_B);
  }
  integrate_positions(model, v, h, qpos);
  for (const OffCenter& body : structure.off_center) {
    const Quaterniond q = quaternion_at(qpos, body.qpos_begin + 3);
    qpos.segment<3>(body.qpos_begin) -= q * body.com_B;
  }
}

void carry_velocities(const Structure& structure, const ConstVectorRef& from,
                      const ConstVectorRef& to, VectorRef v) {
  for (const OffCenter& body : structure.off_center) {
    const Vector3d w_x_r = v.segment<3>(body.dof_begin + 3).cross(body.com_B);
    v.segment<3>(body.dof_begin) += quaternion_at(from, body.qpos_begin + 3) * w_x_r -
                                    quaternion_at(to, body.qpos_begin + 3) * w_x_r;
  }
}

void keep_on_ground(const Simulation::Impl& sim, const VectorXd& qpos, const VectorXd& v,
                    VectorXd& qpos_next) {
  const FlightMemory& held = sim.flight_memory;
  for (const OffCenter& body : sim.structure.off_center) {
    const int s = sim.structure.subsystem[sim.structure.mover[body.body]];
    const bool turns = sim.h * v.segment<3>(body.dof_begin + 3).norm() > kSlowTurn;
    if (!held.pushed[s] || held.tied[s] || turns) continue;
    qpos_next.segment<3>(body.qpos_begin) =
        qpos.segment<3>(body.qpos_begin) + sim.h * v.segment<3>(body.dof_begin);
  }
}

void turn_arms(const Structure& structure, const TreeData& tree, double h, VectorRef v) {
  for (const OffCenter& body : structure.off_center) {
    const Vector3d omega = tree.V[body.body].tail<3>();
    const Vector3d r = tree.R_WB[body.body] * body.com_B;
    v.segment<3>(body.dof_begin) -= h * omega.cross(omega.cross(r));
  }
}

}  // namespace stiction
